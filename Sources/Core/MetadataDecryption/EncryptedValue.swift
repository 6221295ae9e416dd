import EntitlementValues
import TextCodecs

/// Decodes the Base64 of an encrypted value.
package enum EncryptedValue {
    // Made once: making a set of options takes longer than decoding a short value.
    private static let padded: Base64.DecodingOptions = [.urlSafe, .transported]
    private static let anyForm: Base64.DecodingOptions = [.urlSafe, .unpadded, .transported]

    /// Decodes the Base64 of a value as it was received.
    ///
    /// Throws `.isJWE`, `.encoded` or `.notBase64`.
    package static func bytes(of text: Span<UInt8>) throws(MetadataDecryptionError) -> [UInt8] {
        let range = 0..<text.count
        if let bytes = Base64.decode(text, in: range, options: anyForm) { return bytes }
        // A `+` lost at the start shows only if the padding is required.
        if let bytes = Base64.decode(text, in: range, options: padded) { return bytes }
        let kind = CompactSerialization.kind(of: text, in: text.trimmingWhiteSpace(range))
        if kind == .encrypted { throw .isJWE }
        if let encoding = ForeignEncoding(of: text) { throw .encoded(encoding) }
        throw .notBase64
    }

    /// Names an encoding that passes for Base64 of a wrong length; `nil` if the length has another reason.
    ///
    /// `text` is the value as it was received, and `bytes` what was decoded of it.
    static func encoding(of text: Span<UInt8>, decodedTo bytes: Span<UInt8>) -> ForeignEncoding? {
        if let encoding = ForeignEncoding(of: text) { return encoding }
        // So many random bytes are not all in the alphabet.
        let head = bytes.extracting(first: 1024)
        return head.count >= 64 && head.indices.allSatisfy({ head[$0].isSymbolOfBase64 || head[$0].isWhiteSpace })
            ? .doubleBase64 : nil
    }
}
