import TextCodecs

/// The bytes behind the text of an encrypted value.
enum EncryptedValue {
    /// Removes the Base64.
    ///
    /// - Throws: `.isJWE` or `.notBase64`.
    static func bytes(of text: Span<UInt8>) throws(MetadataDecryptionError) -> [UInt8] {
        let range = 0..<text.count
        if let bytes = Base64.decode(text, in: range, options: [.urlSafe, .unpadded, .transported]) { return bytes }
        // Only where padding is demanded does it show that a `+` in front was lost.
        if let bytes = Base64.decode(text, in: range, options: [.urlSafe, .transported]) { return bytes }
        let kind = CompactSerialization.kind(of: text, in: text.trimmingWhiteSpace(range))
        throw kind == .encrypted ? .isJWE : .notBase64
    }
}
