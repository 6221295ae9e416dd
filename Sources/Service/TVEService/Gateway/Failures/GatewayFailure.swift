#if Service
import BrokerClient
import DeviceRecords
package import EntitlementFlows
import EntitlementValues
import MediaTokens
import PlaybackSessions
import SealedRecords
import ServiceResponses

/// A failure of the flows, the broker or a store, as apps, logs and metrics are told of it.
package struct GatewayFailure: Sendable, Hashable {
    /// How it is answered.
    package let kind: FailureKind
    /// The stable name: the broker's own for what it refused, else one of this library's.
    let code: String
    /// After how long the broker said that it may be asked again; `nil` if it did not say.
    var retryAfter: Duration?

    private init(_ kind: FailureKind, _ code: String, retryAfter: Duration? = nil) {
        (self.kind, self.code, self.retryAfter) = (kind, code, retryAfter)
    }

    // MARK: The flows

    /// Names a failure of a session.
    package init(_ error: EntitlementFlowError) {
        switch error {
        case .broker(let error): self.init(error)
        case .noOrigin(let failures):
            self = failures.first.map { GatewayFailure($0.error) } ?? GatewayFailure(.internalFailure, error.code)
        case .token(let error): self.init(error)
        case .store(let error): self.init(error)
        case .notAuthenticated: self.init(.notSignedIn, error.code)
        case .unknownProvider: self.init(.unknownProvider, error.code)
        case .identityNeeded: self.init(.identityNeeded, error.code)
        case .unsupported: self.init(.badRequest, error.code)
        case .codeEnded: self.init(.signInEnded, error.code)
        case .superseded: self.init(.superseded, error.code)
        case .redemption: self.init(.storeAway, error.code)
        case .unknownStep: self.init(.refusedApplication, error.code)
        case .shutDown, .cancelled: self.init(.busy, error.code)
        case .requestorNotSet: self.init(.internalFailure, error.code)
        }
    }

    /// Names a denial: by the broker's error, or, if it denied without one, by who denied.
    init(_ denial: AuthorizationDenial) {
        if let error = denial.error {
            self.init(FailureKind(error), error.nameForApps)
        } else if denial.source == nil {
            // The answer has no decision about the resource.
            self.init(.failed, "not_decided")
        } else {
            self.init(denial.source == .temporaryAccess ? .usedUp : .denied, "denied")
        }
    }

    // MARK: The broker

    /// Names a failed call of the broker.
    init(_ error: BrokerError) {
        switch error {
        case .throttled(let wait): self.init(.throttled, "throttled", retryAfter: wait)
        case .pollSkipped(let wait): self.init(.throttled, "throttled", retryAfter: wait)
        case .transport(let failure): self.init(failure.reason)
        case .unavailable(_, let wait): self.init(.down, "broker_unreachable", retryAfter: wait)
        case .unreadable: self.init(.failed, "broker_unreadable")
        case .refused(let error, let status): self.init(FailureKind(error, status: status), error.nameForApps)
        case .registration(let refusal):
            self.init(refusal.decision == .registerAnew ? .registrationEnded : .refusedApplication, error.code)
        case .request(let fault): self.init(fault)
        case .unsafeAddress: self.init(.refusedApplication, error.code)
        case .store(let error): self.init(error)
        case .cancelled: self.init(.busy, error.code)
        }
    }

    private init(_ reason: TransportFailure.Reason) {
        switch reason {
        case .timeout: self.init(.slow, "broker_timeout")
        case .connecting, .reset: self.init(.down, "broker_unreachable")
        case .malformed, .tooLong: self.init(.failed, "broker_unreadable")
        case .tls: self.init(.refusedApplication, "broker_not_trusted")
        case .cancelled, .shutDown: self.init(.busy, reason.rawValue)
        case .request: self.init(.internalFailure, reason.rawValue)
        }
    }

    private init(_ fault: RequestFault) {
        switch fault {
        case .badIdentifier, .ambiguousIdentifier, .noResources: self.init(.badRequest, fault.code)
        case .missingField, .badGroupSize, .noManagement, .badClientAddress: self.init(.internalFailure, fault.code)
        }
    }

    // MARK: Tokens and stores

    /// Names what is wrong with the broker's media token: it sent it just now, so the user can do nothing about it.
    private init(_ error: ResponseTokenError) {
        guard case .refused(let refusal) = error else {
            self.init(.refusedApplication, error.code)
            return
        }
        let kind: FailureKind =
            switch refusal {
            case .replayed: .usedBefore
            case .expired, .notYetValid, .undecided: .failed
            case .storeUnavailable: .storeAway
            default: .refusedApplication
            }
        self.init(kind, "token_" + refusal.code)
    }

    /// Names a failure to start a playback session.
    init(_ error: PlaybackSessionError) {
        switch error {
        case .tooManyStreams: self.init(.tooManyStreams, error.code)
        case .store, .unusableRecord: self.init(.storeAway, error.code)
        case .contended: self.init(.busy, error.code)
        // All sessions of the subscriber; one that begins later is good.
        case .revoked:
            self.init(.busy, "busy")
            retryAfter = SessionRegistry.revocationMargin.duration + .seconds(1)
        // Temporary access ends within this second.
        case .unsuitable(.instants): self.init(.usedUp, "temporary_access_duration_limit_exceeded")
        default: self.init(.internalFailure, error.code)
        }
    }

    private init(_ error: DeviceRecordsError) {
        switch error {
        case .store(.unavailable), .store(.full): self.init(.storeAway, error.code)
        case .contended, .newerSchema: self.init(.busy, error.code)
        case .store, .sealing, .damaged: self.init(.internalFailure, error.code)
        }
    }
}

