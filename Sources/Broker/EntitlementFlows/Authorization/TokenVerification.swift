#if Client
import BrokerClient
import EntitlementValues
public import MediaTokens
import ServiceResponses
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

extension TokenVerification {
    /// Verifies the token of a decision, and uses it up.
    ///
    /// It must be for what was asked, not for what the answer says: the answer is not signed. It is used up last, so that
    /// a token which is refused stays unused. Around the resource, the broker may have dropped white space.
    ///
    /// Throws `.token` if the token is not good at the instant `now`, is for something else, or was used before;
    /// `.redemption` if the store cannot tell.
    func check(
        _ token: SerializedMediaToken,
        of resource: ResourceID,
        mvpd: MVPDID,
        requestor: RequestorID,
        at now: Timestamp
    ) async throws(EntitlementFlowError) -> VerifiedMediaToken {
        let expectations = TokenExpectations(
            requestor: .exactly(requestor), resource: .anyOf([resource, resource.trimmed]))
        let verified = try rethrowing(verifier.verify(token.serializedToken, expecting: expectations, at: now)) {
            (error: MediaTokenError) in EntitlementFlowError.token(.refused(error))
        }
        guard verified.mvpd == mvpd else { throw .token(.mismatch([.mvpd(response: mvpd, token: verified.mvpd)])) }
        guard let store else { return verified }
        let redemption = try await rethrowing(
            awaiting: await store.redeem(verified, at: now), as: EntitlementFlowError.redemption)
        guard redemption == .first else { throw .token(.refused(.replayed)) }
        return verified
    }
}
#endif
