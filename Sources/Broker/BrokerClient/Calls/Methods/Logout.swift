#if Client
public import EntitlementValues
public import ServiceResponses

extension Caller {
    /// Signs the user out at one provider.
    ///
    /// The broker deletes the profile at once. What is left to do is in the answer: for a step with an address, the
    /// user's browser opens ``Broker/address(of:)-(LogoutStep)``. If the call is repeated after a broken connection, the
    /// broker may have deleted the profile the first time, and says then that there is none.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - requestor: The brand.
    ///   - redirect: The address to which the browser comes back in the end.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: What is left to do, by provider.
    /// - Throws: `BrokerError`; `unreadable` if the step of the provider cannot be read.
    public func logout(
        mvpd: MVPDID,
        requestor: RequestorID,
        returningTo redirect: String,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> LogoutResponse {
        let form = RequestForm(
            path: [.requestor: requestor.rawValue, .mvpd: mvpd.rawValue], query: [("redirectUrl", redirect)])
        return try await call(.logout, form, timeLimit: timeLimit) { answer in
            // What is left to do there is not known.
            answer.logouts.contains { $0.key.means(mvpd) } ? nil : answer.faults.first
        }
    }
}
#endif
