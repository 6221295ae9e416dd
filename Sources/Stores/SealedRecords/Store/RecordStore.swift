public import EntitlementValues

/// Keeps records that several tasks, processes or hosts change at the same time without losing a change.
///
/// A store knows keys, versions and ends, and leaves the content alone; a ``RecordSealer`` makes the keys, and seals and
/// opens the content. A record is changed by compare and swap: read it, change it, and replace it if its version is
/// still the same.
///
/// For a store of your own:
/// - A record, or an alias, that has expired by the store's clock is the same as one that was never there, in every
///   method.
/// - ``replace(at:expecting:with:durability:)`` is atomic among all that share the store, and true is answered only for
///   a change that ``RecordDurability`` allows to call made.
/// - If the store cannot tell, it throws. After a thrown `replace`, the caller reads the record again.
/// - The store never makes room by dropping a record that has not expired; it throws `.full`.
public protocol RecordStore: Sendable {
    /// Reads a record.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `RecordStoreError` if the store cannot tell.
    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord?

    /// Reads the version of a record and nothing else: a cheap way to see whether it was changed.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The version; `nil` if no record is stored.
    /// - Throws: `RecordStoreError` if the store cannot tell.
    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64?

    /// Writes a record if the one that is there has the expected version.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - version: The version that must be there; `nil` if no record may be there.
    ///   - record: The new record, with a version of its own, which is stored as it is. Its subject replaces the old
    ///     one.
    ///   - durability: How sure the store must be of the change.
    /// - Returns: Whether the record was written; `false` if another version is there.
    /// - Throws: `RecordStoreError`; the record may have been written if it is `.unavailable`.
    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool

    /// Moves the end of a record to a later instant, and leaves content and version alone.
    ///
    /// An end that is not later than the present one changes nothing, and so does a record that is not there.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - expiry: The new end.
    /// - Throws: `RecordStoreError`.
    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError)

    /// Removes a record of any version. Aliases that lead to it may stay until they end.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: Whether there was a record.
    /// - Throws: `RecordStoreError`; the record may have been removed.
    @discardableResult
    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool

    /// Finds the records of a subscriber, for a request to erase them.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: The keys of the records, in any order.
    /// - Throws: `RecordStoreError` if the store cannot tell.
    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey]

    /// Gives a record another name for some time; a name that is in use leads to the new record from now on.
    ///
    /// - Parameters:
    ///   - alias: The name.
    ///   - key: Where the record is. Whether there is one is not checked.
    ///   - expiry: The first instant at which the name counts as absent.
    /// - Throws: `RecordStoreError`.
    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError)

    /// Finds a record by another name.
    ///
    /// - Parameter alias: The name.
    /// - Returns: Where the record is, or was; `nil` if the name is unknown.
    /// - Throws: `RecordStoreError` if the store cannot tell.
    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey?

    /// Removes another name of a record; does nothing if it is not there.
    ///
    /// - Parameter alias: The name.
    /// - Throws: `RecordStoreError`.
    func remove(alias: RecordKey) async throws(RecordStoreError)

    /// Lists records without their content.
    ///
    /// A record that is there during the whole listing is listed at least once, on one of the pages. One that comes or
    /// goes in the meantime may be listed or not.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; `nil` for the first page.
    ///   - limit: About how many records the page should have; at least 1.
    /// - Returns: A page.
    /// - Throws: `RecordStoreError`.
    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage
}

/// The reason why a store did not do what it was asked.
@nonexhaustive
public enum RecordStoreError: Error, Sendable, Hashable {
    /// The store did not answer, or its answer cannot be trusted. Whether a change was made is not known.
    ///
    /// The reason is for people, and holds no password.
    case unavailable(reason: String)
    /// The store holds as many live records and aliases as it may.
    case full(capacity: Int)
    /// The record has more bytes than a store takes.
    case tooLarge(count: Int, limit: Int)
    /// The version is not one that a record can have.
    case unusableVersion(Int64)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unavailable: "record_store_unavailable"
        case .full: "record_store_full"
        case .tooLarge: "record_too_large"
        case .unusableVersion: "unusable_record_version"
        }
    }
}

extension RecordStoreError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .unavailable(let reason): reason
        case .full(let capacity):
            "the store is full with \(capacity) live records and aliases; give it a larger capacity"
        case .tooLarge(let count, let limit):
            "the record has \(count) bytes, and stores take \(limit); remove something from it"
        case .unusableVersion(let version):
            "\(version) is not a version of a record; versions are 1 to \(StoredRecord.maximumVersion)"
        }
    }
}
