public import EntitlementValues
import Synchronization
import TextCodecs

/// Keeps records in the memory of this process.
///
/// It is meant for tests, and for programs that may forget everything when they end: registrations are lost then, too.
/// For several processes there are `SQLiteStores` and `RedisStores`.
public final class InMemoryRecordStore: RecordStore {
    /// The maximum number of records and aliases together.
    public let capacity: Int

    private let contents = Mutex(Contents())
    private let time: TimeSource

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of records and aliases together.
    ///   - time: Says which of them have expired.
    public init(capacity: Int = 1_000_000, time: TimeSource = .system) {
        (self.capacity, self.time) = (capacity, time)
    }

    /// The number of live records.
    public var count: Int {
        let now = time.now
        return contents.withLock { $0.records.values.count { $0.expires > now } }
    }

    /// Reads a record.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The record; `nil` if there is none.
    public func record(at key: RecordKey) -> StoredRecord? {
        let now = time.now
        return contents.withLock { $0.record(at: key, now) }
    }

    /// Reads the version of a record and nothing else.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The version; `nil` if no record is stored.
    public func version(at key: RecordKey) -> Int64? { record(at: key)?.version }

    /// Writes a record if the one that is there has the expected version.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - version: The version that must be there; `nil` if no record may be there.
    ///   - record: The new record.
    ///   - durability: Makes no difference here.
    /// - Returns: Whether the record was written; `false` if another version is there.
    /// - Throws: `.full`, `.tooLarge` or `.unusableVersion`.
    public func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) throws(RecordStoreError) -> Bool {
        try record.check()
        let now = time.now
        return try contents.withLock { contents throws(RecordStoreError) in
            guard contents.record(at: key, now)?.version == version else { return false }
            // What has expired in this place takes no further room.
            if contents.records[key] == nil { try contents.makeRoom(in: capacity, now) }
            contents.keep(record, at: key)
            return true
        }
    }

    /// Moves the end of a record to a later instant.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - expiry: The new end.
    public func extend(at key: RecordKey, until expiry: Timestamp) {
        let now = time.now
        contents.withLock { contents in
            guard let record = contents.record(at: key, now), record.expires < expiry else { return }
            contents.keep(record.extended(until: expiry), at: key)
        }
    }

    /// Removes a record of any version.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: Whether there was a record.
    @discardableResult
    public func remove(at key: RecordKey) -> Bool {
        let now = time.now
        return contents.withLock { contents in
            let wasThere = contents.record(at: key, now) != nil
            contents.remove(at: key)
            return wasThere
        }
    }

    /// Finds the records of a subscriber; it looks at all records.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: The keys of the records, in any order.
    public func keys(of subject: RecordKey) -> [RecordKey] {
        let now = time.now
        return contents.withLock { contents in
            contents.records.filter { $0.value.subject == subject && $0.value.expires > now }.map(\.key)
        }
    }

    // MARK: Aliases

    /// Gives a record another name for some time.
    ///
    /// - Parameters:
    ///   - alias: The name.
    ///   - key: Where the record is.
    ///   - expiry: The first instant at which the name counts as absent.
    /// - Throws: `.full`.
    public func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) throws(RecordStoreError) {
        let now = time.now
        try contents.withLock { contents throws(RecordStoreError) in
            if contents.aliases[alias] == nil { try contents.makeRoom(in: capacity, now) }
            contents.keep(Alias(key: key, expires: expiry), as: alias)
        }
    }

    /// Finds a record by another name.
    ///
    /// - Parameter alias: The name.
    /// - Returns: Where the record is, or was; `nil` if the name is unknown.
    public func key(of alias: RecordKey) -> RecordKey? {
        let now = time.now
        return contents.withLock { contents in
            guard let found = contents.aliases[alias], found.expires > now else { return nil }
            return found.key
        }
    }

    /// Removes another name of a record.
    ///
    /// - Parameter alias: The name.
    public func remove(alias: RecordKey) {
        contents.withLock { $0.remove(alias: alias) }
    }

    // MARK: Listing

    /// Lists records without their content, in the order of their keys; each page looks at all records.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; `nil` for the first page.
    ///   - limit: How many records the page has at most.
    /// - Returns: A page.
    public func summaries(after cursor: RecordCursor?, limit: Int) -> RecordPage {
        let now = time.now
        let found = contents.withLock { contents in
            contents.records.filter { $0.value.expires > now && $0.key.isAfter(cursor) }
                .map { RecordSummary(key: $0.key, version: $0.value.version, expires: $0.value.expires) }
        }
        let sorted = found.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        let page = Array(sorted.prefix(max(1, limit)))
        let isLast = page.count == sorted.count
        return RecordPage(summaries: page, next: isLast ? nil : page.last.map { RecordCursor($0.key.description) })
    }
}

extension RecordKey {
    /// Whether the key comes after the last one of a page, in the order of the bytes.
    fileprivate func isAfter(_ cursor: RecordCursor?) -> Bool {
        guard let cursor else { return true }
        return cursor.rawValue.utf8.lexicographicallyPrecedes(description.utf8)
    }
}

/// Another name of a record.
private struct Alias {
    let key: RecordKey
    let expires: Timestamp
}

/// What the store holds, expired records and aliases included.
private struct Contents {
    private(set) var records: [RecordKey: StoredRecord] = [:]
    private(set) var aliases: [RecordKey: Alias] = [:]
    /// No record and no alias ends before.
    private var firstEnd = Timestamp(milliseconds: .max)
    /// How many more may come before the expired ones are looked for.
    private var newUntilSweep = 64

    private var count: Int { records.count + aliases.count }

    func record(at key: RecordKey, _ now: Timestamp) -> StoredRecord? {
        guard let record = records[key], record.expires > now else { return nil }
        return record
    }

    mutating func keep(_ record: StoredRecord, at key: RecordKey) {
        records[key] = record
        firstEnd = min(firstEnd, record.expires)
    }

    mutating func keep(_ alias: Alias, as name: RecordKey) {
        aliases[name] = alias
        firstEnd = min(firstEnd, alias.expires)
    }

    mutating func remove(at key: RecordKey) { records[key] = nil }

    mutating func remove(alias: RecordKey) { aliases[alias] = nil }

    /// Makes room for one more.
    ///
    /// Expired ones are dropped when as many have come as are there, so that each new one pays for looking at one; and
    /// when nothing more fits in, but only if one has expired.
    mutating func makeRoom(in capacity: Int, _ now: Timestamp) throws(RecordStoreError) {
        newUntilSweep -= 1
        if firstEnd <= now, newUntilSweep < 0 || count >= capacity {
            records = records.filter { $0.value.expires > now }
            aliases = aliases.filter { $0.value.expires > now }
            let ends = records.values.lazy.map(\.expires).min() ?? Timestamp(milliseconds: .max)
            firstEnd = aliases.values.reduce(ends) { min($0, $1.expires) }
            newUntilSweep = max(64, count)
        }
        guard count < capacity else { throw .full(capacity: capacity) }
    }
}
