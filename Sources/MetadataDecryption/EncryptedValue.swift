import TextCodecs

/// Decodes the Base64 of an encrypted value.
package enum EncryptedValue {
    // Made once: making a set of options takes longer than decoding a short value.
    private static let padded: Base64.DecodingOptions = [.urlSafe, .transported]
    private static let anyForm: Base64.DecodingOptions = [.urlSafe, .unpadded, .transported]

    /// Decodes the Base64.
    ///
    /// - Parameter text: The value as it was received.
    /// - Returns: The encrypted bytes.
    /// - Throws: `.isJWE` or `.notBase64`.
    package static func bytes(of text: Span<UInt8>) throws(MetadataDecryptionError) -> [UInt8] {
        let range = 0..<text.count
        if let bytes = Base64.decode(text, in: range, options: anyForm) { return bytes }
        // A `+` lost at the start shows only if the padding is required.
        if let bytes = Base64.decode(text, in: range, options: padded) { return bytes }
        let kind = CompactSerialization.kind(of: text, in: text.trimmingWhiteSpace(range))
        throw kind == .encrypted ? .isJWE : .notBase64
    }
}
