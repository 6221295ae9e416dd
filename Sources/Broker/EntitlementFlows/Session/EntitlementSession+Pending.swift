#if Client
import EntitlementValues

extension EntitlementSession {
    /// Ends an authorization that waits for a sign-in, if it is still the one that waits.
    ///
    /// A command that has to wait first takes the authorization before its wait, so that it does not end a newer one.
    ///
    /// - Parameters:
    ///   - request: The authorization; `nil` for none.
    ///   - error: Why. For `.notAuthenticated` and `.superseded` the app is told that the user is not signed in, for
    ///     others that the authorization failed.
    func end(_ request: PendingAuthorization?, with error: EntitlementFlowError) {
        guard let request, request === pending else { return }
        pending = nil
        request.end(with: .failure(error))
        switch error {
        case .notAuthenticated, .superseded: tell(.tokenRequestFailed(.notAuthenticated(request.resource)))
        default: tell(.tokenRequestFailed(.failed(request.resource, error)))
        }
    }
}
#endif
