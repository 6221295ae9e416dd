public import EntitlementValues

/// The facts of an MRSS fragment that tell one resource from another.
///
/// These facts are compared: the channel's title, and for each item, in document order, its title, its guid and its
/// ratings (namespace, `scheme` and text). Texts are compared byte by byte as an XML parser reads them. They are not
/// trimmed, case folded or normalised, and an absent element differs from an empty one.
///
/// These are ignored: whether a text is written as CDATA or with references, the order of attributes, namespace
/// prefixes, white space between elements, the order of title, guid and ratings, and all other attributes and elements.
///
/// The viewer's device chooses the resource, and the provider's own reader decides on it. So a fragment is refused if
/// two readers could understand it differently; ``AmbiguousPart`` lists the reasons.
public struct MediaRSSResource: Sendable {
    /// The title of the channel: the brand.
    public let channelTitle: String
    /// The items of the channel, in document order; empty if the whole channel is the resource.
    public let items: [Item]

    /// The facts of one item.
    public struct Item: Sendable {
        /// The text of the title; `nil` if the item has none.
        public let title: String?
        /// The text of the guid; `nil` if the item has none.
        public let guid: String?
        /// The ratings, in document order.
        public let ratings: [Rating]
    }

    /// The facts of one rating.
    public struct Rating: Sendable {
        /// The namespace of the element; `nil` if it has none.
        ///
        /// It is compared because a provider's reader may ignore a rating outside the MRSS namespace, and then allow
        /// what the rating forbids.
        public let namespace: String?
        /// The value of the attribute `scheme`, for example `urn:v-chip`; `nil` if there is none.
        public let scheme: String?
        /// The text of the rating, for example `tv-pg`.
        public let text: String
    }

    /// The most bytes that a fragment may have: 64 KiB, the maximum length of a token.
    public static let maximumBytes = 65_536

    /// Parses an MRSS fragment.
    ///
    /// The root must be `rss` with one `channel`, which must have one `title`. Elements are recognised by their local
    /// names. Entities are neither declared nor resolved, and nothing outside the text is opened.
    ///
    /// - Parameter text: The fragment. If it has an XML declaration, the only encoding allowed there is UTF-8.
    /// - Throws: ``MediaRSSError``; any of its cases.
    public init(_ text: String) throws(MediaRSSError) {
        let facts = try FactReader.facts(in: documentBytes(text))
        channelTitle = facts.channelTitle
        items = facts.items
    }

    /// Parses a resource identifier that is an MRSS fragment.
    ///
    /// - Parameter resource: The identifier, as an application asks for it or as a token names it.
    /// - Throws: ``MediaRSSError``; any of its cases.
    public init(_ resource: ResourceID) throws(MediaRSSError) {
        try self.init(resource.rawValue)
    }

    init(channelTitle: String, items: [Item]) {
        self.channelTitle = channelTitle
        self.items = items
    }
}

extension Expectation where Value == ResourceID {
    /// Accepts an MRSS resource that has the same facts as the expected one, however it is spelled.
    ///
    /// ``MediaRSSResource`` says which facts are compared. The expected resource is parsed here, once. A token does not
    /// match if its resource is not an MRSS fragment, or is an ambiguous one.
    ///
    /// - Parameter expected: The MRSS fragment that the application asked for.
    /// - Returns: An expectation for a media token's resource.
    /// - Throws: ``MediaRSSError`` if the expected resource cannot be compared; any of its cases.
    public static func mediaRSS(_ expected: ResourceID) throws(MediaRSSError) -> Self {
        let resource = try MediaRSSResource(expected)
        return .matching(expected) { presented in
            guard let other = try? MediaRSSResource(presented) else { return false }
            return resource.firstDifference(from: other) == nil
        }
    }
}
