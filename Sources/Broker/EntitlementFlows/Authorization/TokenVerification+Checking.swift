#if Client
import BrokerClient
import EntitlementValues
import MediaTokens
import ServiceResponses
import TokenRedemption

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
        let verified: VerifiedMediaToken
        do throws(MediaTokenError) {
            let expectations = TokenExpectations(
                requestor: .exactly(requestor), resource: .anyOf([resource, resource.trimmed]))
            verified = try verifier.verify(token.serializedToken, expecting: expectations, at: now)
        } catch {
            throw .token(.refused(error))
        }
        guard verified.mvpd == mvpd else { throw .token(.mismatch([.mvpd(response: mvpd, token: verified.mvpd)])) }
        guard let store else { return verified }
        let redemption: Redemption
        do throws(ReplayStoreError) {
            redemption = try await store.redeem(verified, at: now)
        } catch {
            throw .redemption(error)
        }
        guard redemption == .first else { throw .token(.refused(.replayed)) }
        return verified
    }
}
#endif
