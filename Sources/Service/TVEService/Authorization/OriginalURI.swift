#if Service
import PlaybackSessions
import TextCodecs

/// The path and query of the request that a proxy asks about.
struct OriginalURI {
    /// The segments of the path, percent-decoded; `nil` if servers may disagree on what the path is.
    let segments: [String]?
    /// The parameters of its query.
    let query: RequestQuery

    /// Splits a path with a query.
    ///
    /// Paths that servers read differently have no segments and so no resource; else a client could ask for one path and
    /// play another. These are:
    /// - a text with `#`: a request target has no fragment (RFC 9112, section 3.2), and some servers cut one off;
    /// - an empty segment before the last one, or one that some servers read as dots or drop (`..;x`, `..%C2%A0`, `‥`);
    /// - escaped slashes, backslashes or control characters, and broken escapes;
    /// - dots, slashes and backslashes that are escaped more than once, as some servers decode twice.
    init(_ text: Substring) {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let pathEnd = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
        query = RequestQuery(bytes[pathEnd..<end].dropFirst())
        segments = end < bytes.count ? nil : Self.segments(of: bytes[..<pathEnd])
    }

    private static func segments(of path: ArraySlice<UInt8>) -> [String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var segments: [String] = []
        segments.reserveCapacity(parts.count)
        for (index, part) in parts.enumerated() {
            if part.isEmpty, index == parts.count - 1 {
                segments.append("")
                continue
            }
            guard let segment = segment(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    private static func segment(_ part: ArraySlice<UInt8>) -> String? {
        // A slash here can only come from an escape; some servers read a backslash as a slash.
        let isAmbiguous = { (byte: UInt8) in
            byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
        }
        guard let bytes = Percent.decode(Array(part)), !bytes.isEmpty, !bytes.contains(where: isAmbiguous),
            !RequestPath.hasOtherReading(bytes), !hasEscapedSeparator(bytes), bytes.isTextWithoutNUL
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Tells whether a decoded segment still has a dot, a slash or a backslash that is escaped once or more often.
    private static func hasEscapedSeparator(_ bytes: [UInt8]) -> Bool {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            var digits = bytes[(index + 1)...]
            while digits.starts(with: "25".utf8) { digits = digits.dropFirst(2) }
            let escape = String(decoding: digits.prefix(2), as: UTF8.self).lowercased()
            if ["2e", "2f", "5c"].contains(escape) { return true }
        }
        return false
    }
}
#endif
