package import EntitlementValues
package import OpenSSLBridge
import Synchronization

/// The trusted key that signed some bytes, and their SHA-256, which is there even if the signature is over SHA-1.
package struct Signer: Sendable {
    package let key: VerificationKey
    package let digest: SHA256Digest
}

/// Says why a search could not decide whether a trusted key made a signature.
package enum SignerSearchFailure: Error, Sendable {
    /// There are no trusted keys.
    case noKeys
    /// libcrypto failed; its message, which holds no input.
    case backend(String)
}

/// Finds the trusted key that signed some bytes.
///
/// Tokens carry no key id, or one that cannot be believed before its signature is checked, so all keys are tried. The key
/// that matched last is tried first: a hint in one atomic word, read and written without ordering, since a stale value
/// only costs a few microseconds.
package final class SignerSearch: Sendable {
    package let keys: [VerificationKey]
    private let acceptsLegacySHA1: Bool
    private let lastMatch = Atomic<Int>(0)

    /// Prepares a search, first for signatures over SHA-256 and, if they are accepted, then for those over SHA-1.
    package init(_ keys: VerificationKeys, acceptsLegacySHA1: Bool = false) {
        self.keys = keys.keys
        self.acceptsLegacySHA1 = acceptsLegacySHA1
    }

    /// Searches for the key that made a signature over a range of some bytes, and counts the match as a use of the key.
    ///
    /// `nil` if no trusted key made the signature, which is given decoded.
    package func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        at instant: Timestamp
    ) throws(SignerSearchFailure) -> Signer? {
        guard !keys.isEmpty else { throw .noKeys }
        do throws(OpenSSLFailure) {
            let digest = try Digest.sha256.hash(text, in: range)[...]
            var match = try firstMatch(signature, digest: digest.span, algorithm: .sha256)
            if match == nil, acceptsLegacySHA1 {
                let sha1 = try Digest.insecureSHA1.hash(text, in: range)[...]
                match = try firstMatch(signature, digest: sha1.span, algorithm: .insecureSHA1)
            }
            guard let match else { return nil }
            let key = keys[match]
            key.noteUse(at: instant)
            return Signer(key: key, digest: SHA256Digest(digest.span))
        } catch {
            throw .backend(error.description)
        }
    }

    private func firstMatch(
        _ signature: Span<UInt8>,
        digest: Span<UInt8>,
        algorithm: Digest
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
