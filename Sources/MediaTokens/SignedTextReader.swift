package import EntitlementKeys
package import EntitlementValues

/// Octets that a trusted key signed.
package struct SignedText {
    package let octets: [UInt8]
    package let range: Range<Int>
    package let signer: Signer
    package let layers: TokenLayers
}

/// Reads a token of the family up to its signature: size, decoding, splitting, signature.
package struct SignedTextReader: Sendable {
    private let signatures: SignatureCheck
    private let maximumLength: Int
    private let format: FormatOctets

    init(keys: VerificationKeys, policy: VerificationPolicy, format: FormatOctets) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: policy.acceptsLegacySHA1)
        maximumLength = policy.maximumLength
        self.format = format
    }

    /// Reads tokens as they are on the wire, signed with SHA-256.
    package init(keys: VerificationKeys, maximumLength: Int) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: false)
        self.maximumLength = maximumLength
        format = FormatOctets(.wire)
    }

    /// Reads a token.
    ///
    /// - Throws: `MediaTokenError`; no case that comes after the signature.
    package func read(_ input: Span<UInt8>, at now: Timestamp) throws(MediaTokenError) -> SignedText {
        guard input.count <= maximumLength else {
            throw .tooLarge(limit: maximumLength)
        }
        let text = try TokenText(input, format: format)
        let envelope = try TokenEnvelope(text.octets.span, format: format)
        if let signed = try signedText(text.octets, envelope, text.layers, now) { return signed }
        if text.hasFormPlus {
            let signedStart = envelope.signedRange.lowerBound
            let repaired = try TokenText(input, format: format, plusIsSpaceFrom: signedStart)
            if let signed = try signedText(repaired.octets, envelope, repaired.layers, now) { return signed }
        }
        throw signatures.refusal(of: envelope.signature)
    }

    /// Tries the signed range to the octet, then without white space that logs and shells put behind it.
    private func signedText(
        _ octets: [UInt8],
        _ envelope: TokenEnvelope,
        _ layers: TokenLayers,
        _ now: Timestamp
    ) throws(MediaTokenError) -> SignedText? {
        let text = octets.span
        let signature = envelope.signature.span
        let exact = envelope.signedRange
        if let signer = try signatures.signer(of: text, in: exact, signature: signature, at: now) {
            return SignedText(octets: octets, range: exact, signer: signer, layers: layers)
        }
        let trimmed = exact.lowerBound..<text.trimmingWhiteSpace(exact).upperBound
        guard trimmed != exact,
            let signer = try signatures.signer(of: text, in: trimmed, signature: signature, at: now)
        else { return nil }
        var layers = layers
        layers.trailingWhiteSpace = true
        return SignedText(octets: octets, range: trimmed, signer: signer, layers: layers)
    }
}
