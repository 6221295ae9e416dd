import TextCodecs

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
