import EntitlementKeys
import EntitlementValues

/// Asks the trusted keys, and says in the words of media tokens why they gave no answer.
struct SignatureCheck: Sendable {
    private let search: SignerSearch

    init(keys: VerificationKeys, acceptsLegacySHA1: Bool) {
        search = SignerSearch(keys, acceptsLegacySHA1: acceptsLegacySHA1)
    }

    /// Searches for the key that made the signature over a range of a text.
    ///
    /// - Returns: The signer; `nil` if no trusted key made the signature.
    /// - Throws: `.undecided` if there are no keys, or libcrypto failed.
    func signer(
        of text: Span<UInt8>,
        in range: Range<Int>,
        signature: Span<UInt8>,
        at now: Timestamp
    ) throws(MediaTokenError) -> Signer? {
        do throws(SignerSearchFailure) {
            return try search.signer(of: text, in: range, signature: signature, at: now)
        } catch {
            switch error {
            case .noKeys: throw .undecided(.noKeys)
            case .backend(let message): throw .undecided(.backend(message))
            }
        }
    }

    /// The error for a signature that no key made.
    func refusal(of signature: [UInt8]) -> MediaTokenError {
        let isTrusted = search.keys.contains { ($0.bits + 7) / 8 == signature.count }
        return .badSignature(bits: signature.count * 8, isSizeOfTrustedKey: isTrusted)
    }
}
