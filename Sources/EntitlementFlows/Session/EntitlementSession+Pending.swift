#if Client
import EntitlementValues

extension EntitlementSession {
    /// Ends the authorization that waits for a sign-in, if there is one.
    ///
    /// - Parameter error: Why. `.notAuthenticated` and `.superseded` are told as that the user is not signed in, others
    ///   as a failure.
    func endPending(with error: EntitlementFlowError) {
        guard let pending else { return }
        self.pending = nil
        pending.end(with: .failure(error))
        switch error {
        case .notAuthenticated, .superseded: tell(.tokenRequestFailed(.notAuthenticated(pending.resource)))
        default: tell(.tokenRequestFailed(.failed(pending.resource, error)))
        }
    }
}
#endif
