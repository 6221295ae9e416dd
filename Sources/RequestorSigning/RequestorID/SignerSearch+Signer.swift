import EntitlementKeys
import EntitlementValues
import OpenSSLBridge

extension SignerSearch {
    /// The key that made the signature over a range of a text; `nil` where none did.
    ///
    /// - Throws: `.undecided` where there are no keys or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: [UInt8],
        _ algorithms: [Digest],
        at now: Timestamp
    ) throws(RequestorSigningError) -> VerificationKey? {
        guard !keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            return try signer(of: text, in: range, signature: signature.span, algorithms: algorithms, at: now)
        } catch {
            throw .undecided(.backend(error.description))
        }
    }
}
