#if Service
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import MediaTokens
import SealedRecords
import ServiceResponses
import TVEService
import Testing
import TokenRedemption

/// A failure, and what an app has to be told of it.
struct FailureRow: Sendable, CustomTestStringConvertible {
    let error: EntitlementFlowError
    let status: Int
    let code: String
    let action: GatewayAction
    /// The value of `Retry-After`; `nil` for none.
    let retryAfter: String?

    init(
        _ error: EntitlementFlowError, _ status: Int, _ code: String, _ action: GatewayAction,
        after retryAfter: String? = nil
    ) {
        (self.error, self.status, self.code, self.action) = (error, status, code, action)
        self.retryAfter = retryAfter
    }

    var testDescription: String { "\(code): \(error.code)" }

    static let all = flows + broker + registrations + transports + faults + tokens + stores
}

extension FailureRow {
    private static let origin = Result { try BrokerOrigin(parsing: "https://broker.example") }

    private static var unreachable: EntitlementFlowError {
        guard let origin = try? origin.get() else { return .noOrigin([]) }
        return .noOrigin([
            OriginFailure(at: origin, because: .transport(TransportFailure(.connecting, mayHaveBeenSent: false)))
        ])
    }

    fileprivate static let flows = [
        FailureRow(.requestorNotSet, 500, "requestor_not_set", .none),
        FailureRow(.noOrigin([]), 500, "no_origin", .none),
        FailureRow(unreachable, 503, "broker_unreachable", .retry, after: "10"),
        FailureRow(.notAuthenticated, 401, "not_authenticated", .signIn),
        FailureRow(.unknownProvider("Other"), 409, "unknown_provider", .chooseProvider),
        FailureRow(.identityNeeded("PromoPass"), 409, "identity_needed", .signIn),
        FailureRow(.unsupported(.unknownData), 400, "unsupported_unknown_data", .none),
        FailureRow(.codeEnded, 410, "code_ended", .signIn),
        FailureRow(.superseded, 409, "superseded", .retry, after: "1"),
        FailureRow(.unknownStep("dance"), 502, "unknown_step", .none),
        FailureRow(.shutDown, 503, "shut_down", .retry, after: "1"),
        FailureRow(.cancelled, 503, "cancelled", .retry, after: "1"),
    ]

    fileprivate static let broker = [
        FailureRow(.broker(.throttled(retryAfter: nil)), 429, "throttled", .retry, after: "2"),
        FailureRow(.broker(.throttled(retryAfter: .seconds(30))), 429, "throttled", .retry, after: "30"),
        FailureRow(.broker(.throttled(retryAfter: .milliseconds(200))), 429, "throttled", .retry, after: "1"),
        FailureRow(.broker(.pollSkipped(retryAfter: .milliseconds(2500))), 429, "throttled", .retry, after: "3"),
        FailureRow(.broker(.unreadable(unreadable)), 502, "broker_unreadable", .retry, after: "10"),
        FailureRow(
            .broker(.unavailable(status: 502, retryAfter: nil)), 503, "broker_unreachable", .retry, after: "10"),
        FailureRow(
            .broker(.unavailable(status: 503, retryAfter: .seconds(30))), 503, "broker_unreachable", .retry, after: "30"
        ),
        FailureRow(.broker(.cancelled), 503, "cancelled", .retry, after: "1"),
        FailureRow(.broker(.borrowedTokenRefused), 401, "borrowed_token_refused", .renewToken),
        refused(.authenticatedProfileMissing, 403, 401, .signIn),
        refused(.authorizationDeniedBySessionInvalidated, 403, 401, .signIn),
        refused(.identityNotRecognizedByMVPD, 403, 401, .signIn),
        refused(.authorizationDeniedByMVPD, 403, 403, .showMessage),
        refused(.authorizationDeniedByParentalControls, 403, 403, .showMessage),
        refused(.authorizationDeniedByHBAPolicies, 403, 403, .showMessage),
        refused(.temporaryAccessDurationLimitExceeded, 403, 403, .chooseProvider),
        refused(.temporaryAccessResourcesLimitExceeded, 403, 403, .chooseProvider),
        refused(.invalidIntegration, 400, 409, .chooseProvider),
        refused(.invalidHeaderIdentityForTemporaryAccess, 400, 409, .signIn),
        refused(.invalidAuthenticationSession, 400, 410, .signIn),
        refused(.invalidHeaderPFSPermissionAccessNotGranted, 400, 403, .signIn),
        refused(.invalidAccessTokenClientApplication, 401, 401, .signIn),
        refused(.networkConnectionTimeout, 200, 503, .retry, after: "5"),
        refused(.maximumExecutionTimeExceeded, 200, 503, .retry, after: "5"),
        refused(.internalServerError, 500, 502, .retry, after: "10"),
        refused(.tooManyResources, 400, 400, .none),
        refused(.invalidParameterRedirectURL, 400, 502, .none),
        refused(.invalidConfigurationPlatform, 500, 502, .none),
        // Codes that this release does not know: the broker's action decides, and then the status.
        refused("new_code", 400, 401, .signIn, asking: .authentication),
        refused("new_code", 400, 403, .showMessage, asking: .authorization),
        refused("new_code", 400, 502, .retry, asking: .retry, after: "10"),
        refused("new_code", 400, 502, .none, asking: .configuration),
        refused("new_code", 401, 502, .none, asking: .applicationRegistration),
        refused("new_code", 401, 502, .none),
        refused("new_code", 403, 403, .showMessage),
        refused("new_code", 429, 429, .retry, after: "2"),
        refused("new_code", 503, 502, .retry, after: "10"),
        refused("new_code", 404, 502, .none),
        // What does not look like a code is not passed on as one.
        FailureRow(
            .broker(.refused(EnhancedError(code: "Ask 0800 <b>"), status: 403)), 403, "refused", .showMessage),
        FailureRow(.broker(.refused(EnhancedError(status: 500), status: 500)), 502, "refused", .retry, after: "10"),
    ]

