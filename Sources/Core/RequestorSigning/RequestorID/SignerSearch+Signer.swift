import EntitlementKeys
import EntitlementValues

extension SignerSearch {
    /// Searches for the key that made the signature over a range of a text; `nil` if no trusted key did.
    ///
    /// Throws `.undecided` if there are no keys, or libcrypto failed.
    func key(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: [UInt8],
        at now: Timestamp
    ) throws(RequestorSigningError) -> VerificationKey? {
        let signature = signature[...]
        do throws(SignerSearchFailure) {
            return try signer(of: text, in: range, signature: signature.span, at: now)?.key
        } catch {
            switch error {
            case .noKeys: throw .undecided(.noKeys)
            case .backend(let message): throw .undecided(.backend(message))
            }
        }
    }
}
