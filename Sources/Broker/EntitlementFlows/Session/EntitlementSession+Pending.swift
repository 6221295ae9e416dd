#if Client
import EntitlementValues

extension EntitlementSession {
    /// Ends an authorization that waits for a sign-in, if it is still the one that waits.
    ///
    /// A command that must wait before it can end the one that waits now takes it before: a newer one is not its business.
    ///
    /// - Parameters:
    ///   - request: The authorization; `nil` for none.
    ///   - error: Why. `.notAuthenticated` and `.superseded` are told as that the user is not signed in, others as a
    ///     failure.
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
