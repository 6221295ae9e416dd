import TextCodecs

/// The broker's identifier of an authentication session.
///
/// It belongs to one user's login, so neither its description nor its mirror shows it. Identifiers are compared byte by
/// byte.
public struct SessionID: Sendable {
    private let redactedText: Redacted<String>

    /// The identifier as it is written on the wire, usually a UUID.
    public var text: String { redactedText.value }

    /// Makes an identifier from its text, unchanged.
    public init(_ text: String) { redactedText = Redacted(text) }
}

extension SessionID: Hashable {
    /// Compares the UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the UTF-8 bytes, which are what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension SessionID: CustomStringConvertible {
    /// The same text for every identifier.
    public var description: String { "session" }
}
