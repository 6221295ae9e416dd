import EntitlementValues
import OpenSSLBridge
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

/// Splits values of the form `scheme value`.
enum AuthenticationScheme {
    /// The value after a scheme and the spaces after it.
    ///
    /// `scheme` is in lower case; the text may spell it in any case (RFC 9110 §11.1). `expected` is the form, for the
    /// error. Throws `.empty`, or `.unexpectedForm` for another scheme.
    static func value(
        of text: String,
        after scheme: String,
        in header: String,
        expected: String
    ) throws(BrokerHeaderError) -> String {
        guard !text.utf8.isEmpty else { throw .empty(header: header) }
        let bytes = Array(text.utf8)
        let count = scheme.utf8.count
        guard bytes.count > count, bytes[count] == UInt8(ascii: " "),
            zip(bytes, scheme.utf8).allSatisfy({ $0 | ($0.isASCIILetter ? 0x20 : 0) == $1 })
        else { throw .unexpectedForm(header: header, expected: expected) }
        return String(decoding: bytes[count...].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
}

/// Checks the outside of tokens that others made.
enum CompactToken {
    /// Checks that a text of at most `limit` bytes is a JWS or JWE in compact form, by its alphabet and its parts.
    ///
    /// `kinds` are what the token may be. Throws `.empty`, `.tooLong`, `.unexpectedCharacter` or `.unexpectedForm`.
    static func check(
        _ text: String,
        of header: String,
        limit: Int,
        kinds: [CompactSerialization.Kind]
    ) throws(BrokerHeaderError) {
        try HeaderText.check(text, of: header, limit: limit) { $0.isURLSafe || $0 == UInt8(ascii: ".") }
        let kind = text.withBytes { CompactSerialization.kind(of: $0, in: 0..<$0.count) }
        guard let kind, kinds.contains(kind) else {
            let expected = kinds.contains(.encrypted) ? "a JWS or JWE in compact form" : "a JWS in compact form"
            throw .unexpectedForm(header: header, expected: expected)
        }
    }
}

/// Hashes texts that the broker must not get to know.
enum SHA256Text {
    /// Hashes the UTF-8 of a text to 64 lower-case hexadecimal digits.
    ///
    /// An empty text is refused with `.empty`: the hash of nothing is the same for all users. Throws `.backend` if
    /// libcrypto fails.
    static func hash(_ text: String, for header: String) throws(BrokerHeaderError) -> String {
        guard !text.utf8.isEmpty else { throw .empty(header: header) }
        return try rethrowing(Hex.encode(Digest.sha256.hash(Array(text.utf8)))) { (failure: OpenSSLFailure) in
            BrokerHeaderError.backend(header: header, reason: failure.description)
        }
    }
}
