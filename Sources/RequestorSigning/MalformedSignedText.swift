import TextCodecs
import EntitlementValues

/// Names what is wrong with the form of something that was signed.
@nonexhaustive
public enum MalformedSignedText: Sendable, Hashable {
    /// The signature is not Base64: standard alphabet, padded, on one line or in lines of 76 symbols.
    case signatureNotBase64
    /// A token has not three parts between dots.
    case partCount(Int)
    /// Five parts: an encrypted token.
    case encryptedToken
    /// A part of a token is not Base64url without padding.
    case notBase64URL(TokenSection)
    /// A part of a token is not the JSON it must be.
    case notJSON(TokenSection, reason: String)
    /// A header member is missing or of the wrong type.
    case header(name: String)
    /// The header says that extensions must be understood (`crit`), and none is known here.
    case criticalExtension
    /// A claim is of the wrong type.
    case claimType(name: String)
    /// A date is no number of seconds, or lies beyond the year 9999, as milliseconds do.
    case date(name: String)
    /// A request's header is not of the exact form; the member names the first field that is not there as it must be.
    case request(field: String)
}

/// Names a part of a JSON Web Token.
public enum TokenSection: String, Sendable, Hashable {
    /// The first part.
    case header
    /// The second part.
    case payload
    /// The third part.
    case signature
}

extension MalformedSignedText: CustomStringConvertible {
    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .signatureNotBase64:
            "the signature is not Base64 (standard alphabet, padded, on one line or in lines of 76 symbols)"
        case .partCount(let count):
            "not a JSON Web Token: \(count) \(count == 1 ? "part" : "parts") instead of three between dots"
        case .encryptedToken:
            "an encrypted JSON Web Token (five parts); only signed ones are read"
        case .notBase64URL(let section):
            "the token's \(section.rawValue) is not Base64url without padding"
        case .notJSON(let section, let reason):
            "the token's \(section.rawValue) is not a JSON object as it must be: \(reason)"
        case .header(let name):
            "the token's header has no \(name), or one of the wrong type"
        case .criticalExtension:
            "the token's header demands extensions (crit) that are not known here"
        case .claimType(let name):
            "the claim \(name) has the wrong type"
        case .date(let name):
            "the claim \(name) is not a date in seconds since 1970 (a number of milliseconds lies beyond the year 9999)"
        case .request(let field):
            "not an authorization of the form METHOD requestor_id=…, nonce=…, signature_method=…, request_time=…, "
                + "request_uri=…, public_key=…, signature=…: wrong at \(field)"
        }
    }
}
