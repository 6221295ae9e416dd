#if CLI && Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import MediaTokens
import ServiceResponses
import TokenRedemption

extension EdgeRow {
    private static var unanswered: [OriginFailure] {
        guard let origin = try? BrokerOrigin(parsing: "https://broker.example") else { return [] }
        return [OriginFailure(at: origin, because: .throttled(retryAfter: nil))]
    }

    /// The flows of a device.
    static let flows: [EdgeRow] = [
        EdgeRow(
            "EntitlementFlowError.requestorNotSet", EntitlementFlowError.requestorNotSet, ends: 64, "requestor_not_set",
            "the requestor is not set yet; call setRequestor first, and see whether it succeeds"),
        EdgeRow(
            "EntitlementFlowError.noOrigin", EntitlementFlowError.noOrigin([]), ends: 69, "no_origin",
            "no origin was named; name at least one"),
        EdgeRow(
            "EntitlementFlowError.noOrigin", EntitlementFlowError.noOrigin(unanswered), ends: 23, "no_origin",
            """
            no origin answers for the requestor: https://broker.example: the broker takes no more \
            requests from this client address; try again in some seconds
            """),
        EdgeRow(
            "EntitlementFlowError.broker", EntitlementFlowError.broker(.throttled(retryAfter: nil)), ends: 23,
            "throttled", "the broker takes no more requests from this client address; try again in some seconds"),
        EdgeRow(
            "EntitlementFlowError.broker", EntitlementFlowError.broker(.request(.noManagement)), ends: 64,
            "no_management",
            """
            the environment has no origin of the management API, where resets are made; ask the \
            broker's operator for it, and make the environment with it. Nothing was sent; --management \
            names it
            """),
        EdgeRow(
            "EntitlementFlowError.notAuthenticated", EntitlementFlowError.notAuthenticated, ends: 21,
            "not_authenticated", "not signed in; run tve broker login"),
        EdgeRow(
            "EntitlementFlowError.unknownProvider", EntitlementFlowError.unknownProvider("Other"), ends: 64,
            "unknown_provider", "the requestor has no provider Other; tve broker providers lists them"),
        EdgeRow(
            "EntitlementFlowError.identityNeeded", EntitlementFlowError.identityNeeded("PromoPass"), ends: 64,
            "identity_needed",
            """
            the provider PromoPass is promotional access, which needs an identity of the user; hand it \
            to getAuthentication
            """),
        EdgeRow(
            "EntitlementFlowError.unsupported", EntitlementFlowError.unsupported(.unknownData), ends: 64,
            "unsupported_unknown_data",
            """
            the data has a member that has no place in the broker's API; only the identity for \
            promotional temporary access has one
            """),
        EdgeRow(
            "EntitlementFlowError.codeEnded", EntitlementFlowError.codeEnded, ends: 21, "code_ended",
            "the code ended before the subscriber signed in; run tve broker login again"),
        EdgeRow(
            "EntitlementFlowError.superseded", EntitlementFlowError.superseded, ends: 21, "superseded",
            "another command or process has begun a sign-in of its own, or signed out; nothing is left to do"),
        EdgeRow(
            "EntitlementFlowError.token", EntitlementFlowError.token(.refused(.replayed)), ends: 16, "replayed",
            """
            the broker's media token is not good, so nothing may be played: the token was used before; \
            get a new token for every play request
            """),
        EdgeRow(
            "EntitlementFlowError.token", EntitlementFlowError.token(.mismatch([.mvpd(response: "A", token: "B")])),
            ends: 10, "token_mismatch",
            """
            the broker's media token is not good, so nothing may be played: the token does not belong \
            to this response: the MVPD is "A" in the response and "B" in the token
            """),
        EdgeRow(
            "EntitlementFlowError.token", EntitlementFlowError.token(.tokenWithoutAuthorization), ends: 10,
            "token_without_authorization",
            """
            the broker's media token is not good, so nothing may be played: the response has a token \
            but does not authorize playback, so it may have been changed; do not play
            """),
        EdgeRow(
            "EntitlementFlowError.token", EntitlementFlowError.token(.noToken), ends: 10, "no_token",
            """
            the broker's media token is not good, so nothing may be played: the response has no token; \
            ask for authorization, not preauthorization, before playback
            """),
        EdgeRow(
            "EntitlementFlowError.token", EntitlementFlowError.token(.notAuthorized(nil)), ends: 10, "not_authorized",
            "the broker sent no media token, because it does not authorize; nothing may be played"),
        EdgeRow(
            "EntitlementFlowError.redemption", EntitlementFlowError.redemption(.unavailable(reason: "away")), ends: 69,
            "redemption_unknown",
            "whether the media token was used before is not known, so it does not count: away; ask again"),
        EdgeRow(
            "EntitlementFlowError.store", EntitlementFlowError.store(.contended(attempts: 8)), option: "--state",
            ends: 69, "device_record_contended",
            """
            --state: a device's record was changed by others in 8 attempts; let fewer processes serve \
            one device
            """),
        EdgeRow(
            "EntitlementFlowError.unknownStep", EntitlementFlowError.unknownStep("dance"), ends: 69, "unknown_step",
            "the broker wants the step dance, which this release does not know; use a newer one"),
        EdgeRow(
            "EntitlementFlowError.shutDown", EntitlementFlowError.shutDown, ends: 69, "shut_down",
            "the server shuts down; ask again, so that another process goes on with the device"),
        EdgeRow(
            "EntitlementFlowError.cancelled", EntitlementFlowError.cancelled, ends: 69, "cancelled",
            "the call was cancelled"),
    ]
}
#endif
