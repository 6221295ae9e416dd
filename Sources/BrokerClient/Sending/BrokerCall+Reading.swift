#if Client
import HTTPTypes
import ServiceResponses

extension BrokerCall {
    /// Reads an answer of any status.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: What the call asked for.
    /// - Throws: `BrokerError` if the status is not one of success, or the body is not what the endpoint answers with.
    func value(of answer: HTTPAnswer) throws(BrokerError) -> Answer {
        guard endpoint.rule.successes.contains(answer.head.status.code) else { throw endpoint.refusal(of: answer) }
        do throws(BrokerError) {
            return try read(answer)
        } catch .refused(let error, let status) {
            throw endpoint.refusal(error, status: status)
        }
    }
}

extension BrokerEndpoint {
    /// The error that an answer of another status than those of success means.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: The error.
    func refusal(of answer: HTTPAnswer) -> BrokerError {
        let status = answer.head.status.code
        if rule.isRegistration, let refusal = RegistrationRefusal(by: answer, of: self) {
            return .registration(refusal)
        }
        // A session has a `code`, too, which must not be taken for that of an error, and shown. A 401 without a code is
        // that of a server in front of the broker, which knows nothing of the registration.
        guard let error = answer.enhancedError, status >= 400 || error.status != nil,
            status != 401 || error.code != nil
        else { return .unreadable(UnreadableAnswer(answer)) }
        return refusal(error, status: status)
    }

    /// The error that the broker's error object means.
    ///
    /// - Parameters:
    ///   - error: The error object.
    ///   - status: The HTTP status.
    /// - Returns: The error.
    func refusal(_ error: EnhancedError, status: Int) -> BrokerError {
        guard endsRegistration(error, status: status) else { return .refused(error, status: status) }
        return .registration(
            RegistrationRefusal(
                step: self == .token ? .accessToken : .call, decision: .registerAnew, status: status,
                reason: error.code?.rawValue, enhancedError: error))
    }

    /// Whether the broker says that the device's credentials are not valid any more.
    private func endsRegistration(_ error: EnhancedError, status: Int) -> Bool {
        switch self {
        // There are no credentials yet.
        case .register: false
        case .resetTemporaryAccess, .resetPromotionalAccess: status == 403 || error.saysThatRegistrationEnded
        default: error.saysThatRegistrationEnded
        }
    }
}

extension EnhancedError {
    /// Whether the error's action or, in older bodies, its code alone says that the application has to register anew.
    fileprivate var saysThatRegistrationEnded: Bool {
        action == .applicationRegistration || code == .invalidAccessTokenClientApplication
            || code == .invalidAccessTokenServiceProvider
    }
}

extension HTTPAnswer {
    /// The broker's error object; `nil` if the body is something else.
    var enhancedError: EnhancedError? {
        // Errors that come from in front of the broker may have no content type.
        guard isJSON || head.headerFields[.contentType] == nil else { return nil }
        return try? EnhancedError(parsing: body)
    }
}
#endif
