package import EntitlementValues
package import OpenSSLBridge
import Synchronization

/// Finds the trusted key that signed some bytes.
///
/// Tokens carry no key id, or one that is not to be believed before its signature, so all keys are tried. The one that
/// matched last goes first: a hint in one atomic word, read and written without ordering, since a stale value costs a
/// few microseconds and nothing else.
package final class SignerSearch: Sendable {
    package let keys: [VerificationKey]
    private let lastMatch = Atomic<Int>(0)

    package init(_ keys: VerificationKeys) {
        self.keys = keys.keys
    }

    /// The key that made the signature over a range of a text; `nil` where none did.
    ///
    /// The match is counted as a use of the key at the given instant.
    ///
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide.
    package func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        algorithms: [Digest],
        at instant: Timestamp
    ) throws(OpenSSLFailure) -> VerificationKey? {
        for algorithm in algorithms {
            let digest = try algorithm.hash(text, in: range)
            if let key = try signer(ofDigest: digest.span, algorithm, signature: signature, at: instant) { return key }
        }
        return nil
    }

    /// The key that made the signature over a digest; `nil` where none did.
    ///
    /// The match is counted as a use of the key at the given instant.
    ///
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide.
    package func signer(
        ofDigest digest: Span<UInt8>,
        _ algorithm: Digest,
        signature: Span<UInt8>,
        at instant: Timestamp
    ) throws(OpenSSLFailure) -> VerificationKey? {
        guard let index = try match(digest, algorithm, signature) else { return nil }
        keys[index].noteUse(at: instant)
        return keys[index]
    }

    private func match(
        _ digest: Span<UInt8>,
        _ algorithm: Digest,
        _ signature: Span<UInt8>
    ) throws(OpenSSLFailure) -> Int? {
        let first = lastMatch.load(ordering: .relaxed)
        guard first < keys.count else { return nil }
        if try keys[first].isValid(signature, digest: digest, algorithm: algorithm) { return first }
        for index in keys.indices where index != first {
            if try keys[index].isValid(signature, digest: digest, algorithm: algorithm) {
                lastMatch.store(index, ordering: .relaxed)
                return index
            }
        }
        return nil
    }
}
