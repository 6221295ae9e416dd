import TextCodecs

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
