public import EntitlementValues

/// What can be told of a record without the keys: enough to count and to find, nothing about the device.
public struct RecordSummary: Sendable, Hashable {
    /// Where the record is.
    public let key: RecordKey
    /// Its version.
    public let version: Int64
    /// The first instant at which it counts as absent.
    public let expires: Timestamp

    /// Describes a record.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - version: Its version.
    ///   - expires: The first instant at which it counts as absent.
    public init(key: RecordKey, version: Int64, expires: Timestamp) {
        (self.key, self.version, self.expires) = (key, version, expires)
    }
}

/// The place at which listing a store goes on; only the store that made it understands it.
public struct RecordCursor: Sendable, Hashable {
    /// The place in the store's own words.
    public let rawValue: String

    /// Makes a cursor, for stores of your own.
    ///
    /// - Parameter rawValue: The place in the store's own words.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Some of the records of a store.
public struct RecordPage: Sendable, Hashable {
    /// The records; a page may have none although more pages follow.
    public let summaries: [RecordSummary]
    /// Where the next page begins; `nil` after the last one.
    public let next: RecordCursor?

    /// Makes a page, for stores of your own.
    ///
    /// - Parameters:
    ///   - summaries: The records.
    ///   - next: Where the next page begins; `nil` for the last page.
    public init(summaries: [RecordSummary], next: RecordCursor?) {
        (self.summaries, self.next) = (summaries, next)
    }
}
