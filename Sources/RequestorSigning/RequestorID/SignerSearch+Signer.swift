import EntitlementKeys
import EntitlementValues
import OpenSSLBridge

extension SignerSearch {
    /// Finds the key that signed a range of a text.
    ///
    /// - Returns: The key; `nil` if no trusted key made the signature.
    /// - Throws: `.undecided` if there are no keys or libcrypto failed.
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
