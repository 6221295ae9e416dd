#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses

extension BrokerCall {
    /// Reads an answer of any status.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - now: The time of day, for a date in `Retry-After`.
    /// - Returns: What the call asked for.
    /// - Throws: `BrokerError` if the status is not one of success, or the body is not what the endpoint answers with.
    func value(of answer: HTTPAnswer, at now: Timestamp) throws(BrokerError) -> Answer {
        guard endpoint.successes.contains(answer.head.status.code) else {
            throw endpoint.refusal(of: answer, at: now)
        }
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
    /// - Parameters:
    ///   - answer: The answer.
    ///   - now: The time of day, for a date in `Retry-After`.
    /// - Returns: The error.
    func refusal(of answer: HTTPAnswer, at now: Timestamp) -> BrokerError {
        let status = answer.head.status.code
        if family == .registration, let refusal = RegistrationRefusal(by: answer, of: self) {
            return .registration(refusal)
        }
        let object = Result { () throws(ServiceResponseError) in try answer.readEnhancedError() }
        // A session has a `code`, too, which must not be taken for that of an error, and shown. A 401 without a code is
        // that of a server in front of the broker, which knows nothing of the registration.
        if case .success(let error?) = object, status >= 400 || error.status != nil,
            status != 401 || error.code != nil
        {
            return refusal(error, status: status)
        }
        if [408, 502, 503, 504].contains(status) {
            return .unavailable(status: status, retryAfter: answer.retryAfter(at: now))
        }
        let fault: ServiceResponseError? = if case .failure(let fault) = object { fault } else { nil }
        return .unreadable(UnreadableAnswer(answer, fault: fault))
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
        // Before registration there are no credentials.
        self != .register && (error.saysThatRegistrationEnded || family == .reset && status == 403)
    }
}

extension EnhancedError {
    /// Whether the error's action or, in older bodies, its code alone says that the application has to register anew.
    fileprivate var saysThatRegistrationEnded: Bool {
        action == .applicationRegistration || code == .invalidAccessTokenClientApplication
            || code == .invalidAccessTokenServiceProvider
    }
}

extension ServiceResponse {
    /// Reads the body of an answer of success.
    ///
    /// The broker may answer 200 with its error object; that is an error here, too.
    ///
    /// - Parameter answer: The answer.
    /// - Throws: `BrokerError.refused` or `.unreadable`.
    init(reading answer: HTTPAnswer) throws(BrokerError) {
        guard answer.isJSON else { throw .unreadable(UnreadableAnswer(answer)) }
        do throws(ServiceResponseError) {
            self = try Self(parsing: answer.body)
        } catch {
            if case .refused(let refusal) = error { throw .refused(refusal, status: answer.head.status.code) }
            // An answer of another shape may be an error object, too; without a status it may be anything with a `code`.
            if let refusal = answer.enhancedError, refusal.status != nil {
                throw .refused(refusal, status: answer.head.status.code)
            }
            throw .unreadable(UnreadableAnswer(answer, fault: error))
        }
    }
}
#endif
