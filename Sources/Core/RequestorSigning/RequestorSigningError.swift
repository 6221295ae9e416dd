public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Says why something was not signed, or why a signed text was refused.
///
/// Each case says what had been established before. No case carries a secret, key material or a signature. Texts in it
/// come from the caller or, in a mismatch, from a text that a trusted key signed.
@nonexhaustive
public enum RequestorSigningError: Error, Sendable, Hashable {
    /// A text is empty, has characters that must be a mistake, or does not fit into its form. Nothing was signed or verified.
    case unsuitable(field: String, TextFault)
    /// A claim cannot be written. Nothing was signed.
    case unsuitableClaim(name: String, ClaimFault)
    /// A setting is out of range. Nothing was signed or verified.
    case unsuitableSetting(SigningSetting)
    /// The file of a secret could not be read.
    case unreadableSecret(file: String, reason: String)
    /// The text to verify, or the result of signing, is longer than allowed.
    case tooLarge(limit: Int)
    /// The text is not of the form it must have. If a claim is named, the signature is good.
    case malformed(MalformedSignedText)
    /// The text names another algorithm than the verifier's. Nothing is established.
    case unsupportedAlgorithm(String)
    /// The request names another public key than the verifier's. Nothing is established.
    case unknownPublicKey
    /// No trusted key signed this. Nothing is established.
    case badSignature
    /// The signature is good; the token has expired.
    case expired(at: Timestamp, now: Timestamp)
    /// The signature is good; the token is not valid yet, or one of the clocks is wrong.
    case notYetValid(from: Timestamp, now: Timestamp)
    /// The signature is good; the request was made too long before or after now.
    case outsideWindow(sent: Timestamp, now: Timestamp, window: TimeToLive)
    /// The signature is good; a required claim is missing.
    case missingClaim(String)
    /// The signature is good; a field says something else than expected.
    case mismatch(field: String, expected: [String], presented: [String])
    /// No decision could be made. Nothing is established.
    case undecided(SigningUndecided)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unsuitable: "unsuitable_text"
        case .unsuitableClaim: "unsuitable_claim"
        case .unsuitableSetting: "unsuitable_setting"
        case .unreadableSecret: "unreadable_secret"
        case .tooLarge: "too_large"
        case .malformed: "malformed"
        case .unsupportedAlgorithm: "unsupported_algorithm"
        case .unknownPublicKey: "unknown_public_key"
        case .badSignature: "bad_signature"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .outsideWindow: "outside_window"
        case .missingClaim: "missing_claim"
        case .mismatch: "mismatch"
        case .undecided(.emptyExpectation): "empty_expectation"
        case .undecided: "internal"
        }
    }
}

