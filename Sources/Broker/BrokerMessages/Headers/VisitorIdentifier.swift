import ServiceResponses
import TextCodecs

/// The visitor's identifier in the operator's analytics, `AP-Visitor-Identifier`.
///
/// It follows a person, so neither description nor mirror shows it.
public struct VisitorIdentifier: BrokerHeader {
    /// `AP-Visitor-Identifier`.
    public static let name = "AP-Visitor-Identifier"
    /// The longest identifier, in bytes.
    public static let maximumLength = 256

    private let redactedText: Redacted<String>

    /// The identifier itself.
    public var text: String { redactedText.value }

    /// Makes the header of an identifier.
    ///
    /// - Parameter text: The identifier: visible ASCII characters except quotes.
    /// - Throws: `.empty`, `.tooLong` or `.unexpectedCharacter`.
    public init(_ text: String) throws(BrokerHeaderError) {
        try HeaderText.check(text, of: Self.name, limit: Self.maximumLength) { $0 != UInt8(ascii: "\"") }
        redactedText = Redacted(text)
    }

    /// Reads the identifier, with or without quotes around it: the reference's example has them.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: As ``init(_:)``.
    public init(headerValue: String) throws(BrokerHeaderError) {
        let quote = UInt8(ascii: "\"")
        let bytes = headerValue.utf8
        if bytes.count >= 2, bytes.first == quote, bytes.last == quote {
            try self.init(String(headerValue.unicodeScalars.dropFirst().dropLast()))
        } else {
            try self.init(headerValue)
        }
    }

    /// The identifier, without quotes.
    public var headerValue: String { text }
}

extension VisitorIdentifier: CustomStringConvertible {
    /// The words *visitor identifier*, not the identifier.
    public var description: String { "visitor identifier" }
}
