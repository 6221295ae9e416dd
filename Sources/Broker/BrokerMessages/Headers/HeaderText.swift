import TextCodecs

/// Checks what every header's value must keep to.
enum HeaderText {
    /// Checks the length in bytes and the characters of a text.
    ///
    /// `isAllowed` is asked about visible ASCII only: anything else, line ends and other control characters above all,
    /// is never allowed. Throws `.empty`, `.tooLong` or `.unexpectedCharacter`.
    static func check(
        _ text: String,
        of header: String,
        limit: Int,
        allowing isAllowed: (UInt8) -> Bool = { _ in true }
    ) throws(BrokerHeaderError) {
        try checkLength(text, of: header, limit: limit)
        for (offset, byte) in text.utf8.enumerated() where !(0x21...0x7E ~= byte && isAllowed(byte)) {
            throw .unexpectedCharacter(header: header, offset: offset)
        }
    }

    /// Checks a text that is sent encoded: it may have any characters except control characters.
    static func check(encoded text: String, of header: String, limit: Int) throws(BrokerHeaderError) {
        try checkLength(text, of: header, limit: limit)
        for (offset, byte) in text.utf8.enumerated() where byte.isControl {
            throw .unexpectedCharacter(header: header, offset: offset)
        }
    }

    /// Checks that there is something, and not too much.
    static func checkLength(_ text: String, of header: String, limit: Int) throws(BrokerHeaderError) {
        guard !text.utf8.isEmpty else { throw .empty(header: header) }
        guard text.utf8.count <= limit else { throw .tooLong(header: header, limit: limit) }
    }

    /// Decodes Base64 of a text, which has at most `limit` bytes when it is decoded.
    ///
    /// The URL-safe alphabet and missing padding are read as well: the broker's definition says no more than Base64.
    /// Throws `.empty`, `.tooLong`, `.notBase64`, or `.unexpectedForm` if the bytes are not UTF-8.
    static func decodeBase64(_ text: String, of header: String, limit: Int) throws(BrokerHeaderError) -> String {
        guard !text.utf8.isEmpty else { throw .empty(header: header) }
        guard text.utf8.count <= (limit + 2) / 3 * 4 else { throw .tooLong(header: header, limit: limit) }
        guard let bytes = Base64.decode(Array(text.utf8), options: [.urlSafe, .unpadded]) else {
            throw .notBase64(header: header)
        }
        guard !bytes.isEmpty else { throw .empty(header: header) }
        guard bytes.count <= limit else { throw .tooLong(header: header, limit: limit) }
        guard bytes.isTextWithoutNUL else { throw .unexpectedForm(header: header, expected: "Base64 of UTF-8 text") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the byte is a control character of ASCII.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
