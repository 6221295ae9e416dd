#if Client
import TextCodecs

/// A segment of a path that a request fills in.
enum PathParameter: String, Sendable, Hashable {
    case requestor
    case mvpd
    case code
    case partner
}

extension BrokerEndpoint {
    /// Makes the path of a request.
    ///
    /// Each value becomes one segment, whatever characters it has: all but unreserved characters are percent-encoded
    /// (RFC 3986 §2.1), so a slash, a `?` or a `#` in an identifier does not change which endpoint is asked.
    ///
    /// - Parameters:
    ///   - values: The value of each segment that the endpoint's path leaves open.
    ///   - query: Names and values of the query, in order; none for no query.
    /// - Returns: The path, and the query after a `?`.
    /// - Throws: `RequestFault.badIdentifier` if a value is missing, empty, `.` or `..`.
    func path(
        with values: [PathParameter: String],
        query: [(name: String, value: String)] = []
    ) throws(RequestFault) -> String {
        var path = ""
        path.reserveCapacity(Self.usualPathLength)
        for segment in rule.segments {
            switch segment {
            case .fixed(let text): path += text
            case .open(let parameter):
                guard let text = Percent.encode(pathSegment: values[parameter] ?? "") else {
                    throw .badIdentifier(name: parameter.rawValue)
                }
                path += "/"
                path += text
            }
        }
        guard !query.isEmpty else { return path }
        return path + "?"
            + query.map { "\(Percent.encode($0.name.utf8))=\(Percent.encode($0.value.utf8))" }.joined(separator: "&")
    }

    /// Longer than most, so that a path is made in one piece of memory.
    private static let usualPathLength = 64
}
#endif
