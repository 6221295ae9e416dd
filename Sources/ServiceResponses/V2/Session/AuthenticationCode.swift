import TextCodecs

/// The code of an authentication session, which a user may have to type on a second screen.
///
/// The code alone lets any registered application read the user's profile, so neither its description nor its mirror
/// shows it. Keep it out of logs, and do not store it once it was used. Codes are compared byte by byte.
public struct AuthenticationCode: Sendable {
    private let redactedText: Redacted<String>

    /// The code as it is written on the wire: six or seven capital letters and digits, `I`, `O` and `0` included.
    public var text: String { redactedText.value }

    /// Makes a code from its text, unchanged.
    public init(_ text: String) { redactedText = Redacted(text) }
}

extension AuthenticationCode: Hashable {
    /// Compares the UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the UTF-8 bytes, which are what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension AuthenticationCode: CustomStringConvertible {
    /// The same text for every code.
    public var description: String { "authentication code" }
}
