#if Client
import BrokerClient
public import EntitlementValues
public import ServiceResponses

/// The call of the operator's library in which something failed: the same failure had other codes in other calls.
public enum LegacyCall: String, Sendable, Hashable, CaseIterable {
    /// `setRequestor`.
    case setRequestor
    /// `checkAuthentication`, `getAuthentication`, `setSelectedProvider` and `handleExternalURL`.
    case authentication
    /// `checkAuthorization` and `getAuthorization`.
    case authorization
    /// `checkPreauthorizedResources` and `preauthorize`.
    case preauthorization
    /// `getMetadata`, which had an empty answer and no error.
    case metadata
    /// `logout`, which always succeeded on the device.
    case logout
}

extension LegacyCall {
    /// The failure for a reason that has no code of its own.
    var generic: LegacyError {
        switch self {
        case .setRequestor: LegacyError(nil, .configurationFailed(status: 500))
        case .authentication: LegacyError(.genericAuthentication, .authenticationFailed)
        case .authorization: LegacyError(.genericAuthorization, .authorizationFailed)
        case .preauthorization: LegacyError(nil, .preauthorizationFailed)
        case .metadata, .logout: LegacyError(nil, nil)
        }
    }

    /// A failure of the operator's servers.
    var serverFailure: LegacyError {
        switch self {
        case .authentication: LegacyError(.internalAuthentication, .authenticationFailed)
        case .authorization: LegacyError(.internalAuthorization, .authorizationFailed)
        default: generic
        }
    }

    /// A failure of the session itself.
    var ownFailure: LegacyError {
        switch self {
        case .authentication, .authorization: LegacyError(.internalError, .internalFailure)
        case .setRequestor, .preauthorization, .logout: LegacyError(nil, .internalFailure)
        case .metadata: LegacyError(nil, nil)
        }
    }

    /// The user is not signed in.
    var notAuthenticated: LegacyError {
        switch self {
        case .authentication, .authorization: LegacyError(.userNotAuthenticated, .notAuthenticated)
        case .setRequestor, .preauthorization: LegacyError(nil, .notAuthenticated)
        case .metadata, .logout: LegacyError(nil, nil)
        }
    }

    /// HTTP status 429: the page on throttling names the code for three calls.
    var throttled: LegacyError {
        switch self {
        case .setRequestor: LegacyError(nil, .configurationThrottled)
        case .authentication: generic
        case .authorization: LegacyError(nil, .notAuthorized)
        case .preauthorization: LegacyError(nil, .preauthorizationFailed)
        case .metadata, .logout: LegacyError(nil, nil)
        }
    }

    /// A failure with a code that is the same in each call that tells codes at all.
    func failing(with code: StatusCode) -> LegacyError {
        switch self {
        case .metadata: LegacyError(nil, nil)
        case .setRequestor, .preauthorization, .logout: LegacyError(nil, code)
        case .authentication, .authorization: LegacyError(generic.original, code)
        }
    }
}

/// What the operator's library said of a failure: an error of its first system, and a code of its second.
public struct LegacyError: Sendable, Hashable {
    /// The text for `setAuthenticationStatus` or `tokenRequestFailed`; `nil` if the call had no such callback.
    public let original: OriginalError?
    /// The code for `status`; `nil` if the library told none.
    public let code: StatusCode?

    /// Describes what the library said.
    ///
    /// - Parameters:
    ///   - original: The text of the first system.
    ///   - code: The code of the second system.
    public init(_ original: OriginalError?, _ code: StatusCode?) {
        (self.original, self.code) = (original, code)
    }
}

/// An error of the first system of the operator's library: the text that `setAuthenticationStatus` and
/// `tokenRequestFailed` got.
///
/// The capitals are the operator's: *not* is small in some of them. Releases of the library differ there, so compare
/// without regard to case if the app did so before.
///
/// Source: the operator's page on error reporting.
public struct OriginalError: EntitlementIdentifier {
    /// The text as the operator's reference writes it.
    public let rawValue: String