extension EnhancedError {
    /// The broker's name of the error, if it looks like one: lower case with underscores.
    ///
    /// Anything else could be a text, which has no place in codes and logs.
    fileprivate var nameForApps: String {
        guard let name = code?.rawValue, (1...96).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return "refused" }
        return name
    }
}

extension FailureKind {
    /// The kind of an error that the broker names: of a whole call, or of its decision about a resource.
    ///
    /// For codes that this release does not know, the action that the broker names decides, and then the status.
    ///
    /// The status is that of the whole answer; `nil` for a decision, which is part of an answer that is good.
    init(_ error: EnhancedError, status: Int? = nil) {
        if let meaning = error.code?.meaning {
            self.init(meaning)
            return
        }
        self =
            switch error.action {
            case .authentication: .notSignedIn
            case .authorization: .denied
            case .retry: .failed
            case .configuration, .applicationRegistration: .refusedApplication
            default: Self(status: status)
            }
    }

    /// The kind of a refusal of which only the status tells something.
    private init(status: Int?) {
        switch status {
        case nil, 403: self = .denied
        case 429: self = .throttled
        case (500...599)?: self = .failed
        default: self = .refusedApplication
        }
    }

    /// The kind of an error with a documented code.
    private init(_ meaning: EnhancedErrorMeaning) {
        self =
            switch meaning {
            case .profileGone, .userNotAccepted: .notSignedIn
            case .denied, .deniedAtHome, .deniedByDegradation: .denied
            case .accessTimeOver, .accessUsedUp: .usedUp
            case .providerUnknown: .unknownProvider
            case .identityMissing: .identityNeeded
            case .codeEnded: .signInEnded
            case .partnerUndetermined, .partnerDenied, .partnerStatusBad, .partnerRequestBad: .partnerRefused
            case .clientEnded: .registrationEnded
            case .resourcesBad: .badRequest
            case .otherBrand, .requestorUnknown, .redirectRefused, .deviceBad, .misconfigured: .refusedApplication
            case .providerNotReached: .providerDown
            case .brokerFailed: .failed
            }
    }
}

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

    /// The codes of this file, of requests, and of the gateway's other parts.
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
