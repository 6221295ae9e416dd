import RequestorSigning
import ServiceResponses

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
