#if Client
import BrokerMessages
import EntitlementValues
import TextCodecs

/// One of the broker's endpoints, with what a request fills in of its path.
struct Route: Sendable, Hashable {
    let endpoint: BrokerEndpoint
    private let values: [BrokerEndpoint.Parameter: String]

    /// What a request fills in; empty if the endpoint's path has no such segment.
    subscript(parameter: BrokerEndpoint.Parameter) -> String { values[parameter] ?? "" }

    /// The brand in the path; `nil` if the path has none.
    var requestor: RequestorID? { values[.requestor].map { RequestorID($0) } }

    /// The provider in the path; `nil` if the path has none.
    var mvpd: MVPDID? { values[.mvpd].map { MVPDID($0) } }

    /// Whether requests for a path count for the limit of requests, also if there is no such path.
    ///
    /// The broker's proxy counts before anything is looked at: all of version 2, and client registration.
    static func isLimited(path: Substring) -> Bool {
        path.hasPrefix("/api/v2/") || path.hasPrefix("/o/client/")
    }

    // MARK: Finding

    /// What a method and a path lead to.
    enum Match: Sendable, Hashable {
        case route(Route)
        /// There is such a path, but not for this method; it takes others, and `OPTIONS`.
        case wrongMethod(allowed: [String], BrokerEndpoint.Family)
        case unknown
    }

    /// Finds the endpoint of a request, or why there is none.
    ///
    /// The method is in upper case.
    static func find(_ method: String, _ segments: [String]) -> Match {
        let routes = BrokerEndpoint.allCases.compactMap { Route($0, segments) }
        // `authenticate` is not taken for a brand: the path with more fixed segments before the first open one is meant.
        let start = routes.map(\.endpoint.fixedStart).max()
        let endpoints = routes.filter { $0.endpoint.fixedStart == start }
        guard let first = endpoints.first else { return .unknown }
        let found = endpoints.first { $0.endpoint.method.rawValue == method }
        return found.map { .route($0) }
            ?? .wrongMethod(
                allowed: (endpoints.map(\.endpoint.method.rawValue) + ["OPTIONS"]).sorted(), first.endpoint.family)
    }

    private init?(_ endpoint: BrokerEndpoint, _ segments: [String]) {
        guard segments.count == endpoint.segments.count else { return nil }
        var values: [BrokerEndpoint.Parameter: String] = [:]
        for (expected, segment) in zip(endpoint.segments, segments) {
            switch expected {
            case .fixed(let text): if text != segment { return nil }
            case .open(let parameter): values[parameter] = segment
            }
        }
        (self.endpoint, self.values) = (endpoint, values)
    }

    /// Takes a path without a query apart, and decodes its segments; `nil` if one of them is empty or cannot be
    /// decoded.
    ///
    /// A slash at its end is ignored, as the broker does.
    static func segments(of path: String) -> [String]? {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let bytes = Percent.decode(Array(part)), let text = bytes.withSpan({ String(validating: $0) }) else {
                return nil
            }
            segments.append(text)
        }
        if segments.last == "" { segments.removeLast() }
        return segments.contains("") ? nil : segments
    }
}

extension BrokerEndpoint {
    /// The number of segments before the first one that a request fills in.
    fileprivate var fixedStart: Int {
        segments.prefix { if case .fixed = $0 { true } else { false } }.count
    }
}
#endif
