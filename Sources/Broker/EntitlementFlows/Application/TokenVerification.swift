#if Client
public import MediaTokens
public import TokenRedemption

/// How media tokens are verified as soon as the broker has sent them, and used up.
public struct TokenVerification: Sendable {
    /// Verifies tokens with the keys of the broker.
    public let verifier: MediaTokenVerifier
    /// Where tokens are used up, so that none counts twice; `nil` if another service does that.
    public let store: (any ReplayStore)?

    /// Describes how tokens are verified.
    ///
    /// - Parameters:
    ///   - verifier: Verifies tokens with the keys of the broker.
    ///   - store: Where tokens are used up; `nil` if another service does that.
    public init(by verifier: MediaTokenVerifier, redeemingIn store: (any ReplayStore)? = nil) {
        (self.verifier, self.store) = (verifier, store)
    }
}
#endif
