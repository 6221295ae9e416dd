#if Service
package import HTTPTypes
import ServiceResponses

/// A kind of failure that apps are told of: its status, what an app should do, and how soon it may try again.
///
/// All failures of the flows, of the broker and of playback sessions belong to one of these. This file says which one for
/// the broker's codes, and `FailureKind+Causes.swift` for the rest. ``answer`` is the table.
package enum FailureKind: Sendable, Hashable, CaseIterable {
    // MARK: The user

    /// The user is not signed in, or not anymore.
    case notSignedIn
    /// The provider, or a rule in its place, does not let the user watch.
    case denied
    /// Temporary access is used up.
    case usedUp
    /// The subscriber plays as many streams as are allowed.
    case tooManyStreams
    /// The provider is not one of the app's.
    case unknownProvider
    /// Promotional access needs an identity of the user.
    case identityNeeded
    /// The code or the session of a sign-in has ended.
    case signInEnded
    /// The device's sign-on partner does not vouch for the user.
    case partnerRefused
    /// The broker does not know the device's credentials anymore, and its logins have ended with them.
    case registrationEnded
    /// The broker does not take the access token that the app has lent.
    case lentTokenRefused

    // MARK: The moment

    /// A later call took the place of this one.
    case superseded
    /// The media token was used before: two plays of one second may get the same one.
    case usedBefore
    /// The broker takes no more requests from this client address at present.
    case throttled
    /// The broker did not answer in time.
    case slow
    /// The broker cannot be reached.
    case down
    /// The broker failed, or sent what cannot be used.
    case failed
    /// The broker could not ask the provider.
    case providerDown
    /// A store of this service does not answer.
    case storeAway
    /// Others changed the device's record, or this process is about to go.
    case busy

    // MARK: Programs

    /// The request itself is wrong.
    case badRequest
    /// The operator has to act: the broker does not accept the application or its configuration.
    case refusedApplication
    /// What the session or a grant would have to say cannot be written.
    case unsuitableSession
    /// This service failed.
    case internalFailure

    /// How a failure of a kind is answered.
    package struct Answer: Sendable, Hashable {
        /// The status of the response.
        package let status: HTTPResponse.Status
        /// What the app should do.
        package let action: GatewayAction
        /// After how many seconds an app may try again, unless the broker said it; `nil` if it need not try.
        package var retryAfter: Int64?
    }

    /// How the kind is answered.
    package var answer: Answer {
        switch self {
        case .notSignedIn: Answer(status: .unauthorized, action: .signIn)
        case .denied: Answer(status: .forbidden, action: .showMessage)
        case .usedUp: Answer(status: .forbidden, action: .chooseProvider)
        case .tooManyStreams: Answer(status: .conflict, action: .showMessage)
        case .unknownProvider: Answer(status: .conflict, action: .chooseProvider)
        case .identityNeeded: Answer(status: .conflict, action: .signIn)
        case .signInEnded: Answer(status: .gone, action: .signIn)
        case .partnerRefused: Answer(status: .forbidden, action: .signIn)
        case .registrationEnded: Answer(status: .unauthorized, action: .signIn)
        case .lentTokenRefused: Answer(status: .unauthorized, action: .renewToken)
        case .superseded: Answer(status: .conflict, action: .retry, retryAfter: 1)
        case .usedBefore: Answer(status: .conflict, action: .retry, retryAfter: 1)
        case .throttled: Answer(status: .tooManyRequests, action: .retry, retryAfter: 2)
        case .slow: Answer(status: .gatewayTimeout, action: .retry, retryAfter: 5)
        case .down: Answer(status: .serviceUnavailable, action: .retry, retryAfter: 10)
        case .failed: Answer(status: .badGateway, action: .retry, retryAfter: 10)
        case .providerDown: Answer(status: .serviceUnavailable, action: .retry, retryAfter: 5)
        case .storeAway: Answer(status: .serviceUnavailable, action: .retry, retryAfter: 5)
        case .busy: Answer(status: .serviceUnavailable, action: .retry, retryAfter: 1)
        case .badRequest: Answer(status: .badRequest, action: .none)
        case .refusedApplication: Answer(status: .badGateway, action: .none)
        case .unsuitableSession: Answer(status: .serviceUnavailable, action: .none)
        case .internalFailure: Answer(status: .internalServerError, action: .none)
        }
    }
}

/// What an app does about an answer that is not the one it asked for.
package enum GatewayAction: String, Sendable, CaseIterable {
    /// Ask again, later: after `Retry-After` if the answer has it.
    case retry
    /// Let the user sign in: `POST /v1/authentication`, or a new device if the token is not good any more.
    case signIn = "sign_in"
    /// Get a new access token from the broker, which the app has lent, and ask again.
    case renewToken = "renew_token"
    /// Let the user choose a provider.
    case chooseProvider = "choose_provider"
    /// Show the message of the provider, or a text of the app's own.
    case showMessage = "show_message"
    /// Nothing: the request itself is at fault, or asking again changes nothing.
    case none
}

// The broker's codes.

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
