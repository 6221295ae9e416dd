import TextCodecs
package import EntitlementKeys
package import EntitlementValues

/// Bytes that a trusted key signed.
package struct SignedText {
    package let bytes: [UInt8]
    package let range: Range<Int>
    package let signer: Signer
    package let layers: TokenLayers
}

/// Reads a token of the family up to its signature: size, decoding, splitting, signature.
package struct SignedTextReader: Sendable {
    private let signatures: SignatureCheck
    private let maximumLength: Int
    private let format: FormatBytes

    init(keys: VerificationKeys, policy: VerificationPolicy, format: FormatBytes) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: policy.acceptsLegacySHA1)
        maximumLength = policy.maximumLength
        self.format = format
    }

    /// Reads tokens as they are on the wire, signed with SHA-256.
    package init(keys: VerificationKeys, maximumLength: Int) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: false)
        self.maximumLength = maximumLength
        format = FormatBytes(.wire)
    }

    /// Reads a token.
    ///
    /// - Throws: `MediaTokenError`; no case that comes after the signature.
    package func read(_ input: Span<UInt8>, at now: Timestamp) throws(MediaTokenError) -> SignedText {
        guard input.count <= maximumLength else {
            throw .tooLarge(limit: maximumLength)
        }
        let text = try TokenText(input, format: format)
        let envelope = try TokenEnvelope(text.bytes.span, format: format)
        if let signed = try signedText(text.bytes, envelope, text.layers, now) { return signed }
        if text.hasFormPlus {
            let signedStart = envelope.signedRange.lowerBound
            let repaired = try TokenText(input, format: format, plusIsSpaceFrom: signedStart)
            if let signed = try signedText(repaired.bytes, envelope, repaired.layers, now) { return signed }
        }
        throw signatures.refusal(of: envelope.signature)
    }

    /// Tries the signed range to the byte, then without white space that logs and shells put behind it.
    private func signedText(
        _ bytes: [UInt8],
        _ envelope: TokenEnvelope,
        _ layers: TokenLayers,
        _ now: Timestamp
    ) throws(MediaTokenError) -> SignedText? {
        let text = bytes.span
        let signature = envelope.signature.span
        let exact = envelope.signedRange
        if let signer = try signatures.signer(of: text, in: exact, signature: signature, at: now) {
            return SignedText(bytes: bytes, range: exact, signer: signer, layers: layers)
        }
        let trimmed = exact.lowerBound..<text.trimmingWhiteSpace(exact).upperBound
        guard trimmed != exact,
            let signer = try signatures.signer(of: text, in: trimmed, signature: signature, at: now)
        else { return nil }
        var layers = layers
        layers.trailingWhiteSpace = true
        return SignedText(bytes: bytes, range: trimmed, signer: signer, layers: layers)
    }
}
