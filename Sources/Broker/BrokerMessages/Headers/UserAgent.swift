import ServiceResponses

/// What the program on the streaming device calls itself, `User-Agent` (RFC 9110 §10.1.5).
///
/// The broker adds what it reads there to the device's information. Together with an address it may lead to a person, so
/// neither description nor mirror shows it.
public struct UserAgent: BrokerHeader {
    /// `User-Agent`.
    public static let name = "User-Agent"
    /// The longest value, in bytes.
    public static let maximumLength = 1024

    private let text: Redacted<String>

    /// Takes the value of a request of the device's, unchanged.
    ///
    /// - Parameter headerValue: The value: visible ASCII characters, and spaces between them.
    /// - Throws: `.empty`, `.tooLong` or `.unexpectedCharacter`.
    public init(headerValue: String) throws(BrokerHeaderError) {
        try HeaderText.checkLength(headerValue, of: Self.name, limit: Self.maximumLength)
        let space = UInt8(ascii: " ")
        let last = headerValue.utf8.count - 1
        for (offset, byte) in headerValue.utf8.enumerated() {
            guard 0x21...0x7E ~= byte || byte == space && 0 < offset && offset < last else {
                throw .unexpectedCharacter(header: Self.name, offset: offset)
            }
        }
        text = Redacted(headerValue)
    }

    /// The value, as it was taken.
    public var headerValue: String { text.value }

    /// Whether a value is that of a browser, or of a page inside of an app.
    ///
    /// Since the first of them, all call themselves `Mozilla`, but for some television sets with an old Opera. Libraries
    /// for HTTP and players do not.
    package static func isOfBrowser(_ headerValue: String) -> Bool {
        headerValue.hasPrefix("Mozilla/") || headerValue.hasPrefix("Opera/")
    }
}

extension UserAgent: CustomStringConvertible {
    /// The words *user agent*, not the value.
    public var description: String { "user agent" }
}