    /// Makes an error of its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The library failed.
    public static let internalError: OriginalError = "Internal Error"
    /// `PROVIDER_NOT_SELECTED_ERROR`: the user cancelled.
    public static let providerNotSelected: OriginalError = "Provider not Selected Error"
    /// The provider, or any at all, cannot be used.
    public static let providerNotAvailable: OriginalError = "Provider not Available Error"
    /// `GENERIC_AUTHENTICATION_ERROR`: the authentication failed for a reason that is not told.
    public static let genericAuthentication: OriginalError = "Generic Authentication Error"
    /// The operator's servers failed in an authentication.
    public static let internalAuthentication: OriginalError = "Internal Authentication Error"
    /// `USER_NOT_AUTHENTICATED_ERROR`: the user is not signed in.
    public static let userNotAuthenticated: OriginalError = "User Not Authenticated Error"
    /// `GENERIC_AUTHORIZATION_ERROR`: the authorization failed for a reason that is not told.
    public static let genericAuthorization: OriginalError = "Generic Authorization Error"
    /// The operator's servers failed in an authorization.
    public static let internalAuthorization: OriginalError = "Internal Authorization Error"
    /// `USER_NOT_AUTHORIZED_ERROR`: the user may not watch.
    public static let userNotAuthorized: OriginalError = "User not Authorized Error"

    /// The errors that the operator documents.
    public static let documented: [OriginalError] = [
        .internalError, .providerNotSelected, .providerNotAvailable, .genericAuthentication, .internalAuthentication,
        .userNotAuthenticated, .genericAuthorization, .internalAuthorization, .userNotAuthorized,
    ]
}

extension EnhancedErrorCode {
    /// What the operator's library said of this error of the broker.
    ///
    /// - Parameter call: The library's call.
    /// - Returns: Its errors; `nil` if the code is not one of the documented ones.
    public func legacy(in call: LegacyCall) -> LegacyError? { meaning.map { LegacyMeaning($0).error(in: call) } }
}

extension EnhancedError {
    /// What the operator's library said of this error of the broker.
    ///
    /// A code that is not known counts by the error's action, and without one by its HTTP status.
    ///
    /// - Parameters:
    ///   - call: The library's call.
    ///   - answer: The HTTP status of the answer; that of the error object counts if it is `nil`.
    /// - Returns: Its errors.
    public func legacy(in call: LegacyCall, answeredWith answer: Int? = nil) -> LegacyError {
        let status = answer ?? self.status
        if status == 429 { return call.throttled }
        if call == .setRequestor, let status, status >= 500 {
            return LegacyError(nil, .configurationFailed(status: status))
        }
        let meaning = code?.meaning.map(LegacyMeaning.init) ?? .guessed(from: action, status: status)
        switch meaning {
        case .code, .ownFailure, .serverFailure: return meaning?.error(in: call) ?? call.generic
        default: break
        }
        // The configuration is refused for a reason that a library without user and resource could not meet.
        if call == .setRequestor { return LegacyError(nil, .requestorNotValid) }
        return meaning?.error(in: call) ?? call.generic
    }
}

extension BrokerError {
    /// What the operator's library said of this failure.
    func legacy(in call: LegacyCall) -> LegacyError {
        switch self {
        case .request, .unsafeAddress: call.ownFailure
        case .transport(let failure): failure.legacy(in: call)
        case .throttled, .pollSkipped: call.throttled
        case .refused(let error, let status): error.legacy(in: call, answeredWith: status)
        case .registration(let refusal): call.failing(with: refusal.legacyCode)
        case .borrowedTokenRefused: call.failing(with: .noAccessToken)
        case .unavailable(let status, _): call.unanswered(status: status)
        case .unreadable(let answer): call.unanswered(status: answer.status)
        case .store: call.ownFailure
        case .cancelled: LegacyError(nil, nil)
        }
    }
}

extension TransportFailure {
    fileprivate func legacy(in call: LegacyCall) -> LegacyError {
        switch reason {
        case .tls: call.failing(with: .connectionNotTrusted)
        case .connecting: call.failing(with: .serverNotFound)
        case .request: call.ownFailure
        case .cancelled: LegacyError(nil, nil)
        default:
            call == .setRequestor
                ? LegacyError(nil, .serverNotFound) : LegacyMeaning.providerNotReached.error(in: call)
        }
    }
}

extension RegistrationRefusal {
    /// `R400` if the application cannot be registered, `R401` if it gets no access token.
    fileprivate var legacyCode: StatusCode {
        step == .registration || decision == .replaceStatement ? .notRegistered : .noAccessToken
    }
}

extension LegacyCall {
    /// What the operator's library said of an answer that is not the broker's, or not one to this call.
    fileprivate func unanswered(status: Int) -> LegacyError {
        if status == 429 { return throttled }
        guard self == .setRequestor else { return serverFailure }
        return LegacyError(nil, .configurationFailed(status: status))
    }
}
#endif
