#if Service
import ServiceResponses

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
#endif
