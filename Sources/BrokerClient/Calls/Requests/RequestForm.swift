#if Client
import BrokerMessages

/// What a request holds besides its header fields.
struct RequestForm: Sendable {
    /// The segments of the path that the endpoint leaves open.
    let path: [PathParameter: String]
    /// Names and values of the query, in order.
    let query: [(name: String, value: String)]
    /// The body; empty for none.
    let body: [UInt8]
    /// The media type of the body; `nil` if there is none.
    let mediaType: String?

    /// Describes a request without body.
    init(path: [PathParameter: String] = [:], query: [(name: String, value: String)] = []) {
        (self.path, self.query) = (path, query)
        (body, mediaType) = ([], nil)
    }

    /// Describes a request with a body.
    init<Body: BrokerRequest>(path: [PathParameter: String] = [:], body: Body) {
        (self.path, query) = (path, [])
        (self.body, mediaType) = (body.encoded(), Body.mediaType)
    }
}
#endif
