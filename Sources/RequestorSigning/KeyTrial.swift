import EntitlementKeys
import OpenSSLBridge

/// Finds the trusted key that signed some octets.
///
/// A key id in what was signed is never believed: every trusted key is tried.
struct KeyTrial: Sendable {
    private let keys: VerificationKeys

    init(_ keys: VerificationKeys) {
        self.keys = keys
    }

    /// The key that made the signature over a range of a text; `nil` where none did.
    ///
    /// - Throws: `.undecided` where there are no keys or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        _ algorithm: Digest
    ) throws(RequestorSigningError) -> VerificationKey? {
        guard !keys.keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            let digest = try algorithm.hash(text, in: range)
            for key in keys.keys {
                if try key.isValid(signature, digest: digest.span, algorithm: algorithm) { return key }
            }
            return nil
        } catch {
            throw .undecided(.backend(error.description))
        }
    }
}
