import TextCodecs
public import EntitlementValues

/// Says why something was not signed, or why what others signed is not good.
///
/// Each case says what had been established before. No case carries a secret, key material or a signature; texts in it
/// come from the caller or, in a mismatch, from what a trusted key signed.
@nonexhaustive
public enum RequestorSigningError: Error, Sendable, Hashable {
    /// A text can hardly be meant. Nothing was signed or verified.
    case unsuitable(field: String, TextFault)
    /// A claim cannot be written. Nothing was signed.
    case unsuitableClaim(name: String, ClaimFault)
    /// A setting makes no sense. Nothing was signed or verified.
    case unsuitableSetting(SigningSetting)
    /// The file of a secret could not be read.
    case unreadableSecret(file: String, reason: String)
    /// The text is longer than allowed. When signing, the result would be.
    case tooLarge(limit: Int)
    /// The text is not of the form it must have. Where a claim is named, the signature is good.
    case malformed(MalformedSignedText)
    /// The text names another algorithm than the verifier's. Nothing is established.
    case unsupportedAlgorithm(String)
    /// The request names another public key than the verifier's. Nothing is established.
    case unknownPublicKey
    /// No trusted key signed this. Nothing is established.
    case badSignature
    /// The signature is good; the time is over.
    case expired(at: Timestamp, now: Timestamp)
    /// The signature is good; the time has not come, or the issuer's clock is wrong.
    case notYetValid(from: Timestamp, now: Timestamp)
    /// The signature is good; the request was made too long before or after now.
    case outsideWindow(sent: Timestamp, now: Timestamp, window: TimeToLive)
    /// The signature is good; a required claim is not there.
    case missingClaim(String)
    /// The signature is good; a field says something else than expected.
    case mismatch(field: String, expected: [String], presented: [String])
    /// No decision could be made. Nothing is established.
    case undecided(SigningUndecided)

    /// The stable name of the error: what programs and log searches should look at.
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
        case .undecided: "internal"
        }
    }
}

/// Names a setting that makes no sense.
@nonexhaustive
public enum SigningSetting: Sendable, Hashable {
    /// A lifetime is not of whole seconds, not positive, or longer than 366 days.
    case lifetime(TimeToLive)
    /// A leeway is negative or above 10 minutes.
    case leeway(TimeToLive)
    /// The tolerance for instants in the future is negative or above 10 minutes.
    case futureTolerance(TimeToLive)
    /// The window around the time of a request is not positive or above 1 hour.
    case window(TimeToLive)
    /// The longest text is not positive.
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
    /// libcrypto failed, for example for want of memory; its own words, which hold no input.
    case backend(String)
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
            "signed by \(quoted(name)), which is not the algorithm that this verifier was made for"
        case .unknownPublicKey:
            "the request names another public key than the one it is verified with"
        case .badSignature:
            "no trusted key made this signature: the text was changed, or the signer's key is not the one it is verified with"
        case .expired(let end, let now):
            "expired at \(end), \(now.since(end)) before now (\(now)); ask for a new one"
        case .notYetValid(let start, let now):
            "good from \(start), \(start.since(now)) after now (\(now)): this machine's clock or the issuer's is wrong"
        case .outsideWindow(let sent, let now, let window):
            "the request was made at \(sent), more than \(window) from now (\(now)): one of the clocks is wrong, "
                + "it was sent again, or its time is not in milliseconds"
        case .missingClaim(let name):
            "the claim \(quoted(name)) is missing"
        case .mismatch(let field, let expected, let presented):
            "\(field) is \(list(presented, or: "absent", by: " and ")), expected was \(list(expected, or: "none", by: " or "))"
        case .undecided(let reason):
            reason.description
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
        case .instant(let value): "\(value) is no instant to sign at: it is before 1970 or after the year 9999"
        }
    }
}

extension SigningUndecided: CustomStringConvertible {
    /// What is wrong on this side.
    public var description: String {
        switch self {
        case .emptyExpectation: "an expected value is empty; to leave a check out, say so with .unchecked"
        case .noKeys: "there are no keys to verify with"
        case .backend(let words): "libcrypto could not do it (\(words)); try again"
        }
    }
}

/// Cuts a text that nobody signed: enough of it for a log, and no more.
func excerpt(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(32)))
}

private func quoted(_ text: String) -> String { "\"\(text.printable)\"" }

private func list(_ texts: [String], or none: String, by separator: String) -> String {
    texts.isEmpty ? none : texts.map(quoted).joined(separator: separator)
}
