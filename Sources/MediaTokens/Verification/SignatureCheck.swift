package import EntitlementKeys
import EntitlementValues
package import OpenSSLBridge

/// The key that signed some bytes, and their SHA-256, which may differ from the digest that was signed.
package struct Signer: Sendable {
    package let key: VerificationKey
    package let digest: SHA256Digest
}

/// Finds the trusted key that signed a text, and reports failures as errors of media tokens.
struct SignatureCheck: Sendable {
    private let trial: SignerSearch
    private let acceptsLegacySHA1: Bool

    init(keys: VerificationKeys, acceptsLegacySHA1: Bool) {
        trial = SignerSearch(keys)
        self.acceptsLegacySHA1 = acceptsLegacySHA1
    }

    /// Finds the key that signed a range of a text.
    ///
    /// - Returns: The key and the SHA-256 of the range; `nil` if no trusted key made the signature.
    /// - Throws: `.undecided` if there are no keys, or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        at now: Timestamp
    ) throws(SignedTextError) -> Signer? {
        guard !trial.keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            let digest = try Digest.sha256.hash(text, in: range)
            if let key = try trial.signer(ofDigest: digest.span, .sha256, signature: signature, at: now) {
                return Signer(key: key, digest: SHA256Digest(digest.span))
            }
            guard acceptsLegacySHA1 else { return nil }
            let legacy = try Digest.legacySHA1.hash(text, in: range)
            return try trial.signer(ofDigest: legacy.span, .legacySHA1, signature: signature, at: now)
                .map { Signer(key: $0, digest: SHA256Digest(digest.span)) }
        } catch {
            throw .undecided(.backend(error.description))
        }
    }

    /// The error for a signature that no trusted key made.
    func refusal(of signature: [UInt8]) -> SignedTextError {
        let isTrusted = trial.keys.contains { ($0.bits + 7) / 8 == signature.count }
        return .badSignature(bits: signature.count * 8, isSizeOfTrustedKey: isTrusted)
    }
}
