#if Client
import HTTPTypes

/// What the broker's reference says of one endpoint: how it is called, and which header fields it takes.
struct EndpointRule: Sendable {
    /// The host that answers an endpoint.
    enum Host: Sendable {
        case api
        case management
    }

    /// A segment of a path.
    enum Segment: Sendable {
        /// One that is the same in all requests, after its slash.
        case fixed(String)
        /// One that a request fills in.
        case open(PathParameter)
    }

    /// The request's method.
    let method: HTTPRequest.Method
    /// The path, with `{name}` for each segment that a request fills in.
    ///
    /// It holds nothing of a request, so metrics and spans may show it.
    let path: String
    /// The segments of the path, in order.
    let segments: [Segment]
    /// The statuses of success; both if two documents differ.
    let successes: [Int]
    /// Fields without which nothing is sent.
    let required: [RequestField]
    /// Fields that are sent if their values are known.
    let optional: [RequestField]
    /// The host that answers.
    let host: Host

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        successes: [Int] = [200],
        required: [RequestField],
        optional: [RequestField],
        host: Host = .api
    ) {
        (self.method, self.path, self.successes) = (method, path, successes)
        (self.required, self.optional, self.host) = (required, optional, host)
        isVersion2 = path.hasPrefix("/api/v2/") && required.contains(.authorization)
        isRegistration = path.hasPrefix("/o/client/")
        segments = path.split(separator: "/").map { part in
            let name = part.first == "{" ? PathParameter(rawValue: String(part.dropFirst().dropLast())) : nil
            return name.map { .open($0) } ?? .fixed("/\(part)")
        }
    }

    /// Whether the endpoint belongs to version 2 of the API proper: not registration, resets, or what browsers call.
    let isVersion2: Bool

    /// Whether the endpoint registers an application or brings its tokens.
    let isRegistration: Bool
}
#endif
