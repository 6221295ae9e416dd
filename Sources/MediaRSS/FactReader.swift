import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Collects the facts that count while an XML parser reads a fragment, and stops at the first part that is odd.
final class FactReader: NSObject {
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
    private var isComplete = false
    private var channelTitle: String?
    private var items: [MediaRSSResource.Item] = []
    private var item = PartialItem()
    /// The text of the open title, guid or rating, which the parser hands out in pieces.
    private var text: [UInt8] = []
    private var error: MediaRSSError?

    private struct PartialItem {
        var title: String?
        var guid: String?
        var ratings: [MediaRSSResource.Rating] = []
    }

    /// Reads the facts of a fragment.
    static func read(_ octets: [UInt8]) throws(MediaRSSError) -> MediaRSSResource {
        let reader = FactReader()
        let parser = XMLParser(data: Data(octets))
        parser.delegate = reader
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        let isParsed = parser.parse()
        if let error = reader.error { throw error }
        // `parse()` alone proves little: it is true for a text that is cut off, for one that goes on after the root, and
        // for any text under four octets. The parser's error and the root's own end are the proof.
        guard isParsed, parser.parserError == nil, reader.isComplete else { throw .notMediaRSS(.notWellFormed) }
        guard reader.hasChannel else { throw .ambiguous(.missing(path: "channel")) }
        guard let title = reader.channelTitle else { throw .ambiguous(.missing(path: "channel/title")) }
        return MediaRSSResource(channelTitle: title, items: reader.items)
    }

    private func fail(_ parser: XMLParser, _ error: MediaRSSError) {
        if self.error == nil { self.error = error }
        parser.abortParsing()
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

extension FactReader: XMLParserDelegate {
    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard error == nil else { return }
        guard open.count < Self.maximumDepth else {
            return fail(parser, .ambiguous(.tooDeep(limit: Self.maximumDepth)))
        }
        // Without a namespace some platforms say nil and others an empty string.
        let namespace = namespaceURI.flatMap { $0.isEmpty ? nil : $0 }
        do {
            let place = try place(of: name, namespace: namespace, attributes: attributes)
            open.append(place)
            text = []
        } catch {
            fail(parser, error)
        }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard error == nil, let place = open.popLast() else { return }
        let text = String(decoding: text, as: UTF8.self)
        switch place {
        case .rss: isComplete = true
        case .channelTitle: channelTitle = text
        case .itemTitle: item.title = text
        case .guid: item.guid = text
        case .rating(let namespace, let scheme):
            item.ratings.append(MediaRSSResource.Rating(namespace: namespace, scheme: scheme, text: text))
        case .item:
            items.append(MediaRSSResource.Item(title: item.title, guid: item.guid, ratings: item.ratings))
            item = PartialItem()
        case .channel, .other: break
        }
    }

    /// What an element is, by its local name and the element it stands in.
    private func place(
        of name: String, namespace: String?, attributes: [String: String]
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
            guard !attributes.keys.contains(where: isNearlyScheme) else { throw .ambiguous(.scheme(path: ratingPath)) }
            return .rating(namespace: namespace, scheme: attributes["scheme"])
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

private let knownNames: Set<String> = ["rss", "channel", "item", "title", "guid", "rating"]

/// Whether an attribute is `scheme` but for a prefix or the case of its letters.
private func isNearlyScheme(_ name: String) -> Bool {
    // Octets, since a letter that joins with the colon would hide it from a search by characters.
    let localName = name.utf8.split(separator: UInt8(ascii: ":")).last ?? name.utf8[...]
    return name != "scheme" && localName.map { $0 | 0x20 }.elementsEqual("scheme".utf8)
}

// MARK: Text

extension FactReader {
    func parser(_ parser: XMLParser, foundCharacters string: String) {
        take(string.utf8, from: parser)
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        take(block, from: parser)
    }

    private func take(_ octets: some Sequence<UInt8>, from parser: XMLParser) {
        switch open.last {
        case .channelTitle, .itemTitle, .guid, .rating:
            text.append(contentsOf: octets)
        case .rss, .channel, .item:
            if !octets.allSatisfy(\.isXMLWhiteSpace) { fail(parser, .ambiguous(.strayText)) }
        case .other, nil:
            break
        }
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        fail(parser, .ambiguous(.markup))
    }

    /// Takes warnings for errors as well; stops at the first, since a hostile text can hold thousands.
    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        fail(parser, .notMediaRSS(.notWellFormed))
    }
}
