#if Client
import BrokerMessages
import HTTPTypes
public import ServiceResponses

/// The broker does not accept the application's registration.
///
/// Nothing is registered anew by itself, since all logins of the device end with its credentials.
public struct RegistrationRefusal: Sendable, Hashable {
    /// What the broker refused.
    @nonexhaustive
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The registration of the software statement.
        case registration = "register"
        /// The request for an access token.
        case accessToken = "token"
        /// A call with a new access token.
        case call
    }

    /// What the application or its operator has to do.
    @nonexhaustive
    public enum Decision: String, Sendable, Hashable, CaseIterable {
        /// Decide whether to give up the device's credentials, and with them all logins of the device: forget them, and
        /// the next call registers anew.
        case registerAnew = "registration_ended"
        /// Get a new software statement from the broker's operator.
        case replaceStatement = "statement_refused"
        /// Correct the redirect URI of the registration.
        case correctRedirectURI = "redirect_uri_refused"
        /// Let the operator permit the application to use the API.
        case askForPermission = "client_not_permitted"
        /// Report a defect: the broker does not understand the request.
        case reportDefect = "registration_request_refused"
    }

    /// What the broker refused.
    public let step: Step
    /// What the application or its operator has to do.
    public let decision: Decision
    /// The HTTP status.
    public let status: Int
    /// The broker's name of the reason: an error code of RFC 7591 §3.2.2 or RFC 6749 §5.2, or a code of an
    /// `EnhancedError`; `nil` if it gave none.
    public let reason: String?
    /// The broker's error object, if that is what it sent.
    public let enhancedError: EnhancedError?
    /// The identifier of the credentials that were refused; `nil` if it was a registration.
    ///
    /// No description shows it.
    public internal(set) var clientID: String?
    /// Whether it was the statement for resets of temporary access, or what was registered with it, instead of the
    /// application's.
    package internal(set) var isOfResets: Bool

    /// Describes a refusal, for tests of what an application does about it.
    ///
    /// - Parameters:
    ///   - step: What the broker refused.
    ///   - decision: What the application or its operator has to do.
    ///   - status: The HTTP status.
    ///   - reason: The broker's name of the reason.
    ///   - enhancedError: The broker's error object.
    ///   - clientID: The identifier of the credentials that were refused.
    public init(
        step: Step,
        decision: Decision,
        status: Int,
        reason: String? = nil,
        enhancedError: EnhancedError? = nil,
        clientID: String? = nil
    ) {
        (self.step, self.decision, self.status) = (step, decision, status)
        (self.reason, self.enhancedError, self.clientID) = (reason, enhancedError, clientID)
        // A call asks for another statement only if it is a reset.
        isOfResets = step == .call && decision == .replaceStatement
    }
}

extension RegistrationRefusal {
    /// Reads what registration or the token endpoint answered without success; `nil` if it is not a refusal in their
    /// form.
    ///
    /// A server error (5xx) says nothing of the registration, whatever its body says. With another status than 400, a
    /// code that is not documented is that of a server in front of the broker: `{"error": "unauthorized"}`.
    init?(by answer: HTTPAnswer, of endpoint: BrokerEndpoint) {
        let status = answer.head.status.code
        guard (400..<500).contains(status) else { return nil }
        let step: Step = endpoint == .register ? .registration : .accessToken
        guard answer.isJSON, let code = (try? RegistrationError(parsing: answer.errorBody))?.error,
            status == 400 || RegistrationErrorCode.documented.contains(code)
        else { return nil }
        self.init(
            step: step, decision: Decision(after: code, in: step), status: status, reason: code.rawValue,
            enhancedError: nil)
    }
}

extension BrokerError {
    /// The same error; if it is that of a registration, with the credentials that were refused.
    func refusing(_ credentials: ClientCredentials) -> BrokerError {
        guard case .registration(var refusal) = self else { return self }
        refusal.clientID = credentials.clientID
        return .registration(refusal)
    }
}

extension RegistrationRefusal {
    /// Whether the brand is not one of the application's: so it is for all of its devices.
    package var isOfBrand: Bool { enhancedError?.code?.meaning == .otherBrand }
}

extension RegistrationRefusal.Decision {
    /// What an error code of RFC 7591 §3.2.2 or RFC 6749 §5.2 asks for.
    fileprivate init(after code: RegistrationErrorCode, in step: RegistrationRefusal.Step) {
        self =
            switch code {
            case .invalidClient where step == .accessToken: .registerAnew
            case .invalidSoftwareStatement, .unapprovedSoftwareStatement, .invalidScope: .replaceStatement
            case .invalidRedirectURI: .correctRedirectURI
            case .unauthorizedClient: .askForPermission
            default: .reportDefect
            }
    }
}
#endif
