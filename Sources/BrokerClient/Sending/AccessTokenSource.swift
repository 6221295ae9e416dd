#if Client
import BrokerMessages

/// Brings the access tokens that authorize calls.
protocol AccessTokenSource: Sendable {
    /// An access token for a call.
    ///
    /// - Parameters:
    ///   - refused: A token that the broker has refused, which must not be returned again.
    ///   - limit: How long it may take.
    /// - Returns: A token that has not ended as far as is known, and whether the broker made it for this process: what
    ///   becomes of it then tells of the credentials.
    /// - Throws: `BrokerError`.
    func token(
        insteadOf refused: AccessToken?,
        within limit: Duration
    ) async throws(BrokerError) -> (token: AccessToken, isNew: Bool)
}
#endif
