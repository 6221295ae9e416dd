public import EntitlementKeys
public import EntitlementValues
import MediaTokens
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
