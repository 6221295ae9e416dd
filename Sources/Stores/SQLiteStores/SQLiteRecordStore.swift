public import EntitlementValues
public import SealedRecords
import TextCodecs
import TokenRedemption

/// Keeps records in a file, for all processes of one host.
///
/// ```swift
/// let store = try SQLiteRecordStore(path: "/var/lib/player/devices.sqlite")
/// let directory = DeviceDirectory(in: store, sealer: RecordSealer(keys))
/// ```
///
/// Changes that come at the same time share a transaction. One that asks for `RecordDurability.full` is answered after
/// it has reached the disk; a process that is killed loses no change that was answered, either way. Changes also drop a
/// few expired records, so the file does not grow for ever.
///
/// Every method throws if the file does not answer in time, the disk is full, or the file was moved away. Threads of the
/// store wait for the disk and for other processes, so waiting blocks no thread of a task. What needs no wait is done by
/// the calling thread, in some ten microseconds; but a read of a page that is not in memory waits there for the disk. For
/// another thread that does the same, it waits a tenth of a millisecond at most.
///
/// Only the owner may read the file and the two files that SQLite keeps beside it; leave the three together. The file
/// must be on a disk of this host, since SQLite's log does not work over a network. After `fork`, a child needs a store
/// of its own.
public final class SQLiteRecordStore: RecordStore {
    let reading: RecordFile
    let writing: RecordFile
    let reader: FileWorker
    let writer: FileWorker
    let time: TimeSource
    let process = ProcessGuard(isInUse: true)

    /// Opens a file, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - patience: How long a transaction waits for other processes. After one that waited in vain, work that has
    ///     waited as long, or for a second if that is longer, is refused.
    ///   - time: Says which records have expired.
    /// - Throws: `SQLiteStoreError` if the file cannot be used, or is not a file of this store.
    public init(
        path: String,
        patience: TimeToLive = .seconds(5),
        time: TimeSource = .system
    ) throws(SQLiteStoreError) {
        // In the write-ahead log, readers wait neither for writers nor for the disk, if their connection is another.
        let writing = try RecordFile(path, patience: patience)
        let reading = try RecordFile(path, patience: patience)
        let maximumWait = max(patience, .seconds(1)).duration
        (self.reading, self.writing, self.time) = (reading, writing, time)
        reader = FileWorker(reading.file, named: "SQLiteRecordStore.reader", maximumWait: maximumWait, time: time) {
            group throws(SQLiteStoreError) in
            try reading.file.reading { () throws(SQLiteStoreError) in try Self.run(group) }
        }
        writer = FileWorker(writing.file, named: "SQLiteRecordStore.writer", maximumWait: maximumWait, time: time) {
            group throws(SQLiteStoreError) in
            try writing.file.setSurvivesPowerLoss(group.contains(where: \.survivesPowerLoss))
            return try writing.file.transaction { () throws(SQLiteStoreError) in
                let resumptions = try Self.run(group)
                try writing.dropExpired(at: time.now, after: group.count)
                return resumptions
            }
        }
    }

    private static func run(_ group: [WaitingWork]) throws(SQLiteStoreError) -> [Resumption] {
        var resumptions: [Resumption] = []
        for work in group { resumptions.append(try work.run()) }
        return resumptions
    }

    // MARK: Reading

    /// Reads a record.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `.unavailable`.
    public func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try await read { file, now throws(SQLiteStoreError) in try file.record(at: key, now) }
    }

    /// Reads the version of a record and nothing else.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The version; `nil` if no record is stored.
    /// - Throws: `.unavailable`.
    public func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try await read { file, now throws(SQLiteStoreError) in try file.version(at: key, now) }
    }

    /// Finds the records of a subscriber.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: The keys of the records, in any order.
    /// - Throws: `.unavailable`.
    public func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        try await read { file, now throws(SQLiteStoreError) in try file.keys(of: subject, now) }
    }

    /// Finds a record by another name.
    ///
    /// - Parameter alias: The name.
    /// - Returns: Where the record is, or was; `nil` if the name is unknown.
    /// - Throws: `.unavailable`.
    public func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        try await read { file, now throws(SQLiteStoreError) in try file.key(of: alias, now) }
    }

    /// Lists records without their content, in the order of their keys.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; `nil` for the first page.
    ///   - limit: How many records the page has at most.
    /// - Returns: A page.
    /// - Throws: `.unavailable`.
    public func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        let limit = max(1, limit)
        let last = cursor.flatMap { RecordKey(hexadecimal: $0.rawValue) }?.bytes ?? []
        let found = try await read { file, now throws(SQLiteStoreError) in
            try file.summaries(after: last, limit: limit, now)
        }
        let next = found.count < limit ? nil : found.last.map { RecordCursor($0.key.description) }
        return RecordPage(summaries: found, next: next)
    }

    // MARK: Writing

    /// Writes a record if the one that is there has the expected version.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - version: The version that must be there; `nil` if no record may be there.
    ///   - record: The new record.
    ///   - durability: Whether it must have reached the disk.
    /// - Returns: Whether the record was written; `false` if another version is there.
    /// - Throws: `.unavailable`, `.tooLarge` or `.unusableVersion`.
    public func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try record.check()
        return try await write(durability) { file, now throws(SQLiteStoreError) in
            try file.replace(at: key, expecting: version, with: record, now)
        }
    }

    /// Moves the end of a record to a later instant.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - expiry: The new end.
    /// - Throws: `.unavailable`.
    public func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try await write { file, now throws(SQLiteStoreError) in try file.extend(at: key, until: expiry, now) }
    }

    /// Removes a record of any version, for good: it waits for the disk.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: Whether there was a record.
    /// - Throws: `.unavailable`.
    @discardableResult
    public func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try await write(.full) { file, now throws(SQLiteStoreError) in try file.remove(at: key, now) }
    }

    /// Gives a record another name for some time.
    ///
    /// - Parameters:
    ///   - alias: The name.
    ///   - key: Where the record is.
    ///   - expiry: The first instant at which the name counts as absent.
    /// - Throws: `.unavailable`.
    public func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try await write { file, _ throws(SQLiteStoreError) in try file.put(alias: alias, for: key, until: expiry) }
    }

    /// Removes another name of a record.
    ///
    /// - Parameter alias: The name.
    /// - Throws: `.unavailable`.
    public func remove(alias: RecordKey) async throws(RecordStoreError) {
        try await write { file, _ throws(SQLiteStoreError) in try file.remove(alias: alias) }
    }
}
