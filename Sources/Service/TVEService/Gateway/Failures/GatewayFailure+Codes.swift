#if Service
import BrokerClient
import EntitlementFlows
import MediaTokens
import PlaybackSessions
import ServiceResponses

extension GatewayFailure {
    /// The codes that answers have a metric of their own for: those of this service, and the documented ones of the
    /// broker.
    ///
    /// All others are counted together.
    package static let knownCodes: Set<String> = {
        let broker = EnhancedErrorCode.documented.map(\.rawValue)
        let registration = RegistrationRefusal.Decision.allCases.map(\.rawValue)
        let tokens = MediaTokenError.allCodes.map { "token_\($0)" }
        let calls = UnsupportedCall.allCases.map { "unsupported_\($0.rawValue)" }
        return Set(calls + broker + registration + tokens + PlaybackSessionError.ownCodes + ownCodes)
    }()

    /// The codes of this file's neighbours, of requests, and of the gateway's other parts.
    private static let ownCodes = [
        // Flows and broker.
        "not_authenticated", "unknown_provider", "identity_needed", "code_ended", "superseded", "redemption_unknown",
        "unknown_step", "shut_down", "cancelled", "requestor_not_set", "not_decided", "denied", "refused", "throttled",
        "broker_timeout", "broker_unreachable", "broker_unreadable", "broker_not_trusted", "no_token", "not_authorized",
        "token_mismatch", "token_without_authorization", "device_record_damaged", "device_record_newer",
        "device_record_contended", "record_store_unavailable", "record_store_full", "unsafe_address",
        // Requests.
        "bad_request", "not_found", "method_not_allowed", "too_large", "too_many_requests", "not_enabled",
        "no_client_address", "cross_site", "bad_device_token", "device_token_expired", "return_not_proved",
        "internal",
    ]
}
#endif
