#if Client
import BrokerClient
import TextCodecs

/// A provider's text for people, which may hold markup and links: taken apart into plain text and `https` addresses.
///
/// The text never holds `<` or `>`, so that it stays text even where it is put into a page by mistake.
package struct ProviderText: Sendable, Hashable {
    /// The longest text, in characters; the rest is cut off.
    package static let maximumLength = 2000
    /// The most links.
    package static let maximumLinks = 10

    /// The text without markup, control characters, and white space around it.
    package private(set) var message = ""
    /// The addresses, each once, in the order of the text.
    package private(set) var links: [String] = []

    /// Elements of which the content is not for people.
    private static let hiddenElements: Set<String> = ["script", "style", "title"]
    private static let entities = [
        "&amp;": "&", "&quot;": "\"", "&apos;": "'", "&#39;": "'", "&nbsp;": " ", "&lt;": " ", "&gt;": " ",
    ]

    package init(_ text: String) {
        var plain: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            guard byte == UInt8(ascii: "<"), rest.dropFirst().first.map(Self.beginsMarkup) ?? false else {
                plain.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let markup = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest.dropFirst(markup.count + 1)
            plain.append(UInt8(ascii: " "))
            takeLinks(of: markup)
            let name = String(decoding: markup.dropFirst().prefix { $0.isASCIILetter }, as: UTF8.self).lowercased()
            if Self.hiddenElements.contains(name) { rest = rest.drop { $0 != UInt8(ascii: "<") } }
        }
        takeLinks(of: plain[...])
        message = Self.tidied(Self.withoutEntities(String(decoding: plain, as: UTF8.self)))
    }

    private static func beginsMarkup(_ byte: UInt8) -> Bool { byte.isASCIILetter || "/!?".utf8.contains(byte) }

    private static func withoutEntities(_ text: String) -> String {
        // One pass from the start: what an entity stands for is not read as an entity again.
        var result = ""
        var rest = text[...]
        while let place = rest.firstIndex(of: "&") {
            result += rest[..<place]
            rest = rest[place...]
            let found = entities.first { rest.utf8.starts(with: $0.key.utf8) }
            result += found?.value ?? "&"
            rest = rest.dropFirst(found?.key.count ?? 1)
        }
        return result + rest
    }

    /// Replaces what is not shown, or could change how the rest is shown, by single spaces.
    private static func tidied(_ text: String) -> String {
        let words = text.unicodeScalars.split { scalar in
            scalar.properties.isWhitespace || "<>".unicodeScalars.contains(scalar) || scalar.isUnseen
        }
        return String(words.map { String($0) }.joined(separator: " ").prefix(maximumLength))
    }

    // MARK: Links

    private mutating func takeLinks(of text: ArraySlice<UInt8>) {
        var rest = text
        let scheme = Array("https://".utf8)
        while links.count < Self.maximumLinks, let range = rest.firstRange(of: scheme) {
            var address = rest[range.lowerBound...].prefix { !$0.endsAddress }
            while let last = address.last, ".,;:!?)".utf8.contains(last) { address.removeLast() }
            rest = rest[max(address.endIndex, range.upperBound)...]
            let link = Self.withoutEntities(String(decoding: address, as: UTF8.self))
            if Self.isPlain(link), !links.contains(link) { links.append(link) }
        }
    }

    /// Whether an address names a host, and no user who could look like one.
    private static func isPlain(_ link: String) -> Bool {
        guard link.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return false }
        let origin = link.utf8.prefix(8) + link.utf8.dropFirst(8).prefix { !"/?#".utf8.contains($0) }
        return (try? BrokerOrigin(parsing: String(decoding: Array(origin), as: UTF8.self))) != nil
    }
}

extension UInt8 {
    /// Whether an address in a text ends before this byte.
    ///
    /// Letters beyond ASCII do not end it: what stands before them is the address of another host.
    fileprivate var endsAddress: Bool { self <= 0x20 || "\"'<>`".utf8.contains(self) }
}

extension Unicode.Scalar {
    /// Whether it is a control character, or one that changes the direction of others.
    fileprivate var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
#endif