    private static func refused(
        _ code: EnhancedErrorCode, _ brokerStatus: Int, _ status: Int, _ action: GatewayAction,
        asking brokerAction: EnhancedErrorAction? = nil, after retryAfter: String? = nil
    ) -> FailureRow {
        FailureRow(
            .broker(.refused(EnhancedError(action: brokerAction, code: code), status: brokerStatus)), status,
            code.rawValue, action, after: retryAfter)
    }

    private static let unreadable = UnreadableAnswer(HTTPAnswer(.init(status: .ok), body: []))

    fileprivate static let registrations = RegistrationRefusal.Decision.allCases.map { decision in
        let refusal = RegistrationRefusal(
            step: .accessToken, decision: decision, status: 400, reason: nil, enhancedError: nil)
        let isDevice = decision == .registerAnew
        return FailureRow(
            .broker(.registration(refusal)), isDevice ? 401 : 502, decision.rawValue, isDevice ? .signIn : .none)
    }

    fileprivate static let transports = [
        transport(.timeout, 504, "broker_timeout", .retry, after: "5"),
        transport(.connecting, 503, "broker_unreachable", .retry, after: "10"),
        transport(.reset, 503, "broker_unreachable", .retry, after: "10"),
        transport(.malformed, 502, "broker_unreadable", .retry, after: "10"),
        transport(.tooLong, 502, "broker_unreadable", .retry, after: "10"),
        transport(.tls, 502, "broker_not_trusted", .none),
        transport(.request, 500, "invalid_request", .none),
        transport(.cancelled, 503, "cancelled", .retry, after: "1"),
        transport(.shutDown, 503, "shut_down", .retry, after: "1"),
    ]

    private static func transport(
        _ reason: TransportFailure.Reason, _ status: Int, _ code: String, _ action: GatewayAction,
        after retryAfter: String? = nil
    ) -> FailureRow {
        FailureRow(
            .broker(.transport(TransportFailure(reason, mayHaveBeenSent: true))), status, code, action,
            after: retryAfter)
    }

    fileprivate static let faults = [
        FailureRow(.broker(.request(.missingField(name: "X-Device-Info"))), 500, "missing_header_field", .none),
        FailureRow(.broker(.request(.badIdentifier(name: "provider"))), 400, "bad_identifier", .none),
        FailureRow(.broker(.request(.ambiguousIdentifier(name: "device"))), 400, "ambiguous_identifier", .none),
        FailureRow(.broker(.request(.noResources)), 400, "no_resources", .none),
        FailureRow(.broker(.request(.badGroupSize)), 500, "bad_group_size", .none),
        FailureRow(.broker(.request(.badClientAddress)), 500, "bad_client_address", .none),
        FailureRow(.broker(.request(.noManagement)), 500, "no_management", .none),
        FailureRow(.broker(.request(.borrowedToken)), 500, "borrowed_token", .none),
        FailureRow(.broker(.unsafeAddress(.scheme)), 502, "unsafe_address", .none),
    ]

    private static let instant = Timestamp(milliseconds: 1_780_000_000_000)

    fileprivate static let tokens = [
        FailureRow(.token(.noToken), 502, "no_token", .none),
        FailureRow(.token(.notAuthorized(nil)), 502, "not_authorized", .none),
        FailureRow(.token(.tokenWithoutAuthorization), 502, "token_without_authorization", .none),
        FailureRow(.token(.mismatch([.mvpd(response: "A", token: "B")])), 502, "token_mismatch", .none),
        FailureRow(.token(.refused(.replayed)), 409, "token_replayed", .retry, after: "1"),
        FailureRow(.token(.refused(.expired(at: instant, now: instant))), 502, "token_expired", .retry, after: "10"),
        FailureRow(
            .token(.refused(.notYetValid(issued: instant, now: instant))), 502, "token_not_yet_valid", .retry,
            after: "10"),
        FailureRow(.token(.refused(.undecided(.noKeys))), 502, "token_no_keys", .retry, after: "10"),
        FailureRow(
            .token(.refused(.storeUnavailable(reason: "away"))), 503, "token_store_unavailable", .retry, after: "5"),
        FailureRow(
            .token(.refused(.badSignature(bits: 2048, isSizeOfTrustedKey: true))), 502, "token_bad_signature", .none),
    ]

    fileprivate static let stores = [
        FailureRow(.redemption(.unavailable(reason: "away")), 503, "redemption_unknown", .retry, after: "5"),
        FailureRow(
            .store(.store(.unavailable(reason: "away"))), 503, "record_store_unavailable", .retry, after: "5"),
        FailureRow(.store(.store(.full(capacity: 1))), 503, "record_store_full", .retry, after: "5"),
        FailureRow(.store(.store(.tooLarge(count: 2, limit: 1))), 500, "record_too_large", .none),
        FailureRow(.store(.sealing(.otherRing)), 500, "sealing_keys_of_another_store", .none),
        FailureRow(.store(.damaged(at: .root)), 500, "device_record_damaged", .none),
        FailureRow(.store(.newerSchema(found: 2, known: 1)), 503, "device_record_newer", .retry, after: "1"),
        FailureRow(.store(.contended(attempts: 3)), 503, "device_record_contended", .retry, after: "1"),
        FailureRow(
            .broker(.store(.store(.unavailable(reason: "away")))), 503, "record_store_unavailable", .retry, after: "5"),
    ]
}
#endif
