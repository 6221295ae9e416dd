#if Client
import ServiceResponses

/// What an error of the broker means in the words of the operator's library.
///
/// The mapping is this library's own, by what the operator's tables say of both vocabularies.
package enum LegacyMeaning: Sendable, Hashable {
    /// The user has to sign in.
    case notAuthenticated
    /// The user may not watch.
    case denied
    /// A rule for the provider's failure lets no one watch.
    case deniedByDegradation
    /// The temporary access is over.
    case temporaryAccessEnded
    /// The provider could not be asked.
    case providerNotReached
    /// The resource is malformed.
    case badResource
    /// The provider cannot be used with the requestor.
    case providerNotAvailable
    /// Promotional temporary access needs an identity of the user.
    case identityNeeded
    /// The code or the session of a sign-in has ended.
    case codeEnded
    /// The operator's servers failed, or are not configured.
    case serverFailure
    /// A request that this library should not have sent.
    case ownFailure
    /// A code that is the same in each call.
    case code(StatusCode)

    /// What the library said of it in a call.
    func error(in call: LegacyCall) -> LegacyError {
        switch self {
        case .notAuthenticated: call.notAuthenticated
        case .denied: call.denying(.userNotAuthorized, .notAuthorized)
        case .deniedByDegradation: call.denying(.userNotAuthorized, .deniedByDegradation)
        case .temporaryAccessEnded: call.denying(.userNotAuthorized, .temporaryAccessEnded)
        case .providerNotReached: call.denying(.genericAuthorization, .providerNotReached)
        case .badResource: call.denying(.genericAuthorization, .resourceNotValid)
        case .providerNotAvailable: call.refusingProvider
        case .identityNeeded: call.generic
        case .codeEnded: call.failing(with: .authenticationNotFound)
        case .serverFailure: call.serverFailure
        case .ownFailure: call.ownFailure
        case .code(let code): call.failing(with: code)
        }
    }
}

extension LegacyMeaning {
    /// The meaning of a documented code of the broker.
    init(_ meaning: EnhancedErrorMeaning) {
        self =
            switch meaning {
            case .profileGone, .userNotAccepted: .notAuthenticated
            case .denied, .deniedAtHome: .denied
            case .deniedByDegradation: .deniedByDegradation
            case .accessTimeOver, .accessUsedUp: .temporaryAccessEnded
            case .providerUnknown: .providerNotAvailable
            case .identityMissing: .identityNeeded
            case .codeEnded: .codeEnded
            case .partnerUndetermined: .code(.partnerPermissionUndetermined)
            case .partnerDenied: .code(.partnerPermissionDenied)
            case .partnerStatusBad: .code(.partnerRequestFailed)
            case .partnerRequestBad: .code(.partnerFailed)
            case .clientEnded, .otherBrand: .code(.noAccessToken)
            case .resourcesBad: .badResource
            case .requestorUnknown: .code(.requestorNotValid)
            case .redirectRefused: .code(.domainNotAllowed)
            case .deviceBad: .ownFailure
            case .providerNotReached: .providerNotReached
            case .brokerFailed, .misconfigured: .serverFailure
            }
    }

    /// The meaning of an error whose code is not known, by the action that may resolve it, and by the HTTP status.
    ///
    /// It is `nil` if neither tells.
    static func guessed(from action: EnhancedErrorAction?, status: Int?) -> LegacyMeaning? {
        switch (action, status) {
        case (.authentication?, _): .notAuthenticated
        case (.applicationRegistration?, _): .code(.noAccessToken)
        case (.retry?, _): .providerNotReached
        case (.configuration?, _): .serverFailure
        case (_, let status?) where status >= 500: .serverFailure
        case (_, 403?): .denied
        default: nil
        }
    }
}

extension LegacyCall {
    /// A refusal that belongs to authorizations; other calls fail with their own codes, and temporary access that is
    /// over has one code in all.
    fileprivate func denying(_ original: OriginalError, _ code: StatusCode) -> LegacyError {
        switch self {
        case .authorization: LegacyError(original, code)
        case .authentication where code == .temporaryAccessEnded: LegacyError(.genericAuthentication, code)
        default: generic
        }
    }

    /// The provider cannot be used with the requestor.
    fileprivate var refusingProvider: LegacyError {
        switch self {
        case .authentication: LegacyError(.providerNotAvailable, .authenticationFailed)
        case .authorization: LegacyError(.providerNotAvailable, .authorizationFailed)
        default: generic
        }
    }
}
#endif
