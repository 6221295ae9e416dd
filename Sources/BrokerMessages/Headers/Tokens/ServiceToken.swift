import RequestorSigning
import ServiceResponses
import TextCodecs

/// The token of the programmer's own identity service, `AD-Service-Token`, by which devices of one user share a sign-on.
///
/// `ServiceTokenSigner` makes it. It stands for a user, so neither description nor mirror shows it.
public struct ServiceToken: BrokerHeader {
    /// `AD-Service-Token`.
    public static let name = "AD-Service-Token"
    /// The longest token, in bytes.
    public static let maximumLength = ServiceTokenSigner.maximumLength

    private let redactedText: Redacted<String>

    /// The token itself.
    public var compact: String { redactedText.value }

    /// Takes a signed token; its signature and its claims are not checked here.
    ///
    /// - Parameter compact: A JWS in compact form: three parts of Base64url with dots between them.
    /// - Throws: `.empty`, `.tooLong`, `.unexpectedCharacter`, or `.unexpectedForm` for anything but a JWS.
    public init(_ compact: String) throws(BrokerHeaderError) {
        try CompactToken.check(compact, of: Self.name, limit: Self.maximumLength, kinds: [.signed])
        redactedText = Redacted(compact)
    }

    /// Reads the token.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: As ``init(_:)``.
    public init(headerValue: String) throws(BrokerHeaderError) { try self.init(headerValue) }

    /// The token.
    public var headerValue: String { compact }
}

extension ServiceToken: CustomStringConvertible {
    /// The words *service token*, not the token.
    public var description: String { "service token" }
}

/// Checks the outside of tokens that others made.
enum CompactToken {
    /// Checks that a text is a JWS or JWE in compact form, by its alphabet and its parts.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - header: The name of the header.
    ///   - limit: The most bytes.
    ///   - kinds: What the token may be.
    /// - Throws: `.empty`, `.tooLong`, `.unexpectedCharacter` or `.unexpectedForm`.
    static func check(
        _ text: String,
        of header: String,
        limit: Int,
        kinds: [CompactSerialization.Kind]
    ) throws(BrokerHeaderError) {
        try HeaderText.check(text, of: header, limit: limit) { $0.isURLSafe || $0 == UInt8(ascii: ".") }
        let kind = text.withBytes { CompactSerialization.kind(of: $0, in: 0..<$0.count) }
        guard let kind, kinds.contains(kind) else {
            let expected = kinds.contains(.encrypted) ? "a JWS or JWE in compact form" : "a JWS in compact form"
            throw .unexpectedForm(header: header, expected: expected)
        }
    }
}
