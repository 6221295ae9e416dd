#if Client
import HTTPTypes
import ServiceResponses

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
