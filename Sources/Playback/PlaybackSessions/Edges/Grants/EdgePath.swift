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

    /// Tells whether the path of a request is open; `false` also for one that servers read in more than one way.
    ///
    /// The path is as it arrived, with escapes, and without a query.
    func opens(_ path: String) -> Bool {
        guard RequestPath.isPlain(path) else { return false }
        return isFolder ? path.utf8.starts(with: text.utf8) : path.hasSameBytes(as: text)
    }
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")

extension StringProtocol {
    /// Whether the text can be the name of a host, in lower case and without a port: of 1 to 253 bytes.
    var isHost: Bool {
        1...253 ~= utf8.count && utf8.allSatisfy { $0.isASCIIDigit || 0x61...0x7A ~= $0 || "-.".utf8.contains($0) }
    }
}
