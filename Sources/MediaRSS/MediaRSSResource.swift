public import EntitlementValues

/// Reads a resource that is an MRSS fragment, and keeps only what tells one resource from another.
///
/// These facts count: the channel's title, and for each item, in document order, its title, its guid and its ratings
/// (namespace, `scheme` and text). Texts are what an XML parser reads from them, compared byte by byte: nothing is
/// trimmed, folded or normalised, and an element that is absent is not the same as one that is empty.
///
/// These do not count: CDATA or references as a spelling of text, the order of attributes, the prefix that stands for a
/// namespace, white space between elements, the order of title, guid and ratings among each other, every other
/// attribute, and every other element with all that is in it.
///
/// The viewer's device chooses the resource and the provider's own reader decides on it, so a fragment that two readers
/// may understand differently is refused, not compared loosely; ``AmbiguousPart`` lists what that is.
public struct MediaRSSResource: Sendable {
    /// The title of the channel: the brand.
    public let channelTitle: String
    /// The items of the channel, in document order; none where the whole channel is the resource.
    public let items: [Item]

    /// Holds the facts of one item.
    public struct Item: Sendable {
        /// The text of the title; `nil` without such an element.
        public let title: String?
        /// The text of the guid; `nil` without such an element.
        public let guid: String?
        /// The ratings, in document order.
        public let ratings: [Rating]
    }

    /// Holds the facts of one rating.
    public struct Rating: Sendable {
        /// The namespace of the element, whatever prefix stands for it; `nil` without one.
        ///
        /// It counts since a provider's reader may not see a rating that is not in the MRSS namespace, and so allow what
        /// the rating would have forbidden.
        public let namespace: String?
        /// The value of the attribute `scheme`, for example `urn:v-chip`; `nil` without one.
        public let scheme: String?
        /// The rating itself, for example `tv-pg`.
        public let text: String
    }

    /// The length above which a fragment is not read: 64 KiB, the longest that a token can be.
    public static let maximumBytes = 65_536

    /// Reads an MRSS fragment.
    ///
    /// The root is `rss`, with one `channel` that has one `title`. Elements are known by their local names. No entity is
    /// declared or resolved, and nothing outside the text is opened.
    /// - Parameter text: The fragment, with or without an XML declaration; UTF-8 is the only encoding it may declare.
    /// - Throws: ``MediaRSSError``, all of its cases.
    public init(_ text: String) throws(MediaRSSError) {
        let facts = try FactReader.facts(in: documentBytes(text))
        channelTitle = facts.channelTitle
        items = facts.items
    }

    /// Reads a resource identifier that is an MRSS fragment.
    /// - Parameter resource: The identifier, as an application asks for it or as a token names it.
    /// - Throws: ``MediaRSSError``, all of its cases.
    public init(_ resource: ResourceID) throws(MediaRSSError) {
        try self.init(resource.rawValue)
    }

    init(channelTitle: String, items: [Item]) {
        self.channelTitle = channelTitle
        self.items = items
    }
}
