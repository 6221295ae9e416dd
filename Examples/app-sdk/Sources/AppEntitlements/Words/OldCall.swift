/// The call of the operator's library in which something failed: the same failure had other codes in other calls.
enum OldCall: Sendable, Hashable, CaseIterable {
    case setRequestor
    case authentication
    case authorization
    case preauthorization

    /// What the library said of a failure: the text of its first system and the code of its second.
    typealias Words = (original: String, code: StatusCode?)

    /// The failure for a reason that has no code of its own.
    var generic: Words {
        switch self {
        case .setRequestor: ("", .configurationFailed(500))
        case .authentication: (OriginalError.genericAuthentication, .authenticationFailed)
        case .authorization: (OriginalError.genericAuthorization, .authorizationFailed)
        case .preauthorization: ("", .preauthorizationFailed)
        }
    }

    /// A failure of the gateway or of the servers after it.
    var serverFailure: Words {
        switch self {
        case .authentication: (OriginalError.internalAuthentication, .authenticationFailed)
        case .authorization: (OriginalError.internalAuthorization, .authorizationFailed)
        default: generic
        }
    }

    /// A request that should not have been sent.
    var ownFailure: Words {
        switch self {
        case .authentication, .authorization: (OriginalError.internalError, .internalFailure)
        case .setRequestor, .preauthorization: ("", .internalFailure)
        }
    }

    /// The viewer is not signed in.
    var notAuthenticated: Words {
        switch self {
        case .authentication, .authorization: (OriginalError.userNotAuthenticated, .notAuthenticated)
        case .setRequestor, .preauthorization: ("", .notAuthenticated)
        }
    }

    /// There were too many requests.
    var throttled: Words {
        switch self {
        case .setRequestor: ("", .configurationThrottled)
        case .authorization: (OriginalError.genericAuthorization, .notAuthorized)
        case .authentication, .preauthorization: generic
        }
    }

    /// A failure with a code that is the same in each call.
    func failing(with code: StatusCode) -> Words { (generic.original, code) }

    /// A refusal that belongs to authorizations; other calls fail with their own codes.
    func denying(_ original: String, _ code: StatusCode) -> Words {
        switch self {
        case .authorization: (original, code)
        case .authentication where code == .temporaryAccessEnded: (OriginalError.genericAuthentication, code)
        default: generic
        }
    }

    /// The provider cannot be used.
    var refusingProvider: Words {
        switch self {
        case .authentication, .authorization: (OriginalError.providerNotAvailable, generic.code)
        default: generic
        }
    }
}
