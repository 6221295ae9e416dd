import ServiceResponses
import TextCodecs

/// The access token of a request, `Authorization: Bearer`.
///
/// The token opens the broker's API in the name of the application, so neither description nor mirror shows it.
public struct BearerToken: BrokerHeader {
    /// `Authorization`.
    public static let name = "Authorization"
    /// The longest token, in bytes.
    public static let maximumLength = 16_384

    private let redactedText: Redacted<String>

    /// The token itself.
    public var text: String { redactedText.value }

    /// Makes the header of an access token.
    ///
    /// - Parameter text: The token, opaque: letters, digits and `-._~+/`, then `=` if at all (RFC 6750 §2.1).
    /// - Throws: `.empty`, `.tooLong` or `.unexpectedCharacter`.
    public init(_ text: String) throws(BrokerHeaderError) {
        // A first look at all bytes alike; what it does not find plain is looked at more closely.
        if 1...Self.maximumLength ~= text.utf8.count, text.withBytes({ $0.isPlainToken }) {
            redactedText = Redacted(text)
            return
        }
        var hasPadding = false
        try HeaderText.check(text, of: Self.name, limit: Self.maximumLength) { byte in
            if byte == UInt8(ascii: "=") { hasPadding = true } else if hasPadding { return false }
            return hasPadding || byte.isUnreserved || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        }
        guard text.utf8.first != UInt8(ascii: "=") else {
            throw .unexpectedCharacter(header: Self.name, offset: 0)
        }
        redactedText = Redacted(text)
    }

    /// Reads `Bearer`, in any case, and the token.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`; `.unexpectedForm` for another scheme.
    public init(headerValue: String) throws(BrokerHeaderError) {
        try self.init(
            try AuthenticationScheme.value(
                of: headerValue, after: "bearer", in: Self.name, expected: "of the form `Bearer <token>`"))
    }

    /// `Bearer`, a space, and the token.
    public var headerValue: String { "Bearer \(text)" }
}

extension Span<UInt8> {
    /// Whether all bytes are letters, digits and `-._~+/`.
    ///
    /// The compiler makes a loop without a branch take many bytes at a time.
    fileprivate var isPlainToken: Bool {
        var marks: UInt8 = 0
        for index in 0..<count {
            let byte = self[index]
            let isLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 26 ? 1 : 0
            // In ASCII, the digits come right after these three.
            let isDigitHyphenDotSlash: UInt8 = byte &- UInt8(ascii: "-") < 13 ? 1 : 0
            let isOther: UInt8 =
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "+") ? 1 : 0
            marks |= (isLetter | isDigitHyphenDotSlash | isOther) ^ 1
        }
        return marks == 0
    }
}

extension BearerToken: CustomStringConvertible {
    /// The words *bearer token*, not the token.
    public var description: String { "bearer token" }
}
