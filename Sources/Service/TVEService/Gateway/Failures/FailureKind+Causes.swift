#if Service
import BrokerClient
import DeviceRecords
package import EntitlementFlows
import EntitlementValues
import MediaTokens
import PlaybackSessions
import SealedRecords
import ServiceResponses

// Of each cause of a failure: its kind, the stable name for apps, logs and metrics, and after how long to ask again if the
// broker says that.

// MARK: The flows

extension FailureKind {
    /// The kind of a failure of a session.
    package init(_ error: EntitlementFlowError) {
        self =
            switch error {
            case .broker(let error): Self(error)
            case .noOrigin(let failures): failures.first.map { Self($0.error) } ?? .internalFailure
            case .token(let error): Self(error)
            case .store(let error): Self(error)
            case .notAuthenticated: .notSignedIn
            case .unknownProvider: .unknownProvider
            case .identityNeeded: .identityNeeded
            case .unsupported: .badRequest
            case .codeEnded: .signInEnded
            case .superseded: .superseded
            case .redemption: .storeAway
            case .unknownStep: .refusedApplication
            case .shutDown, .cancelled: .busy
            case .requestorNotSet: .internalFailure
            }
    }

    /// The kind of a denial: by the broker's error, or, if it denied without one, by who denied.
    init(_ denial: AuthorizationDenial) {
        if let error = denial.error {
            self.init(error)
        } else if denial.source == nil {
            // The answer has no decision about the resource.
            self = .failed
        } else {
            self = denial.source == .temporaryAccess ? .usedUp : .denied
        }
    }
}

extension EntitlementFlowError {
    /// The name for apps.
    var nameForApps: String {
        switch self {
        case .broker(let error): error.nameForApps
        case .noOrigin(let failures): failures.first?.error.nameForApps ?? code
        case .token(let error): error.nameForApps
        case .store, .notAuthenticated, .unknownProvider, .identityNeeded, .unsupported, .codeEnded, .superseded,
            .redemption, .unknownStep, .shutDown, .cancelled, .requestorNotSet:
            code
        }
    }

    /// After how long the broker said that it may be asked again; `nil` if it did not say.
    var retryAfter: Duration? {
        switch self {
        case .broker(let error): error.retryAfter
        case .noOrigin(let failures): failures.first?.error.retryAfter
        case .token, .store, .notAuthenticated, .unknownProvider, .identityNeeded, .unsupported, .codeEnded,
            .superseded, .redemption, .unknownStep, .shutDown, .cancelled, .requestorNotSet:
            nil
        }
    }
}

extension AuthorizationDenial {
    /// The name for apps.
    var nameForApps: String { error?.nameForApps ?? (source == nil ? "not_decided" : "denied") }
}

// MARK: The broker

extension FailureKind {
    private init(_ error: BrokerError) {
        self =
            switch error {
            case .throttled, .pollSkipped: .throttled
            case .transport(let failure): Self(failure.reason)
            case .unavailable: .down
            case .unreadable: .failed
            case .refused(let error, let status): Self(error, status: status)
            case .registration(let refusal):
                refusal.decision == .registerAnew ? .registrationEnded : .refusedApplication
            case .borrowedTokenRefused: .lentTokenRefused
            case .request(let fault): Self(fault)
            case .unsafeAddress: .refusedApplication
            case .store(let error): Self(error)
            case .cancelled: .busy
            }
    }

    private init(_ reason: TransportFailure.Reason) {
        self =
            switch reason {
            case .timeout: .slow
            case .connecting, .reset: .down
            case .malformed, .tooLong: .failed
            case .tls: .refusedApplication
            case .cancelled, .shutDown: .busy
            case .request: .internalFailure
            }
    }

    private init(_ fault: RequestFault) {
        self =
            switch fault {
            case .badIdentifier, .ambiguousIdentifier, .noResources: .badRequest
            case .missingField, .badGroupSize, .noManagement, .badClientAddress, .borrowedToken: .internalFailure
            }
    }
}

extension BrokerError {
    fileprivate var nameForApps: String {
        switch self {
        case .throttled, .pollSkipped: "throttled"
        case .transport(let failure): failure.reason.nameForApps
        case .unavailable: "broker_unreachable"
        case .unreadable: "broker_unreadable"
        case .refused(let error, _): error.nameForApps
        case .registration, .borrowedTokenRefused, .request, .unsafeAddress, .store, .cancelled: code
        }
    }

    fileprivate var retryAfter: Duration? {
        switch self {
        case .throttled(let wait), .unavailable(_, let wait): wait
        case .pollSkipped(let wait): wait
        case .transport, .unreadable, .refused, .registration, .borrowedTokenRefused, .request, .unsafeAddress, .store,
            .cancelled:
            nil
        }
    }
}

extension TransportFailure.Reason {
    fileprivate var nameForApps: String {
        switch self {
        case .timeout: "broker_timeout"
        case .connecting, .reset: "broker_unreachable"
        case .malformed, .tooLong: "broker_unreadable"
        case .tls: "broker_not_trusted"
        case .cancelled, .shutDown, .request: rawValue
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

// MARK: Tokens and stores

extension FailureKind {
    /// What is wrong with the broker's media token: it sent it just now, so the user can do nothing about it.
    private init(_ error: ResponseTokenError) {
        guard case .refused(let refusal) = error else {
            self = .refusedApplication
            return
        }
        self =
            switch refusal {
            case .replayed: .usedBefore
            case .expired, .notYetValid, .undecided: .failed
            case .storeUnavailable: .storeAway
            default: .refusedApplication
            }
    }

    /// The kind of a failure to start a playback session.
    init(_ error: PlaybackSessionError) {
        self =
            switch error {
            case .tooManyStreams: .tooManyStreams
            case .store, .unusableRecord: .storeAway
            // Revoked are all sessions of the subscriber; one that begins later is good.
            case .contended, .revoked: .busy
            // Temporary access ends within this second.
            case .unsuitable(.instants): .usedUp
            case .unsuitable: .unsuitableSession
            default: .internalFailure
            }
    }

    private init(_ error: DeviceRecordsError) {
        self =
            switch error {
            case .store(.unavailable), .store(.full): .storeAway
            case .contended, .newerSchema: .busy
            case .store, .sealing, .damaged: .internalFailure
            }
    }
}

extension ResponseTokenError {
    fileprivate var nameForApps: String {
        if case .refused(let refusal) = self { "token_" + refusal.code } else { code }
    }
}

extension PlaybackSessionError {
    /// The name for apps of a failure to start a session.
    var nameForApps: String {
        switch self {
        case .revoked: "busy"
        case .unsuitable(.instants): "temporary_access_duration_limit_exceeded"
        default: code
        }
    }

    /// After how long a session may be started that the registry refused; `nil` if it is not known.
    var retryAfter: Duration? {
        if case .revoked = self { SessionRegistry.revocationMargin.duration + .seconds(1) } else { nil }
    }
}

// MARK: All codes

extension FailureKind {
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
        "borrowed_token_refused",
        // Requests.
        "bad_request", "not_found", "method_not_allowed", "too_large", "too_many_requests", "not_enabled", "no_keys",
        "no_client_address", "cross_site", "bad_device_token", "device_token_expired", "return_not_proved",
        "internal",
    ]
}
#endif