/// Names what is wrong with the form of something that was signed.
@nonexhaustive
public enum MalformedSignedText: Sendable, Hashable {
    /// The signature is not Base64: standard alphabet, padded, on one line or in lines of 76 symbols.
    case signatureNotBase64
    /// A token does not have three parts between dots.
    case partCount(Int)
    /// A token has an encoding that is not taken off, such as UTF-16.
    case encoded(ForeignEncoding)
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
    /// A date is not a number of seconds, or is after the year 9999; usually milliseconds were sent.
    case date(name: String)
    /// A request's header is not of the exact form. Carries the first field that is missing or malformed.
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

/// Names a setting that is out of range.
@nonexhaustive
public enum SigningSetting: Sendable, Hashable {
    /// A lifetime is not a whole number of seconds, not positive, or longer than 366 days.
    case lifetime(TimeToLive)
    /// A leeway is negative or above 10 minutes.
    case leeway(TimeToLive)
    /// The tolerance for instants in the future is negative or above 10 minutes.
    case futureTolerance(TimeToLive)
    /// The window around the time of a request is not positive or above 1 hour.
    case window(TimeToLive)
    /// The maximum length is not positive.
    case maximumLength(Int)
    /// The instant of signing is before 1970 or after the year 9999.
    case instant(Timestamp)
}

/// Says why no decision could be made.
@nonexhaustive
public enum SigningUndecided: Sendable, Hashable {
    /// An expectation is an empty string or an empty list. To leave a check out, say `.unchecked`.
    case emptyExpectation
    /// The set of keys is empty.
    case noKeys
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case backend(String)
}

extension RequestorSigningError {
    /// libcrypto failed.
    init(_ failure: OpenSSLFailure) { self = .undecided(.backend(failure.description)) }
}

extension RequestorSigningError: CustomStringConvertible {
    /// What happened, to which input, and what to do, in one line.
    public var description: String {
        switch self {
        case .unsuitable(let field, let fault):
            "the \(field) \(fault)"
        case .unsuitableClaim(let name, let fault):
            "the claim \(quoted(name)) \(fault)"
        case .unsuitableSetting(let setting):
            setting.description
        case .unreadableSecret(let file, let reason):
            "\(file.printable): \(reason)"
        case .tooLarge(let limit):
            "longer than \(limit) bytes"
        case .malformed(let text):
            text.description
        case .unsupportedAlgorithm(let name):
            "signed with the algorithm \(quoted(name)), which this verifier does not accept"
        case .unknownPublicKey:
            "the request names another public key than the verifier's"
        case .badSignature:
            "no trusted key made this signature: the text was changed, or it was signed with another key"
        case .expired(let end, let now):
            "expired at \(end), \(now.since(end)) before now (\(now)); get a new one"
        case .notYetValid(let start, let now):
            "valid from \(start), \(start.since(now)) after now (\(now)): this machine's clock or the issuer's is wrong"
        case .outsideWindow(let sent, let now, let window):
            "the request was made at \(sent), more than \(window) from now (\(now)): a clock is wrong, the request was "
                + "sent again, or its time is not in milliseconds"
        case .missingClaim(let name):
            "the claim \(quoted(name)) is missing"
        case .mismatch(let field, let expected, let presented):
            Self.words(field, presented, not: expected)
        case .undecided(let reason):
            reason.description
        }
    }
}

extension MalformedSignedText: CustomStringConvertible {
    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .signatureNotBase64:
            "the signature is not Base64 (standard alphabet, padded, on one line or in lines of 76 symbols)"
        case .partCount(let count):
            "not a JSON Web Token: \(count) \(count == 1 ? "part" : "parts") instead of three between dots"
        case .encoded(let encoding):
            "not a JSON Web Token as it is: the text is \(encoding)"
        case .encryptedToken:
            "an encrypted JSON Web Token (five parts); only signed ones are read"
        case .notBase64URL(let section):
            "the token's \(section.rawValue) is not Base64url without padding"
        case .notJSON(let section, let reason):
            "the token's \(section.rawValue) is not a JSON object, or not an acceptable one: \(reason)"
        case .header(let name):
            "the token's header has no \(name), or one of the wrong type"
        case .criticalExtension:
            "the token's header demands extensions (crit) that are not known here"
        case .claimType(let name):
            "the claim \(name) has the wrong type"
        case .date(let name):
            "the claim \(name) is not a date in seconds since 1970 (a number of milliseconds is after the year 9999)"
        case .request(let field):
            "not an authorization of the form METHOD requestor_id=…, nonce=…, signature_method=…, request_time=…, "
                + "request_uri=…, public_key=…, signature=…: wrong at \(field)"
        }
    }
}

extension SigningSetting: CustomStringConvertible {
    /// Which setting, its value, and what it may be.
    public var description: String {
        switch self {
        case .lifetime(let value): "a lifetime of \(value) is not a whole number of seconds between 1 s and 366 days"
        case .leeway(let value): "a leeway of \(value) is not between 0 and 10 minutes"
        case .futureTolerance(let value): "a tolerance of \(value) is not between 0 and 10 minutes"
        case .window(let value): "a window of \(value) is not above 0 and up to 1 hour"
        case .maximumLength(let value): "a maximum length of \(value) bytes is not above 0"
        case .instant(let value):
            "\(value) is before 1970 or after the year 9999, so nothing can be signed at this time"
        }
    }
}

extension SigningUndecided: CustomStringConvertible {
    /// What is wrong with the signer's or verifier's side.
    public var description: String {
        switch self {
        case .emptyExpectation: "an expected value is empty; to leave the check out, use .unchecked"
        case .noKeys: "there are no keys to verify with"
        case .backend(let words): "libcrypto failed (\(words)); try again"
        }
    }
}

/// Shortens a text whose signature was not checked, so that it fits into a log.
func excerpt(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(32)))
}

private func quoted(_ text: String) -> String { "\"\(text.printable)\"" }

extension RequestorSigningError {
    private static func words(_ field: String, _ presented: [String], not expected: [String]) -> String {
        let texts = String.quotedApart(presented, expected)
        let found = texts.one.isEmpty ? "absent" : texts.one.joined(separator: " and ")
        return "\(field) is \(found), not \(texts.other.isEmpty ? "any" : texts.other.joined(separator: " or "))"
    }
}
