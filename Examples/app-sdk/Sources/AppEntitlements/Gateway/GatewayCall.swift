/// A request that the gateway takes from apps.
public struct GatewayCall: Sendable, Hashable {
    /// The methods that the gateway takes.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    /// The path, without a query.
    let path: String
    /// The names and values of the query, in their order.
    var query: [[String]] = []
    /// The members of the body; `nil` for none.
    var body: [String: JSONValue]?
    /// For how long the gateway may hold the request back, in seconds: a long poll.
    var wait = 0

    init(_ method: Method, _ path: String, _ body: [String: JSONValue?]? = nil) {
        (self.method, self.path) = (method, path)
        self.body = body.map { $0.compactMapValues(\.self) } ?? (method == .get ? nil : [:])
    }

    /// Whether to ask twice does the same as to ask once.
    ///
    /// A one-time code is not good a second time, and a play that got lost has begun.
    var isRepeatable: Bool { method == .get || method == .patch || method == .delete }

    /// Whether it is about playback sessions alone, whose paths know no events.
    var knowsEvents: Bool { !path.hasPrefix("/v1/playback-sessions") }
}

extension GatewayCall: CustomStringConvertible, CustomReflectable {
    /// The method and the path.
    public var description: String { "\(method.rawValue) \(path)" }

    /// A mirror of the path.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}
