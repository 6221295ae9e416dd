import TextCodecs

/// Adds query parameters to the addresses in HLS playlists, since relative addresses do not inherit those of the playlist.
///
/// It reads master and media playlists alike (RFC 8216 §4): lines that are addresses, and the attribute `URI` of all tags,
/// such as `EXT-X-KEY`, `EXT-X-MAP` and `EXT-X-MEDIA`. Everything else stays as it is, byte by byte. Only relative
/// addresses get the parameters: one with a scheme or a host of its own may lead to others, who must not see a grant, and so
/// may one with a variable (`{$name}`, `EXT-X-DEFINE`), whose value only the player puts in. A parameter that is there already gets the new value, so that a second pass changes nothing.
///
/// What a link in the path or a cookie carries needs no such thing.
public struct PlaylistRewriter: Sendable {
    /// The longest playlist that is read, in bytes: 1 MiB.
    public static let maximumInput = 1 << 20
    /// The longest playlist that is written, in bytes: 8 MiB.
    public static let maximumOutput = 8 << 20
    /// The longest query that is added, in bytes.
    public static let maximumQuery = 4096

    private let parameters: [EdgeField]
    private let added: [UInt8]

    /// Takes the parameters of a grant.
    ///
    /// - Parameter parameters: The parameters, which need no escape.
    /// - Throws: `.unsuitable` if there are none, or one has a character that does not stand for itself in a query.
    public init(adding parameters: [EdgeField]) throws(PlaybackSessionError) {
        added = Array(parameters.query.utf8)
        self.parameters = parameters
        let areWritten = parameters.allSatisfy { field in
            !field.name.isEmpty
                && (field.name + field.value).utf8.allSatisfy { $0.isUnreserved || "*!/:+=".utf8.contains($0) }
        }
        guard areWritten, 1...Self.maximumQuery ~= added.count else {
            throw .unsuitable(.empty(field: "query for playlists"))
        }
    }

    /// Adds the parameters.
    ///
    /// - Parameter playlist: The playlist in UTF-8.
    /// - Returns: The playlist with the parameters.
    /// - Throws: `.malformed` if it does not begin with the line `#EXTM3U`; `.tooLarge` for its length or the result's.
    public func rewrite(_ playlist: [UInt8]) throws(PlaybackSessionError) -> [UInt8] {
        guard playlist.count <= Self.maximumInput else { throw .tooLarge(limit: Self.maximumInput) }
        guard playlist.starts(with: Self.mark), playlist.count == 7 || playlist[7].isWhiteSpace else {
            throw .malformed(.playlist)
        }
        var output: [UInt8] = []
        for line in playlist.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if !output.isEmpty { output.append(UInt8(ascii: "\n")) }
            let isEnded = line.last == UInt8(ascii: "\r")
            append(isEnded ? line.dropLast() : line, to: &output)
            if isEnded { output.append(UInt8(ascii: "\r")) }
            guard output.count <= Self.maximumOutput else { throw .tooLarge(limit: Self.maximumOutput) }
        }
        return output
    }

    private static let mark = Array("#EXTM3U".utf8)
    private static let tag = Array("#EXT-X-".utf8)

    private func append(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
        if line.isEmpty {
            return
        } else if line.first != UInt8(ascii: "#") {
            output += rewritten(line)
        } else if line.starts(with: Self.tag) {
            appendTag(line, to: &output)
        } else {
            output += line
        }
    }

    /// Rewrites the attribute `URI` of a tag (RFC 8216 §4.2): `#EXT-X-MAP:URI="init.mp4",BYTERANGE="9@0"`.
    private func appendTag(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let start = line.firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? line.endIndex
        output += line[..<start]
        let attributes = Self.attributes(line[start...]).map { attribute in
            guard attribute.starts(with: Self.opening), attribute.count > Self.opening.count,
                attribute.last == Self.quote
            else { return Array(attribute) }
            return Self.opening + rewritten(attribute.dropFirst(Self.opening.count).dropLast()) + [Self.quote]
        }
        output += attributes.joined(separator: [UInt8(ascii: ",")])
    }

    private static let quote = UInt8(ascii: "\"")
    private static let opening = Array("URI=\"".utf8)

    /// Splits attributes at the commas that are not within quotes.
    private static func attributes(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        return text.split(omittingEmptySubsequences: false) { byte in
            if byte == quote { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
    }

    /// An address with the parameters, if it is relative.
    private func rewritten(_ address: ArraySlice<UInt8>) -> [UInt8] {
        guard Self.isRelative(address) else { return Array(address) }
        let fragment = address.firstIndex(of: UInt8(ascii: "#")) ?? address.endIndex
        let question = address[..<fragment].firstIndex(of: UInt8(ascii: "?")) ?? fragment
        let kept = address[question..<fragment].dropFirst().split(separator: UInt8(ascii: "&")).filter { field in
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            return !parameters.contains { name.elementsEqual($0.name.utf8) }
        }
        let query = (kept.map { Array($0) } + [added]).joined(separator: [UInt8(ascii: "&")])
        return Array(address[..<question]) + [UInt8(ascii: "?")] + Array(query) + Array(address[fragment...])
    }

    private static let variable = Array("{$".utf8)

    /// Whether an address has neither a scheme nor a host of its own (RFC 3986 §4.2), nor a variable that may become one.
    private static func isRelative(_ address: ArraySlice<UInt8>) -> Bool {
        // Browsers take backslashes for slashes, and drop white space and controls.
        guard !address.isEmpty, address.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }),
            !address.starts(with: "//".utf8), address.firstRange(of: variable) == nil
        else { return false }
        let end = address.firstIndex { "/?#".utf8.contains($0) } ?? address.endIndex
        return !address[..<end].contains(UInt8(ascii: ":"))
    }
}
