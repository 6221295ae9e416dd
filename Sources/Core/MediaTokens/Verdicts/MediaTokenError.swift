public import EntitlementValues
import TextCodecs

/// Says why a media token was refused.
///
/// The checks run in a fixed order — size, decoding, splitting, signature, fields, requestor, time, resource, one-time
/// use — and the first that fails is the error. Each case says what had been established before. No case carries token
/// text; the two mismatches carry the identifiers that differ.
@nonexhaustive
public enum MediaTokenError: Error, Sendable, Hashable {
    /// The text is longer than the policy allows. Nothing was read.
    case tooLarge(limit: Int)
    /// The text cannot be a media token. Up to the signature check nothing is established; the cases of `MalformedPart`
    /// that name elements come after a good signature.
    case malformed(MalformedPart)
    /// The text is a token of another kind. An AuthN or AuthZ token is named after its signature proved good.
    case foreignToken(ForeignToken)
    /// No trusted key signed the text. Nothing is established. `bits` is the size of the signature, which is also the size
    /// of the key that made it.
    case badSignature(bits: Int, isSizeOfTrustedKey: Bool)
    /// Signature, fields and requestor are good; the token has expired.
    case expired(at: Timestamp, now: Timestamp)
    /// Signature, fields and requestor are good; the issue time is further in the future than tolerated, so the issuer's
    /// clock or this one is wrong.
    case notYetValid(issued: Timestamp, now: Timestamp)
    /// Signature, fields, requestor and time are good; the resource is another one.
    case resourceMismatch(expected: [ResourceID], presented: ResourceID)
    /// Signature and fields are good; the requestor is another one.
    case requestorMismatch(expected: [RequestorID], presented: RequestorID)
    /// Everything is good, but the token was used before. Only if one-time use is asked for.
    case replayed
    /// Everything is good, but the store of used tokens could not answer, so the token may have been used before. Carries
    /// the store's message. Only if one-time use is asked for.
    case storeUnavailable(reason: String)
    /// No decision could be made. Nothing is established.
    case undecided(UndecidedReason)

    /// The status, as the Java verifier names it.
    public var status: MediaTokenStatus {
        switch self {
        case .tooLarge, .malformed, .foreignToken: .invalidTokenFormat
        case .badSignature: .invalidSignature
        case .expired: .tokenExpired
        case .notYetValid: .tokenNotYetValid
        case .resourceMismatch: .invalidResourceID
        case .requestorMismatch: .invalidRequestorID
        case .replayed: .tokenReplayed
        case .storeUnavailable, .undecided: .errorUnknown
        }
    }

    /// The stable name of the error, for programs and log searches.
    public var code: String { stableCode.rawValue }

    /// Every value that `code` can have.
    public static let allCodes = Code.allCases.map(\.rawValue)

    private enum Code: String, CaseIterable {
        case tooLarge = "too_large"
        case malformed
        case foreignToken = "foreign_token"
        case badSignature = "bad_signature"
        case expired
        case notYetValid = "not_yet_valid"
        case resourceMismatch = "resource_mismatch"
        case requestorMismatch = "requestor_mismatch"
        case replayed
        case storeUnavailable = "store_unavailable"
        case emptyExpectation = "empty_expectation"
        case noKeys = "no_keys"
        case undecided = "internal"
    }

    private var stableCode: Code {
        switch self {
        case .tooLarge: .tooLarge
        case .malformed: .malformed
        case .foreignToken: .foreignToken
        case .badSignature: .badSignature
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .resourceMismatch: .resourceMismatch
        case .requestorMismatch: .requestorMismatch
        case .replayed: .replayed
        case .storeUnavailable: .storeUnavailable
        // What the caller's configuration lacks, which no failure of libcrypto should be taken for.
        case .undecided(.emptyExpectation): .emptyExpectation
        case .undecided(.noKeys): .noKeys
        case .undecided: .undecided
        }
    }
}

/// Names a token of another kind that was presented as a media token.
@nonexhaustive
public enum ForeignToken: Sendable, Hashable {
    /// An `authToken` document with an XML signature (XML-DSig), from another service.
    case xmlSignature
    /// A JSON Web Token.
    case jwt
    /// An encrypted JSON Web Token, five parts.
    case jwe
    /// An AuthN token: the broker's proof of authentication.
    case authenticationToken
    /// An AuthZ token: the broker's proof of authorization, from which media tokens are made.
    case authorizationToken
    /// A media token that was presented as an AuthN or AuthZ token. It is used once and never stored.
    case mediaToken
    /// A token with another root that the format lists as foreign.
    case other
}

/// Says why no decision could be made.
@nonexhaustive
public enum UndecidedReason: Sendable, Hashable {
    /// An expectation is an empty string or an empty list. To leave a check out, say `.unchecked`.
    case emptyExpectation
    /// The set of keys is empty.
    case noKeys
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case backend(String)
}

extension MediaTokenError: CustomStringConvertible {
    /// What happened and what to do, in one line.
    ///
    /// Identifiers in it come from the caller or from a signed token. What cannot be seen in them is escaped, and two that
    /// differ never look the same.
    public var description: String {
        switch self {
        case .tooLarge(let limit):
            "the text is longer than \(limit) bytes; media tokens have about 600, with a long MRSS resource 2000"
        case .malformed(let part):
            part.description
        case .foreignToken(let kind):
            kind.description
        case .badSignature(let bits, let isSizeOfTrustedKey):
            isSizeOfTrustedKey
                ? "no trusted key signed this token: it was changed, or another key of \(bits) bits signed it"
                : "no trusted key signed this token: its signature has \(bits) bits, and no trusted key has that size"
        case .expired(let end, let now):
            "expired at \(end), \(now.since(end)) before now (\(now)); get a new token for every play request"
        case .notYetValid(let issued, let now):
            "issued at \(issued), \(issued.since(now)) after now (\(now)): this machine's clock or the issuer's is wrong"
        case .resourceMismatch(let expected, let presented):
            "the token is for resource \(presented.words(notFor: expected))"
        case .requestorMismatch(let expected, let presented):
            "the token is for requestor \(presented.words(notFor: expected))"
        case .replayed:
            "the token was used before; get a new token for every play request"
        case .storeUnavailable(let reason):
            "cannot find out whether the token was used before: \(reason.printable); do not start the stream"
        case .undecided(let reason):
            reason.description
        }
    }
}

extension ForeignToken: CustomStringConvertible {
    /// What it is, and what was expected.
    public var description: String {
        switch self {
        case .xmlSignature: "an authToken document of another service, with an XML signature; not a media token"
        case .jwt: "a JSON Web Token, not a media token"
        case .jwe: "an encrypted JSON Web Token, not a media token"
        case .authenticationToken: "an AuthN token with a good signature; playback needs the media token"
        case .authorizationToken: "an AuthZ token with a good signature; playback needs the media token made from it"
        case .mediaToken: "a media token with a good signature; it is used once and cannot be recorded in a ledger"
        case .other: "a token of another kind with a good signature, not a media token"
        }
    }
}

extension UndecidedReason: CustomStringConvertible {
    /// What is wrong with the verifier's side.
    public var description: String {
        switch self {
        case .emptyExpectation:
            "an expected requestor or resource is empty; to leave the check out, use .unchecked"
        case .noKeys: "there are no keys to verify with"
        case .backend(let words): "libcrypto could not decide (\(words)); try again, and do not start the stream"
        }
    }
}
