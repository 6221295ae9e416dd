/// Collects the facts that count while an XML parser reads a fragment, and refuses the first part that is odd.
struct FactReader {
    /// MRSS needs four levels; the rest is room for elements that do not count.
    private static let maximumDepth = 16

    /// An open element.
    private enum Place {
        case rss, channel, item
        case channelTitle, itemTitle, guid
        case rating(namespace: String?, scheme: String?)
        case other
    }

    private var open: [Place] = []
    private var rootNamespace: String?
    private var hasChannel = false
    private var channelTitle: String?
    private var items: [MediaRSSResource.Item] = []
    private var item = PartialItem()
    /// The text of the open title, guid or rating, which the parser hands out in pieces.
    private var text: [UInt8] = []

    private struct PartialItem {
        var title: String?
        var guid: String?
        var ratings: [MediaRSSResource.Rating] = []
    }

    /// Reads the facts of a fragment.
    static func facts(in bytes: [UInt8]) throws(MediaRSSError) -> MediaRSSResource {
        var reader = FactReader()
        try reader.read(bytes)
        guard reader.hasChannel else { throw .ambiguous(.missing(path: "channel")) }
        guard let title = reader.channelTitle else { throw .ambiguous(.missing(path: "channel/title")) }
        return MediaRSSResource(channelTitle: title, items: reader.items)
    }

    /// The path of the item that is open or comes next.
    private var itemPath: String { "item[\(items.count + 1)]" }
    private var ratingPath: String { "\(itemPath)/rating[\(item.ratings.count + 1)]" }

    private var path: String {
        switch open.last {
        case .channelTitle: "channel/title"
        case .itemTitle: "\(itemPath)/title"
        case .guid: "\(itemPath)/guid"
        case .rating: ratingPath
        case .rss, .channel, .item, .other, nil: ""
        }
    }
}

// MARK: Elements

extension FactReader {
    /// Refuses a namespace that is no absolute URI, as other parsers do, or resolve or drop it.
    func declare(namespace: String) throws(MediaRSSError) {
        guard isAbsoluteURI(namespace) else { throw .notMediaRSS(.notWellFormed) }
    }

    /// Takes the start of an element.
    mutating func begin(_ name: XMLName, attributes: [XMLAttribute]) throws(MediaRSSError) {
        guard open.count < Self.maximumDepth else { throw .ambiguous(.tooDeep(limit: Self.maximumDepth)) }
        open.append(try place(of: name.local, namespace: name.namespace, attributes: attributes))
        text = []
    }

    /// Takes the end of the element that is open.
    mutating func end() {
        guard let place = open.popLast() else { return }
        let text = String(decoding: text, as: UTF8.self)
        switch place {
        case .channelTitle: channelTitle = text
        case .itemTitle: item.title = text
        case .guid: item.guid = text
        case .rating(let namespace, let scheme):
            item.ratings.append(MediaRSSResource.Rating(namespace: namespace, scheme: scheme, text: text))
        case .item:
            items.append(MediaRSSResource.Item(title: item.title, guid: item.guid, ratings: item.ratings))
            item = PartialItem()
        case .rss, .channel, .other: break
        }
    }

    /// What an element is, by its local name and the element it stands in.
    private mutating func place(
        of name: String, namespace: String?, attributes: [XMLAttribute]
    ) throws(MediaRSSError) -> Place {
        switch (open.last, name) {
        case (nil, "rss"):
            rootNamespace = namespace
            return .rss
        case (nil, _):
            throw .notMediaRSS(.root)
        case (.rss, "channel"):
            try check(name, in: namespace, isFirst: !hasChannel, path: "channel")
            hasChannel = true
            return .channel
        case (.channel, "title"):
            try check(name, in: namespace, isFirst: channelTitle == nil, path: "channel/title")
            return .channelTitle
        case (.channel, "item"):
            try check(name, in: namespace, isFirst: true, path: itemPath)
            return .item
        case (.item, "title"):
            try check(name, in: namespace, isFirst: item.title == nil, path: "\(itemPath)/title")
            return .itemTitle
        case (.item, "guid"):
            try check(name, in: namespace, isFirst: item.guid == nil, path: "\(itemPath)/guid")
            return .guid
        case (.item, "rating"):
            guard !attributes.contains(where: \.name.isNearlyScheme) else {
                throw .ambiguous(.scheme(path: ratingPath))
            }
            return .rating(namespace: namespace, scheme: attributes.first { $0.name.isScheme }?.value)
        case (.channelTitle, _), (.itemTitle, _), (.guid, _), (.rating, _):
            throw .ambiguous(.elementInText(path: path))
        default:
            // A reader that searches the whole tree, or does not mind the case, would take it for the real one.
            if knownNames.contains(name.lowercased()) { throw .ambiguous(.misplaced(element: name.lowercased())) }
            return .other
        }
    }

    /// Refuses a second element, and one that a reader who minds namespaces would not see.
    private func check(
        _ name: String, in namespace: String?, isFirst: Bool, path: String
    ) throws(MediaRSSError) {
        guard isSame(namespace, rootNamespace) else { throw .ambiguous(.namespace(element: name)) }
        guard isFirst else { throw .ambiguous(.repeated(path: path)) }
    }
}

/// Whether a text is a scheme, a colon and characters of URIs (RFC 3986), without an IP address in brackets.
private func isAbsoluteURI(_ text: String) -> Bool {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    guard scheme.count < text.utf8.count, let first = scheme.first, first.isASCIILetter else { return false }
    return scheme.allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
        && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._~:/?#@!$&'()*+,;=%".utf8.contains($0) }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { 0x61...0x7A ~= self | 0x20 }
    fileprivate var isASCIILetterOrDigit: Bool { isASCIILetter || 0x30...0x39 ~= self }
}

private let knownNames: Set<String> = ["rss", "channel", "item", "title", "guid", "rating"]

extension XMLName {
    fileprivate var isScheme: Bool { namespace == nil && local == "scheme" }

    /// Whether an attribute is `scheme` but for a prefix or the case of its letters.
    fileprivate var isNearlyScheme: Bool {
        !isScheme && local.utf8.map { $0 | 0x20 }.elementsEqual("scheme".utf8)
    }
}

// MARK: Text

extension FactReader {
    /// Takes a piece of text, as such or in CDATA.
    mutating func take(text bytes: Span<UInt8>) throws(MediaRSSError) {
        switch open.last {
        case .channelTitle, .itemTitle, .guid, .rating:
            for index in bytes.indices { text.append(bytes[index]) }
        case .rss, .channel, .item:
            guard bytes.indices.allSatisfy({ bytes[$0].isXMLWhiteSpace }) else { throw .ambiguous(.strayText) }
        case .other, nil:
            break
        }
    }

    /// Refuses a comment, wherever it stands.
    func takeComment() throws(MediaRSSError) {
        throw .ambiguous(.markup)
    }
}
