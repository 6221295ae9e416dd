import EntitlementKeys
import EntitlementValues

/// Finds the trusted key that signed a text, and reports failures as errors of signed texts.
struct SignatureCheck: Sendable {
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
