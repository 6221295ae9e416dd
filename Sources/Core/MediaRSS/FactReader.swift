/// Collects the facts of a fragment while a parser reads it, and refuses the first part that is ambiguous.
struct FactReader {
    /// The deepest level of elements that is read: MRSS uses four, and other elements may go deeper.
    private static let maximumDepth = 16

    /// The meaning of an open element.
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
    /// The text of the open title, guid or rating so far; the parser reports it in pieces.
    private var text: [UInt8] = []

    private struct PartialItem {
        var title: String?
        var guid: String?
        var ratings: [MediaRSSResource.Rating] = []
    }

    /// Parses a fragment and returns its facts.
    static func facts(in bytes: [UInt8]) throws(MediaRSSError) -> MediaRSSResource {
        var reader = FactReader()
        try reader.read(bytes)
        guard reader.hasChannel else { throw .ambiguous(.missing(path: "channel")) }
        guard let title = reader.channelTitle else { throw .ambiguous(.missing(path: "channel/title")) }
        return MediaRSSResource(channelTitle: title, items: reader.items)
    }

    /// The path of the open item, or of the next one.
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
    /// Refuses a namespace that is not an absolute URI, because other parsers refuse, resolve or ignore it.
    func declare(namespace: String) throws(MediaRSSError) {
        guard isAbsoluteURI(namespace) else { throw .notMediaRSS(.notWellFormed) }
    }

    /// Handles the start of an element.
    mutating func begin(_ name: XMLName, attributes: [XMLAttribute]) throws(MediaRSSError) {
        guard open.count < Self.maximumDepth else { throw .ambiguous(.tooDeep(limit: Self.maximumDepth)) }
        open.append(try place(of: name.local, namespace: name.namespace, attributes: attributes))
        text = []
    }

    /// Handles the end of the open element.
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

    /// Finds the meaning of an element from its local name and its parent.
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
            // A reader that searches the whole tree, or ignores case, would take it for the element in its place.
            if knownNames.contains(name.lowercased()) { throw .ambiguous(.misplaced(element: name.lowercased())) }
            return .other
        }
    }

    /// Refuses a second element, and one in another namespace than the root, which some readers would not see.
    private func check(
        _ name: String, in namespace: String?, isFirst: Bool, path: String
    ) throws(MediaRSSError) {
        guard isSame(namespace, rootNamespace) else { throw .ambiguous(.namespace(element: name)) }
        guard isFirst else { throw .ambiguous(.repeated(path: path)) }
    }
}

/// Whether a text is an absolute URI: a scheme, a colon and URI characters (RFC 3986), no IP address in brackets.
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

    /// Whether an attribute differs from `scheme` only in a prefix or in case.
    fileprivate var isNearlyScheme: Bool {
        !isScheme && local.utf8.map { $0 | 0x20 }.elementsEqual("scheme".utf8)
    }
}

// MARK: Text

extension FactReader {
    /// Handles a piece of text, whether plain or CDATA.
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

    /// Refuses a comment anywhere in the document.
    func takeComment() throws(MediaRSSError) {
        throw .ambiguous(.markup)
    }
}
