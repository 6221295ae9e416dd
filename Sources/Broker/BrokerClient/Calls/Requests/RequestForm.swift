#if Client
import BrokerMessages
import TextCodecs

/// What a request holds besides its header fields.
package struct RequestForm: Sendable {
    /// The segments of the path that the endpoint leaves open.
    let path: [BrokerEndpoint.Parameter: String]
    /// Names and values of the query, in order.
    let query: [(name: String, value: String)]
    /// The body; empty for none.
    let body: [UInt8]
    /// The media type of the body; `nil` if there is none.
    let mediaType: String?

    /// Describes a request without body.
    package init(path: [BrokerEndpoint.Parameter: String] = [:], query: [(name: String, value: String)] = []) {
        (self.path, self.query) = (path, query)
        (body, mediaType) = ([], nil)
    }

    /// Describes a request with a body.
    init<Body: BrokerRequest>(path: [BrokerEndpoint.Parameter: String] = [:], body: Body) {
        (self.path, query) = (path, [])
        (self.body, mediaType) = (body.encoded(), Body.mediaType)
    }

    /// Longer than most, so that a path is made in one piece of memory.
    private static let usualPathLength = 64

    /// Makes the path of the request, and the query after a `?`.
    ///
    /// Each value becomes one segment, whatever characters it has: all but unreserved characters are percent-encoded
    /// (RFC 3986 §2.1), so a slash, a `?` or a `#` in an identifier does not change which endpoint is asked.
    ///
    /// Throws `.badIdentifier` if a value is missing, empty, `.` or `..`.
    package func target(at endpoint: BrokerEndpoint) throws(RequestFault) -> String {
        var target = ""
        target.reserveCapacity(Self.usualPathLength)
        for segment in endpoint.segments {
            target += "/"
            switch segment {
            case .fixed(let text): target += text
            case .open(let parameter):
                guard let text = Percent.encode(pathSegment: path[parameter] ?? "") else {
                    throw .badIdentifier(name: parameter.rawValue)
                }
                target += text
            }
        }
        guard !query.isEmpty else { return target }
        return target + "?"
            + query.map { "\(Percent.encode($0.name.utf8))=\(Percent.encode($0.value.utf8))" }.joined(separator: "&")
    }
}
#endif
