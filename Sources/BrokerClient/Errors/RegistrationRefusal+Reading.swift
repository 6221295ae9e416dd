#if Client
import BrokerMessages
import HTTPTypes
import ServiceResponses

extension RegistrationRefusal {
    /// Reads what registration or the token endpoint answered; `nil` if it is not a refusal in their form.
    ///
    /// A server error (5xx) says nothing of the registration, whatever its body says.
    ///
    /// - Parameters:
    ///   - answer: The answer, which is not one of success.
    ///   - endpoint: Registration, or the token endpoint.
    init?(by answer: HTTPAnswer, of endpoint: BrokerEndpoint) {
        let status = answer.head.status.code
        guard (400..<500).contains(status) else { return nil }
        let step: Step = endpoint == .register ? .registration : .accessToken
        let code = answer.isJSON ? (try? RegistrationError(parsing: answer.body))?.error : nil
        if let code {
            self.init(
                step: step, decision: Decision(after: code, in: step), status: status, reason: code.rawValue,
                enhancedError: nil)
            return
        }
        // RFC 6749 §5.2: this status means that the client is not known, whatever the body is.
        guard step == .accessToken, status == 401 else { return nil }
        let error = answer.enhancedError
        self.init(
            step: step, decision: .registerAnew, status: status, reason: error?.code?.rawValue, enhancedError: error)
    }

    /// Describes the refusal of a call with a new access token.
    ///
    /// - Parameters:
    ///   - error: The broker's error object; `nil` if it sent none.
    ///   - status: The HTTP status.
    init(ofCallWith error: EnhancedError?, status: Int) {
        self.init(
            step: .call, decision: .registerAnew, status: status, reason: error?.code?.rawValue, enhancedError: error)
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
