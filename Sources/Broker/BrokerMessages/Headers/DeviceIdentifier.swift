import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// The streaming device's own identifier, `AP-Device-Identifier`.
///
/// It is sent as `fingerprint` and the Base64 of the text. It has to stay the same through restarts, updates and
/// reinstallations, since a new one loses every profile of the device. It identifies a household's device, so neither
/// description nor mirror shows it.
public struct DeviceIdentifier: BrokerHeader {
    /// `AP-Device-Identifier`.
    public static let name = "AP-Device-Identifier"
    /// The longest identifier, in bytes of UTF-8.
    public static let maximumLength = 512

    private static let type = "fingerprint"
    private let redactedText: Redacted<String>

    /// The identifier itself.
    public var text: String { redactedText.value }

    /// Makes an identifier of a text that the device or the server keeps.
    ///
    /// - Parameter text: The identifier, for example a UUID; sent as it is. The broker has answered 500 to odd characters,
    ///   so take ``init(hashing:)`` for a text that may have other ones than letters, digits, `-`, `_` and `.`.
    /// - Throws: `.empty`, `.tooLong`, or `.unexpectedCharacter` for control characters.
    public init(_ text: String) throws(BrokerHeaderError) {
        try HeaderText.check(encoded: text, of: Self.name, limit: Self.maximumLength)
        redactedText = Redacted(text)
    }

    /// Makes an identifier of a platform's identifier, which the broker then does not get to know.
    ///
    /// - Parameter identifier: The platform's identifier; its bytes are hashed as they are.
    /// - Throws: `.empty` if there is nothing to hash, `.backend` if libcrypto failed.
    public init(hashing identifier: String) throws(BrokerHeaderError) {
        redactedText = Redacted(try SHA256Text.hash(identifier, for: Self.name))
    }

    /// Reads `fingerprint`, spaces, and Base64.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`; `.unexpectedForm` for another type than `fingerprint`.
    public init(headerValue: String) throws(BrokerHeaderError) {
        let encoded = try AuthenticationScheme.value(
            of: headerValue, after: Self.type, in: Self.name, expected: "of the form `fingerprint <Base64>`")
        try self.init(try HeaderText.decodeBase64(encoded, of: Self.name, limit: Self.maximumLength))
    }

    /// Whether it has other characters than ASCII letters and digits, `-`, `_` and `.`: to some of them the broker answered
    /// 500 until its release 3.8.0 (August 2026).
    package var hasOddCharacters: Bool {
        text.utf8.contains { !$0.isASCIILetter && !$0.isASCIIDigit && !"-_.".utf8.contains($0) }
    }

    /// `fingerprint`, a space, and the Base64 of the identifier.
    public var headerValue: String { "\(Self.type) \(Base64.encode(Array(text.utf8)))" }
}

extension DeviceIdentifier: CustomStringConvertible {
    /// The words *device identifier*, not the identifier.
    public var description: String { "device identifier" }
}
