import EntitlementKeys
import EntitlementValues
import OpenSSLBridge

/// Asks the trusted keys, in the words of media tokens.
struct SignatureCheck: Sendable {
    private let trial: KeyTrial
    private let algorithms: [Digest]

    init(keys: VerificationKeys, acceptsLegacySHA1: Bool) {
        trial = KeyTrial(keys)
        algorithms = acceptsLegacySHA1 ? [.sha256, .legacySHA1] : [.sha256]
    }

    /// The key that made the signature over a range of a text; `nil` where none did.
    ///
    /// - Throws: `.undecided` where there are no keys, or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        at now: Timestamp
    ) throws(MediaTokenError) -> VerificationKey? {
        guard !trial.keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            return try trial.signer(of: text, in: range, signature: signature, algorithms: algorithms, at: now)
        } catch {
            throw .undecided(.backend(error.description))
        }
    }

    /// The error for a signature that no key made.
    func refusal(of signature: [UInt8]) -> MediaTokenError {
        let isTrusted = trial.keys.contains { ($0.bits + 7) / 8 == signature.count }
        return .badSignature(bits: signature.count * 8, isSizeOfTrustedKey: isTrusted)
    }
}
