/// Says why a text of the token family was refused up to its fields: what media, AuthN and AuthZ tokens have in common.
///
/// `MediaTokenError` and `EntitlementTokenError` each have a public case for every case here.
package enum SignedTextError: Error, Sendable, Hashable {
    /// The text is longer than the limit. Nothing was read.
    case tooLarge(limit: Int)
    /// The text is not of the form it must have.
    case malformed(MalformedPart)
    /// The text is a token of another kind.
    case foreignToken(ForeignToken)
    /// No trusted key signed the text.
    case badSignature(bits: Int, isSizeOfTrustedKey: Bool)
    /// No decision could be made.
    case undecided(UndecidedReason)
}

extension MediaTokenError {
    /// The same refusal as a public error.
    package init(_ error: SignedTextError) {
        self =
            switch error {
            case .tooLarge(let limit): .tooLarge(limit: limit)
            case .malformed(let part): .malformed(part)
            case .foreignToken(let kind): .foreignToken(kind)
            case .badSignature(let bits, let isSize): .badSignature(bits: bits, isSizeOfTrustedKey: isSize)
            case .undecided(let reason): .undecided(reason)
            }
    }
}
