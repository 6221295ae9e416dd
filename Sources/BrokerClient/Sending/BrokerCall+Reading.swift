#if Client
import BrokerMessages
import ServiceResponses
import TextCodecs

extension BrokerCall {
    /// Reads an answer of any status.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: What the call asked for.
    /// - Throws: `BrokerError` if the status is not one of success, or the body is not what the endpoint answers with.
    func value(of answer: HTTPAnswer) throws(BrokerError) -> Answer {
        guard endpoint.rule.successes.contains(answer.head.status.code) else { throw endpoint.refusal(of: answer) }
        return try read(answer)
    }
}

extension HTTPAnswer {
    /// Reads the body of a status of success.
    ///
    /// A body that is the broker's error object instead is thrown as such, whatever the status says.
    ///
    /// - Parameter type: What the body should be.
    /// - Returns: The body.
    /// - Throws: `BrokerError.unreadable`, `.refused` or `.registration`.
    func decoded<Body: ServiceResponse>(as type: Body.Type = Body.self) throws(BrokerError) -> Body {
        guard isJSON else { throw .unreadable(UnreadableAnswer(self)) }
        do throws(ServiceResponseError) {
            return try Body(parsing: body)
        } catch {
            if case .refused(let refusal) = error { throw BrokerError(refusal, status: head.status.code) }
            // Without a status it may be another object with a member `code`, such as a session.
            if let refusal = enhancedError, refusal.status != nil {
                throw BrokerError(refusal, status: head.status.code)
            }
            throw .unreadable(UnreadableAnswer(self, fault: error))
        }
    }

    /// The broker's error object: the whole body, or its member `error`; `nil` if the body is something else.
    var enhancedError: EnhancedError? {
        guard isJSON || head.headerFields[.contentType] == nil else { return nil }
        if let error = try? EnhancedError(parsing: body) { return error }
        return body.withSpan { text in
            guard let members = try? JSONReader.members(of: text, in: 0..<text.count),
                let inner = members[Array("error".utf8)], inner.kind == .object
            else { return nil }
            return try? EnhancedError(parsing: text.extracting(inner.range))
        }
    }
}

extension BrokerEndpoint {
    /// The error that an answer of another status than those of success means.
    ///
    /// - Parameter answer: The answer.
    func refusal(of answer: HTTPAnswer) -> BrokerError {
        let status = answer.head.status.code
        if rule.isRegistration, let refusal = RegistrationRefusal(by: answer, of: self) { return .registration(refusal) }
        let error = answer.enhancedError
        // The access token was new, so it is the credentials that the broker does not accept any more.
        if status == 401 { return .registration(RegistrationRefusal(ofCallWith: error, status: status)) }
        guard let error else { return .unreadable(UnreadableAnswer(answer)) }
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
#endif
