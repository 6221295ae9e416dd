import ServiceResponses
import TextCodecs

/// A token of the device's platform, by which applications on the device share a sign-on.
///
/// It is passed on as the platform made it. It stands for a user, so neither description nor mirror shows it.
public struct PlatformToken: Sendable, Hashable {
    /// The longest token, in bytes.
    public static let maximumLength = 16_384
    /// The names of the headers that carry such a token.
    public static let names = [subjectName, rokuName]

    private static let subjectName = "Adobe-Subject-Token"
    private static let rokuName = "X-Roku-Reserved-Roku-Connect-Token"
    private let redactedText: Redacted<String>

    /// The header's name.
    public let name: String

    /// The token itself.
    public var compact: String { redactedText.value }

    /// The value of the header: the token.
    public var headerValue: String { compact }

    private init(_ compact: String, name: String) throws(BrokerHeaderError) {
        try CompactToken.check(compact, of: name, limit: Self.maximumLength, kinds: [.signed, .encrypted])
        (self.name, redactedText) = (name, Redacted(compact))
    }

    /// The token of most platforms, `Adobe-Subject-Token`.
    ///
    /// - Parameter compact: A JWS or JWE in compact form.
    /// - Returns: The header.
    /// - Throws: `.empty`, `.tooLong`, `.unexpectedCharacter`, or `.unexpectedForm` for anything but a JWS or JWE.
    public static func subject(_ compact: String) throws(BrokerHeaderError) -> PlatformToken {
        try PlatformToken(compact, name: subjectName)
    }

    /// The token that one platform adds by itself, `X-Roku-Reserved-Roku-Connect-Token`.
    ///
    /// - Parameter compact: A JWS or JWE in compact form.
    /// - Returns: The header.
    /// - Throws: `.empty`, `.tooLong`, `.unexpectedCharacter`, or `.unexpectedForm` for anything but a JWS or JWE.
    public static func roku(_ compact: String) throws(BrokerHeaderError) -> PlatformToken {
        try PlatformToken(compact, name: rokuName)
    }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - name: The name of the header, in any case; one of ``names``.
    ///   - headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`; `.unexpectedForm` for another name.
    public init(name: String, headerValue: String) throws(BrokerHeaderError) {
        guard let known = Self.names.first(where: { $0.lowercased() == name.lowercased() }) else {
            throw .unexpectedForm(header: "name", expected: Self.names.joined(separator: " or "))
        }
        try self.init(headerValue, name: known)
    }
}

extension PlatformToken: CustomStringConvertible {
    /// The header's name, not the token.
    public var description: String { "platform token in \(name)" }
}
