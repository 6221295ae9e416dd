#if Client
import BrokerMessages
import HTTPTypes
import ServiceResponses

extension RegistrationRefusal {
    /// Reads what registration or the token endpoint answered; `nil` if it is not a refusal in their form.
    ///
    /// A server error (5xx) says nothing of the registration, whatever its body says. With another status than 400, a code
    /// that is not documented is that of a server in front of the broker: `{"error": "unauthorized"}`.
    ///
    /// - Parameters:
    ///   - answer: The answer, which is not one of success.
    ///   - endpoint: Registration, or the token endpoint.
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
