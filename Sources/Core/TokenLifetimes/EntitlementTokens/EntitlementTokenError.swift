public import MediaTokens
import TextCodecs

/// Says why an AuthN or AuthZ token was refused.
///
/// The checks run in a fixed order — size, decoding, splitting, signature, fields — and the first that fails is the
/// error. No case carries token text.
@nonexhaustive
public enum EntitlementTokenError: Error, Sendable, Hashable {
    /// The text is longer than the limit. Nothing was read.
    case tooLarge(limit: Int)
    /// The text cannot be an AuthN or AuthZ token. The cases of `MalformedPart` that name elements come after a good signature.
    case malformed(MalformedPart)
    /// The text is a token of another kind. A media token is named after its signature proved good.
    case foreignToken(ForeignToken)
    /// No trusted key signed the text. Nothing is established.
    case badSignature(bits: Int, isSizeOfTrustedKey: Bool)
    /// No decision could be made. Nothing is established.
    case undecided(UndecidedReason)

    /// The stable name of the error, for programs and log searches.
    public var code: String { asMediaTokenError.code }

    init(_ error: SignedTextError) {
        self =
            switch error {
            case .tooLarge(let limit): .tooLarge(limit: limit)
            case .malformed(let part): .malformed(part)
            case .foreignToken(let kind): .foreignToken(kind)
            case .badSignature(let bits, let isSize): .badSignature(bits: bits, isSizeOfTrustedKey: isSize)
            case .undecided(let reason): .undecided(reason)
            }
    }

    /// The same refusal of a media token, which has the same code, exit code and most of the texts.
    private var asMediaTokenError: MediaTokenError {
        switch self {
        case .tooLarge(let limit): .tooLarge(limit: limit)
        case .malformed(let part): .malformed(part)
        case .foreignToken(let kind): .foreignToken(kind)
        case .badSignature(let bits, let isSize): .badSignature(bits: bits, isSizeOfTrustedKey: isSize)
        case .undecided(let reason): .undecided(reason)
        }
    }

    /// The exit code of the command line, the same as for a media token.
    public var exitCode: Int32 { asMediaTokenError.status.exitCode }
}

extension EntitlementTokenError: CustomStringConvertible {
    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the text is longer than \(limit) bytes; AuthN and AuthZ tokens have about 2000"
        case .malformed(.notAToken): "neither an AuthN or AuthZ token nor Base64 of one; pass the whole text"
        case .malformed(.layers):
            "Base64, but its content is not an AuthN or AuthZ token; at most two layers are removed"
        case .malformed(.root): "the signed text does not start with the root element of an AuthN or AuthZ token"
        case .malformed(.markup(let offset)):
            "markup that AuthN and AuthZ tokens do not have, at byte \(offset) of the signed text"
        case .malformed(.entityEscaped): "a part of the text is entity-escaped (&lt;) and a part is not"
        case .malformed, .foreignToken(.mediaToken), .badSignature, .undecided: asMediaTokenError.description
        case .foreignToken: "a token of another kind, neither an AuthN nor an AuthZ token"
        }
    }
}
