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
            throw BrokerError(error, status: status)
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
        let error = answer.enhancedError
        // The access token was new, so it is the credentials that the broker does not accept any more.
        if status == 401 { return .registration(RegistrationRefusal(ofCallWith: error, status: status)) }
        // A session has a `code`, too, which must not be taken for that of an error, and shown.
        guard let error, status >= 400 || error.status != nil else { return .unreadable(UnreadableAnswer(answer)) }
        return BrokerError(error, status: status)
    }
}

extension BrokerError {
    /// The error that the broker's error object means.
    ///
    /// - Parameters:
    ///   - error: The error object.
    ///   - status: The HTTP status.
    init(_ error: EnhancedError, status: Int) {
        self =
            error.action == .applicationRegistration
            ? .registration(RegistrationRefusal(ofCallWith: error, status: status)) : .refused(error, status: status)
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
