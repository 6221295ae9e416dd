#if Client
import HTTPTypes

/// What the broker's reference says of one endpoint: how it is called, and which header fields it takes.
struct EndpointRule: Sendable {
    /// The host that answers an endpoint.
    enum Host: Sendable {
        case api
        case management
    }

    /// The request's method.
    let method: HTTPRequest.Method
    /// The path, with `{name}` for each segment that a request fills in.
    ///
    /// It holds nothing of a request, so metrics and spans may show it.
    let path: String
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
    }

    /// Whether the endpoint belongs to version 2 of the API proper: not registration, resets, or what browsers call.
    var isVersion2: Bool { path.hasPrefix("/api/v2/") && required.contains(.authorization) }

    /// Whether the endpoint registers an application or brings its tokens.
    var isRegistration: Bool { path.hasPrefix("/o/client/") }
}
#endif
