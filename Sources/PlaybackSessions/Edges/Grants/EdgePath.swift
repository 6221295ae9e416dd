import TextCodecs

/// The paths that a grant for an edge opens: one file, or everything below one folder.
///
/// A path has one spelling: letters, digits, `-`, `.`, `_` and `/` as they are, and nothing else, so that no server on the
/// way can read it differently. A folder ends with `/`: what opens `/live/a/` never opens `/live/ab/`.
public struct EdgePath: Sendable, Hashable, CustomStringConvertible {
    /// The longest path, in bytes.
    public static let maximumLength = 512

    /// The path; it ends with `/` if it is a folder.
    public let text: String

    /// Whether everything below the path is open, and not only the path itself.
    public var isFolder: Bool { text.utf8.last == UInt8(ascii: "/") }

    /// The path as such.
    public var description: String { text }

    /// Names a folder.
    ///
    /// - Parameter text: The path, with `/` at its start and its end; `/` alone is refused, since it opens everything.
    /// - Throws: `.unsuitable`.
    public init(folder text: String) throws(PlaybackSessionError) {
        guard text.utf8.last == UInt8(ascii: "/"), text.utf8.count > 1, Self.isSpeltPlainly(text) else {
            throw .unsuitable(.edgePath)
        }
        self.text = text
    }

    /// Names a file.
    ///
    /// - Parameter text: The path, with `/` at its start and not at its end.
    /// - Throws: `.unsuitable`.
    public init(file text: String) throws(PlaybackSessionError) {
        guard text.utf8.last != UInt8(ascii: "/"), Self.isSpeltPlainly(text) else { throw .unsuitable(.edgePath) }
        self.text = text
    }

    /// Reads a path of either kind; `nil` if it is neither.
    init?(_ text: String) {
        guard text.utf8.count > 1, Self.isSpeltPlainly(text) else { return nil }
        self.text = text
    }

    private static func isSpeltPlainly(_ text: String) -> Bool {
        text.utf8.count <= maximumLength && text.utf8.allSatisfy { $0.isURLSafe || $0 == slash || $0 == dot }
            && RequestPath.isPlain(text)
    }

    /// Tells whether the path of a request is open.
    ///
    /// - Parameter path: The path as it arrived, escapes and all, without a query.
    /// - Returns: `false` also for a path that servers read in more than one way.
    func opens(_ path: String) -> Bool {
        guard RequestPath.isPlain(path) else { return false }
        return isFolder ? path.utf8.starts(with: text.utf8) : path.hasSameBytes(as: text)
    }
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")

/// Tells paths that all servers read alike from others.
package enum RequestPath {
    /// Tells whether a decoded segment is nothing but dots and spaces up to its first `;`, or nothing at all.
    ///
    /// Servlet containers drop what begins with `;`, and some servers drop spaces: they read `..;x` and `.. ` as `..`.
    ///
    /// - Parameter segment: What stands between two slashes, without escapes.
    /// - Returns: Whether servers may leave the segment out, or go up by it.
    package static func isDots(_ segment: some Collection<UInt8>) -> Bool {
        segment.prefix { $0 != UInt8(ascii: ";") }.allSatisfy { $0 == dot || $0 == UInt8(ascii: " ") }
    }

    /// Whether a path has one reading.
    ///
    /// It begins with `/`, and has no empty segment but the last, none of dots and spaces, also before its first `;`, no
    /// backslash, no control, and no escape of a character that may stand for itself or could separate segments: `%61`,
    /// `%2e`, `%2F`, `%5C`, `%00`.
    static func isPlain(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.first == slash, bytes.allSatisfy({ 0x21...0x7E ~= $0 && !"\\?#\"<>".utf8.contains($0) }) else {
            return false
        }
        return hasPlainEscapes(bytes) && hasPlainSegments(bytes)
    }

    private static func hasPlainEscapes(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while let found = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
            guard found + 2 < bytes.count, let high = bytes[found + 1].hexDigitValue,
                let low = bytes[found + 2].hexDigitValue
            else { return false }
            let byte = high << 4 | low
            if byte.isUnreserved || byte < 0x20 || byte == 0x7F || "/\\%".utf8.contains(byte) { return false }
            index = found + 3
        }
        return true
    }

    private static func hasPlainSegments(_ bytes: [UInt8]) -> Bool {
        let segments = bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        return segments.enumerated().allSatisfy { index, segment in
            if segment.isEmpty { return index == segments.count - 1 }
            return Percent.decode(Array(segment)).map { !isDots($0) } ?? false
        }
    }
}
