import EntitlementKeys
import OpenSSLBridge
import Synchronization

/// Finds the trusted key that signed some octets.
///
/// Tokens carry no key id, so all keys are tried. The one that matched last goes first: a hint in one atomic word, read
/// and written without ordering, since a stale value costs a few microseconds and nothing else.
final class SignatureCheck: Sendable {
    private let keys: [VerificationKey]
    private let algorithms: [Digest]
    private let lastMatch = Atomic<Int>(0)

    init(keys: VerificationKeys, acceptsLegacySHA1: Bool) {
        self.keys = keys.keys
        algorithms = acceptsLegacySHA1 ? [.sha256, .legacySHA1] : [.sha256]
    }

    /// The key that made the signature over a range of a text; `nil` where none did.
    ///
    /// - Throws: `.undecided` where libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>
    ) throws(MediaTokenError) -> VerificationKey? {
        guard !keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            for algorithm in algorithms {
                let digest = try algorithm.hash(text, in: range)
                if let key = try signer(digest.span, algorithm, signature) { return key }
            }
            return nil
        } catch {
            throw .undecided(.backend(error.description))
        }
    }

    /// The error for a signature that no key made.
    func refusal(of signature: [UInt8]) -> MediaTokenError {
        let isTrusted = keys.contains { ($0.bits + 7) / 8 == signature.count }
        return .badSignature(bits: signature.count * 8, isSizeOfTrustedKey: isTrusted)
    }

    private func signer(
        _ digest: Span<UInt8>,
        _ algorithm: Digest,
        _ signature: Span<UInt8>
    ) throws(OpenSSLFailure) -> VerificationKey? {
        let first = lastMatch.load(ordering: .relaxed)
        if try keys[first].isValid(signature, digest: digest, algorithm: algorithm) { return keys[first] }
        for index in keys.indices where index != first {
            if try keys[index].isValid(signature, digest: digest, algorithm: algorithm) {
                lastMatch.store(index, ordering: .relaxed)
                return keys[index]
            }
        }
        return nil
    }
}
