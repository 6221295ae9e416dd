import TextCodecs

/// Decodes the Base64 of an encrypted value.
enum EncryptedValue {
    /// Decodes the Base64.
    ///
    /// - Parameter text: The value as it was received.
    /// - Returns: The encrypted bytes.
    /// - Throws: `.isJWE` or `.notBase64`.
    static func bytes(of text: Span<UInt8>) throws(MetadataDecryptionError) -> [UInt8] {
        let range = 0..<text.count
        if let bytes = Base64.decode(text, in: range, options: [.urlSafe, .unpadded, .transported]) { return bytes }
        // A `+` lost at the start shows only if the padding is required.
        if let bytes = Base64.decode(text, in: range, options: [.urlSafe, .transported]) { return bytes }
        throw isJWE(text, in: text.trimmingWhiteSpace(range)) ? .isJWE : .notBase64
    }

    /// Whether a text has the five parts of an encrypted JSON Web Token (RFC 7516); all but the first may be empty.
    private static func isJWE(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
        var dots = 0
        for index in range {
            switch text[index] {
            case UInt8(ascii: "."): dots += 1
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): continue
            default: return false
            }
        }
        return dots == 4 && text[range.lowerBound] != UInt8(ascii: ".")
    }
}
