#if Client
import BrokerMessages
package import HTTPTypes

/// One call of the broker: what is sent, and how the answer is read.
package struct BrokerCall<Answer: Sendable>: Sendable {
    /// The endpoint, by whose name metrics, spans and logs know the call.
    package let endpoint: BrokerEndpoint
    /// The request with all of its header fields but `Authorization`.
    package let request: HTTPRequest
    /// The body; empty for none.
    let body: [UInt8]
    /// When the call may be repeated.
    let repetition: BrokerEndpoint.Repetition
    /// Reads an answer of one of the endpoint's statuses of success.
    package let read: @Sendable (HTTPAnswer) throws(BrokerError) -> Answer

    /// Describes a call.
    ///
    /// The request has all of its header fields but `Authorization`. `repetition` says when it may be repeated; as the
    /// endpoint says if it is not given. `read` reads an answer of one of the endpoint's statuses of success.
    package init(
        _ endpoint: BrokerEndpoint,
        _ request: HTTPRequest,
        body: [UInt8] = [],
        repetition: BrokerEndpoint.Repetition? = nil,
        read: @escaping @Sendable (HTTPAnswer) throws(BrokerError) -> Answer
    ) {
        (self.endpoint, self.request, self.body) = (endpoint, request, body)
        (self.repetition, self.read) = (repetition ?? endpoint.repetition, read)
    }
}
#endif
