public import EntitlementKeys
public import EntitlementValues
public import MediaTokens
import TextCodecs

/// Verifies AuthN and AuthZ tokens, from which a ledger learns what was granted.
///
/// ```swift
/// let verifier = EntitlementTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem"))
/// let token = try verifier.verify(text)
/// try ledger.record(token)
/// ```
///
/// These tokens have the envelope and the signature rule of media tokens. They come in the same forms, as plain text,
/// as Base64 of it, or percent-encoded, and also as the escaped text of an XML element. The root element decides which
/// of the two a token is. A media token is refused: it is used once and never stored.
///
/// What is *not* checked: the time, which the ledger checks, and for whom the token is.
public struct EntitlementTokenVerifier: Sendable {
    private let reader: SignedTextReader
    private let maximumLength: Int

    /// Makes a verifier that trusts some keys.
    ///
    /// - Parameters:
    ///   - keys: The trusted keys; any of them may have signed.
    ///   - maximumLength: The longest text that is read, in bytes, outer layers included.
    public init(keys: VerificationKeys, maximumLength: Int = 65_536) {
        self.maximumLength = max(1, maximumLength)
        // Unescaping makes a text shorter, so the same limit is enough here.
        reader = SignedTextReader(keys: keys, maximumLength: self.maximumLength)
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token in any of its forms.
    ///   - now: The instant at which the key is noted as used; nothing else depends on it.
    /// - Returns: What the token says.
    /// - Throws: `EntitlementTokenError`, the first check that failed.
    public func verify(
        _ text: String,
        at now: Timestamp = .now
    ) throws(EntitlementTokenError) -> VerifiedEntitlementToken {
        try text.withBytes { bytes throws(EntitlementTokenError) in try verify(bytes, at: now) }
    }

    /// Verifies a token given as bytes.
    ///
    /// - Parameters:
    ///   - bytes: The token in any of its forms.
    ///   - now: The instant at which the key is noted as used; nothing else depends on it.
    /// - Returns: What the token says.
    /// - Throws: `EntitlementTokenError`, the first check that failed.
    public func verify(
        _ bytes: Span<UInt8>,
        at now: Timestamp = .now
    ) throws(EntitlementTokenError) -> VerifiedEntitlementToken {
        guard bytes.count <= maximumLength else { throw .tooLarge(limit: maximumLength) }
        do throws(SignedTextError) {
            let signed: SignedText
            if let plain = try EscapedText.unescaping(bytes) {
                signed = try plain.withSpan { plain throws(SignedTextError) in try reader.read(plain, at: now) }
            } else {
                signed = try reader.read(bytes, at: now)
            }
            return try EntitlementFields.token(in: signed)
        } catch {
            throw EntitlementTokenError(error)
        }
    }

    /// Verifies a token given as an array.
    ///
    /// - Parameters:
    ///   - bytes: The token in any of its forms.
    ///   - now: The instant at which the key is noted as used; nothing else depends on it.
    /// - Returns: What the token says.
    /// - Throws: `EntitlementTokenError`, the first check that failed.
    public func verify(
        _ bytes: [UInt8],
        at now: Timestamp = .now
    ) throws(EntitlementTokenError) -> VerifiedEntitlementToken {
        try bytes.withSpan { bytes throws(EntitlementTokenError) in try verify(bytes, at: now) }
    }
}

/// A token that came as the text of an XML element, its markup escaped.
enum EscapedText {
    /// Resolves the character references once; `nil` if the text is not escaped.
    ///
    /// Throws `.malformed(.entityEscaped)` if only a part of it is escaped.
    static func unescaping(_ text: Span<UInt8>) throws(SignedTextError) -> [UInt8]? {
        let start = text.skippingByteOrderMarkAndWhiteSpace(0)
        guard text.has(escapedMarker, at: start) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count - start)
        var index = start
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "<"):
                throw .malformed(.entityEscaped)
            case UInt8(ascii: "&"):
                guard let reference = CharacterReference(text, at: index, end: text.count) else {
                    throw .malformed(.entityEscaped)
                }
                bytes.append(contentsOf: String(reference.scalar).utf8)
                index = reference.end
            default:
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }
}

private let escapedMarker = Array("&lt;signatureInfo&gt;".utf8)

/// An AuthN or AuthZ token whose signature is good: what was granted, and until when.
///
/// Only a verifier makes one. Whether it has expired is not checked here; a ledger does that.
public struct VerifiedEntitlementToken: Sendable {
    /// What was granted: an authentication by an AuthN token, an authorization by an AuthZ token.
    public let entitlement: Entitlement
    /// The end, as an absolute instant; `nil` if the date could not be read, which counts as expired.
    public let expires: Timestamp?
    /// The device that the token is bound to; `nil` if it names none.
    public let device: DeviceID?
    /// The lifetime that the server set; `nil` if the token names none.
    ///
    /// For information only: the end counts.
    public let ttl: TimeToLive?
    /// The trusted key that signed it.
    public let key: VerificationKey

    init(
        entitlement: Entitlement,
        expires: Timestamp?,
        device: DeviceID?,
        ttl: TimeToLive?,
        key: VerificationKey
    ) {
        self.entitlement = entitlement
        self.expires = expires
        self.device = device
        self.ttl = ttl
        self.key = key
    }
}

extension VerifiedEntitlementToken: CustomStringConvertible {
    /// Everything but the device.
    public var description: String {
        "verified token (\(entitlement), expires \(expires?.description ?? "at a date that cannot be read"))"
    }
}

extension EntitlementLedger {
    /// Records what a verified AuthN or AuthZ token grants.
    ///
    /// The tokens have no first instant, so the one that is recorded last is the newer one.
    ///
    /// - Parameter token: The verified token.
    /// - Returns: What the ledger did.
    /// - Throws: `LedgerError.full`.
    @discardableResult
    public func record(_ token: VerifiedEntitlementToken) throws(LedgerError) -> RecordOutcome {
        try record(token.entitlement, EntitlementPeriod(notAfter: token.expires), device: token.device)
    }
}

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
