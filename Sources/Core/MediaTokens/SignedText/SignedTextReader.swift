package import EntitlementKeys
package import EntitlementValues
import TextCodecs

/// The signed part of a token, and the trusted key that signed it.
package struct SignedText {
    /// The plain text of the token.
    package let bytes: [UInt8]
    /// The part of it that is signed.
    package let range: Range<Int>
    /// The key that signed it.
    package let signer: Signer
    /// What was removed to get the plain text.
    package let layers: TokenLayers
}

/// Checks the size, encoding and signature of a media, AuthN or AuthZ token, and finds its signed part.
package struct SignedTextReader: Sendable {
    private let signatures: SignatureCheck
    private let maximumLength: Int
    private let format: FormatBytes

    init(keys: VerificationKeys, policy: VerificationPolicy, format: FormatBytes) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: policy.acceptsLegacySHA1)
        maximumLength = policy.maximumLength
        self.format = format
    }

    /// Makes a reader of tokens in the format of the wire, signed with SHA-256.
    ///
    /// `maximumLength` is in bytes, outer layers included.
    package init(keys: VerificationKeys, maximumLength: Int) {
        signatures = SignatureCheck(keys: keys, acceptsLegacySHA1: false)
        self.maximumLength = maximumLength
        format = FormatBytes(.wire)
    }

    /// Reads a token in any of the forms that a client may pass on, and throws for the first check that failed.
    ///
    /// Nothing in the signed part that it returns was looked at yet. The key is noted as used at `now`.
    package func read(_ input: Span<UInt8>, at now: Timestamp) throws(SignedTextError) -> SignedText {
        guard input.count <= maximumLength else {
            throw .tooLarge(limit: maximumLength)
        }
        let text = try TokenText(input, format: format)
        let plain = text.bytes[...]
        let envelope = try TokenEnvelope(plain.span, format: format)
        if let signed = try signedText(of: text, envelope, at: now) { return signed }
        if text.hasFormPlus {
            let signedStart = envelope.signedRange.lowerBound
            let repaired = try TokenText(input, format: format, plusIsSpaceFrom: signedStart)
            if let signed = try signedText(of: repaired, envelope, at: now) { return signed }
        }
        throw signatures.refusal(of: envelope.signature)
    }

    /// Checks the signature over exactly the signed range, then over the range without white space at its end.
    ///
    /// Logs and shells add such white space.
    private func signedText(
        of plain: TokenText,
        _ envelope: TokenEnvelope,
        at now: Timestamp
    ) throws(SignedTextError) -> SignedText? {
        let (bytes, signatureBytes) = (plain.bytes[...], envelope.signature[...])
        let (text, signature) = (bytes.span, signatureBytes.span)
        let exact = envelope.signedRange
        if let signer = try signatures.signer(of: text, in: exact, signature: signature, at: now) {
            return SignedText(bytes: plain.bytes, range: exact, signer: signer, layers: plain.layers)
        }
        let trimmed = exact.lowerBound..<text.trimmingWhiteSpace(exact).upperBound
        guard trimmed != exact,
            let signer = try signatures.signer(of: text, in: trimmed, signature: signature, at: now)
        else { return nil }
        var layers = plain.layers
        layers.trailingWhiteSpace = true
        return SignedText(bytes: plain.bytes, range: trimmed, signer: signer, layers: layers)
    }
}

/// Finds the trusted key that signed a text, and reports failures as errors of signed texts.
private struct SignatureCheck: Sendable {
    private let search: SignerSearch

    init(keys: VerificationKeys, acceptsLegacySHA1: Bool) {
        search = SignerSearch(keys, acceptsLegacySHA1: acceptsLegacySHA1)
    }

    /// Searches for the key that made the signature over a range of a text; `nil` if no trusted key did.
    ///
    /// Throws `.undecided` if there are no keys, or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        at now: Timestamp
    ) throws(SignedTextError) -> Signer? {
        do throws(SignerSearchFailure) {
            return try search.signer(of: text, in: range, signature: signature, at: now)
        } catch {
            switch error {
            case .noKeys: throw .undecided(.noKeys)
            case .backend(let message): throw .undecided(.backend(message))
            }
        }
    }

    /// The error for a signature that no trusted key made.
    func refusal(of signature: [UInt8]) -> SignedTextError {
        let isTrusted = search.keys.contains { ($0.bits + 7) / 8 == signature.count }
        return .badSignature(bits: signature.count * 8, isSizeOfTrustedKey: isTrusted)
    }
}
