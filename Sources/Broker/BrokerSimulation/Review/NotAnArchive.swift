#if Client
import TextCodecs

/// Why a file is not a recording.
package struct NotAnArchive: Error, Sendable, Hashable {
    /// What the file is instead, in a few words.
    package let what: String
}

extension NotAnArchive {
    /// What a file is that is not JSON, by its first bytes; `nil` if it may be JSON.
    init?(startingWith bytes: [UInt8]) {
        let known = Self.kinds.first { kind in kind.beginnings.contains { bytes.starts(with: $0) } }
        guard let what = known?.what ?? Self.kind(ofText: bytes) else { return nil }
        self.init(what: what)
    }

    private static let kinds: [(what: String, beginnings: [[UInt8]])] = [
        ("it is compressed with gzip; unpack it first", [[0x1F, 0x8B]]),
        ("it is compressed with zstd; unpack it first", [[0x28, 0xB5, 0x2F, 0xFD]]),
        ("it is a ZIP file; unpack it first", [Array("PK".utf8)]),
        (
            "it is a capture of packets",
            [[0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x0A, 0x0D, 0x0D, 0x0A]]
        ),
        ("it is text in UTF-16; save it in UTF-8", [[0xFF, 0xFE], [0xFE, 0xFF]]),
    ]

    private static func kind(ofText bytes: [UInt8]) -> String? {
        let head = bytes[bytes.span.afterByteOrderMark].drop { $0.isWhiteSpace }
        switch head.first {
        case UInt8(ascii: "{"), nil: return nil
        case UInt8(ascii: "["): return "it is a list in JSON, perhaps a session of Charles; export it as HAR"
        case UInt8(ascii: "<"): return "it is XML or HTML"
        case _ where head.first?.isASCIIDigit == true && head.prefix(12).contains(UInt8(ascii: ":")):
            return "it is mitmproxy's own form; export it with: mitmdump -nr FILE --set hardump=FILE.har"
        default: return head.prefix(64).allSatisfy { $0 < 0x80 } ? "it is text" : "it is binary"
        }
    }
}
#endif
