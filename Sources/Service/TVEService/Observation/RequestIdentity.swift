#if Service
package import HTTPTypes
import Logging
import TextCodecs

/// What names a request in the logs of all who had a part in it.
package struct RequestIdentity: Sendable {
    /// The identity of the request that the current task answers.
    @TaskLocal static var current: RequestIdentity?

    /// The proxy's name of the request, or a new one.
    package let id: String
    /// The caller's trace context; `nil` if there is none, or it has not the form of W3C Trace Context.
    package let traceParent: String?
    let endpoint: Endpoint

    /// Reads the identity of a request from its header fields.
    package init(_ fields: HTTPFields, at endpoint: Endpoint) {
        var (ids, parents): ([String], [String]) = ([], [])
        for field in fields {
            if field.name == .requestID { ids.append(field.value) }
            if field.name == .traceParent { parents.append(field.value) }
        }
        // A field that occurs twice names nothing: servers would choose differently.
        id = ids.count == 1 && Self.isID(ids[0]) ? ids[0] : Self.newID()
        traceParent = parents.count == 1 && Self.isTraceParent(parents[0]) ? parents[0] : nil
        self.endpoint = endpoint
    }

    /// Too short for a media token, and with no character that a log or a terminal could take for something else.
    private static func isID(_ text: String) -> Bool {
        1...64 ~= text.utf8.count && text.utf8.allSatisfy { $0.isURLSafe || ".:/+=".utf8.contains($0) }
    }

    /// A name of which no other request has the same.
    static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = [generator.next(), generator.next()] as [UInt64]
        return Hex.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
    }

    /// Whether a text is `version-trace-parent-flags`, with neither ID all zeros.
    private static func isTraceParent(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2] else { return false }
        let digits = "0123456789abcdef".utf8
        return parts.joined().allSatisfy { digits.contains($0) } && !parts[0].elementsEqual("ff".utf8)
            && parts[1...2].allSatisfy { part in part.contains { $0 != UInt8(ascii: "0") } }
    }

    /// The identity as members of a log line; empty outside of requests.
    static let metadata = Logger.MetadataProvider {
        guard let current = RequestIdentity.current else { return [:] }
        var metadata: Logger.Metadata = [
            "request": "\(current.id)", "endpoint": "\(current.endpoint.rawValue)",
        ]
        if let parent = current.traceParent { metadata["trace"] = "\(parent.dropFirst(3).prefix(32))" }
        return metadata
    }

    /// Names the request in its response.
    package func mark(_ fields: inout HTTPFields) {
        fields[.requestID] = id
        if let traceParent { fields[.traceParent] = traceParent }
    }
}

extension Logger {
    /// The same logger, whose lines also have what a provider says of the current task.
    func naming(_ provider: MetadataProvider) -> Logger {
        var logger = self
        let providers = [handler.metadataProvider, provider].compactMap(\.self)
        logger.handler.metadataProvider = MetadataProvider.multiplex(providers)
        return logger
    }
}

extension HTTPField.Name {
    package static let requestID = HTTPField.Name(known: "X-Request-ID")
    package static let traceParent = HTTPField.Name(known: "traceparent")
}
#endif
