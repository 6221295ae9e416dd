#if Client

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
#endif
