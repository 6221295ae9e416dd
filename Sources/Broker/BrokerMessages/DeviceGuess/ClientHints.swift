import TextCodecs

/// What a browser says of its device in client hints, the request headers `Sec-CH-UA-…`.
///
/// Browsers that send hints write less into `User-Agent`: neither model nor the system's version. Most hints are sent only
/// to sites that asked for them with `Accept-CH`.
public struct ClientHints: Sendable, Hashable {
    /// The headers that are read, for `Accept-CH` and `Vary`.
    public static let headerNames = [
        "Sec-CH-UA-Platform", "Sec-CH-UA-Platform-Version", "Sec-CH-UA-Model", "Sec-CH-UA-Mobile",
        "Sec-CH-UA-Form-Factors",
    ]

    /// The system, `Sec-CH-UA-Platform`.
    public let platform: String?
    /// The system's version, `Sec-CH-UA-Platform-Version`.
    public let platformVersion: String?
    /// The device's model, `Sec-CH-UA-Model`.
    public let model: String?
    /// Whether the browser prefers pages for small screens, `Sec-CH-UA-Mobile`.
    public let isMobile: Bool?
    /// The first of the device's forms, `Sec-CH-UA-Form-Factors`.
    public let formFactor: String?

    /// Takes the hints from a request's headers.
    ///
    /// A header of another form than it should have is read as missing.
    ///
    /// - Parameter value: Gives the value of the header of a name; `nil` if the request does not have it.
    public init(_ value: (String) -> String?) {
        platform = value("Sec-CH-UA-Platform").flatMap(Self.string)
        platformVersion = value("Sec-CH-UA-Platform-Version").flatMap(Self.string)
        model = value("Sec-CH-UA-Model").flatMap(Self.string)
        formFactor = value("Sec-CH-UA-Form-Factors").flatMap(Self.string)
        isMobile =
            switch value("Sec-CH-UA-Mobile") {
            case "?1": true
            case "?0": false
            default: nil
            }
    }

    /// No hints at all.
    public static let none = ClientHints { _ in nil }

    /// The first string of a header (RFC 8941 §3.3.3): printable ASCII in quotes; `nil` if it is empty or longer than 64
    /// bytes.
    private static func string(_ text: String) -> String? {
        let quote = UInt8(ascii: "\"")
        let bytes = text.utf8.prefix(130).drop { $0 == UInt8(ascii: " ") }
        guard bytes.first == quote else { return nil }
        var content: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst() {
            guard 0x20...0x7E ~= byte else { return nil }
            switch byte {
            case quote where !isEscaped: return 1...64 ~= content.count ? String(decoding: content, as: UTF8.self) : nil
            case UInt8(ascii: "\\") where !isEscaped: isEscaped = true
            default:
                content.append(byte)
                isEscaped = false
            }
        }
        return nil
    }
}

extension ClientHints: CustomStringConvertible, CustomReflectable {
    /// The words *client hints*, not the hints, which help to follow a person.
    public var description: String { "client hints" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
