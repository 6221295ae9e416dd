import EntitlementValues
import SealedRecords
import Synchronization

/// The tables of a file of records.
///
/// Each method is one statement or two, which the caller runs in a transaction.
struct RecordFile: Sendable {
    let file: StoreFile
    private let upkeep = RecordUpkeep()

    init(_ path: String, patience: TimeToLive) throws(SQLiteStoreError) {
        file = try StoreFile(path: path, kind: .records, patience: patience, survivesPowerLoss: false)
        // What is removed is overwritten where that costs nothing.
        try file.run("PRAGMA secure_delete = FAST")
    }

    // MARK: Reading

    func record(at key: RecordKey, _ now: Timestamp) throws(SQLiteStoreError) -> StoredRecord? {
        var rows: [[SQLiteValue]] = []
        try file.run(
            "SELECT version, expires, subject, body FROM record WHERE key = ?1 AND expires > ?2",
            binding: [.bytes(key.bytes), .integer(now.milliseconds)]
        ) { rows.append($0) }
        guard let row = rows.first else { return nil }
        guard let version = row[0].integer, let expires = row[1].integer, let body = row[3].bytes,
            row[2] == .null || row[2].key != nil
        else { throw .damaged(path: file.path) }
        return StoredRecord(
            bytes: body, version: version, expires: Timestamp(milliseconds: expires), subject: row[2].key)
    }

    func version(at key: RecordKey, _ now: Timestamp) throws(SQLiteStoreError) -> Int64? {
        var version: Int64?
        try file.run(
            "SELECT version FROM record WHERE key = ?1 AND expires > ?2",
            binding: [.bytes(key.bytes), .integer(now.milliseconds)]
        ) { version = $0[0].integer }
        return version
    }

    func key(of alias: RecordKey, _ now: Timestamp) throws(SQLiteStoreError) -> RecordKey? {
        try keys("SELECT key FROM alias WHERE name = ?1 AND expires > ?2", of: alias, at: now).first
    }

    func keys(of subject: RecordKey, _ now: Timestamp) throws(SQLiteStoreError) -> [RecordKey] {
        try keys("SELECT key FROM record WHERE subject = ?1 AND expires > ?2", of: subject, at: now)
    }

    private func keys(
        _ question: String,
        of name: RecordKey,
        at now: Timestamp
    ) throws(SQLiteStoreError) -> [RecordKey] {
        try file.rows(question, binding: [.bytes(name.bytes), .integer(now.milliseconds)]) { $0[0].key }
    }

    /// Lists at most `limit` records in the order of their keys.
    ///
    /// `last` is the key after which the list begins; empty for the first page. Records that have expired at `now` are
    /// left out.
    func summaries(
        after last: [UInt8],
        limit: Int,
        _ now: Timestamp
    ) throws(SQLiteStoreError) -> [RecordSummary] {
        try file.rows(
            "SELECT key, version, expires FROM record WHERE key > ?1 AND expires > ?2 ORDER BY key LIMIT ?3",
            binding: [.bytes(last), .integer(now.milliseconds), .integer(Int64(limit))]
        ) { row in
            guard let key = row[0].key, let version = row[1].integer, let expires = row[2].integer else { return nil }
            return RecordSummary(key: key, version: version, expires: Timestamp(milliseconds: expires))
        }
    }

    // MARK: Writing

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        _ now: Timestamp
    ) throws(SQLiteStoreError) -> Bool {
        let new: [SQLiteValue] = [
            .bytes(key.bytes), .integer(record.version), .integer(record.expires.milliseconds),
            record.subject.map { .bytes($0.bytes) } ?? .null, .bytes(record.bytes),
        ]
        guard let version else {
            try file.run(
                """
                INSERT INTO record (key, version, expires, subject, body) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (key) DO UPDATE
                SET version = excluded.version, expires = excluded.expires, subject = excluded.subject,
                    body = excluded.body
                WHERE expires <= ?6
                """,
                binding: new + [.integer(now.milliseconds)])
            return file.changes == 1
        }
        let expected: [SQLiteValue] = [.integer(version), .integer(now.milliseconds)]
        // Most changes keep the end and the subject, and then the indexes need not be written.
        try file.run(
            """
            UPDATE record SET version = ?2, body = ?5
            WHERE key = ?1 AND version = ?6 AND expires > ?7 AND expires = ?3 AND subject IS ?4
            """,
            binding: new + expected)
        if file.changes == 1 { return true }
        try file.run(
            """
            UPDATE record SET version = ?2, expires = ?3, subject = ?4, body = ?5
            WHERE key = ?1 AND version = ?6 AND expires > ?7
            """,
            binding: new + expected)
        return file.changes == 1
    }

    func extend(at key: RecordKey, until expiry: Timestamp, _ now: Timestamp) throws(SQLiteStoreError) {
        try file.run(
            "UPDATE record SET expires = ?2 WHERE key = ?1 AND expires > ?3 AND expires < ?2",
            binding: [.bytes(key.bytes), .integer(expiry.milliseconds), .integer(now.milliseconds)])
    }

    func remove(at key: RecordKey, _ now: Timestamp) throws(SQLiteStoreError) -> Bool {
        try file.run(
            "DELETE FROM record WHERE key = ?1 AND expires > ?2",
            binding: [.bytes(key.bytes), .integer(now.milliseconds)])
        let wasThere = file.changes == 1
        try file.run("DELETE FROM record WHERE key = ?1", binding: [.bytes(key.bytes)])
        return wasThere
    }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) throws(SQLiteStoreError) {
        try file.run(
            "INSERT OR REPLACE INTO alias (name, key, expires) VALUES (?1, ?2, ?3)",
            binding: [.bytes(alias.bytes), .bytes(key.bytes), .integer(expiry.milliseconds)])
    }

    func remove(alias: RecordKey) throws(SQLiteStoreError) {
        try file.run("DELETE FROM alias WHERE name = ?1", binding: [.bytes(alias.bytes)])
    }

    /// Drops the records and aliases that expired first, after every few changes.
    ///
    /// `changes` is how many there were since it was called last.
    func dropExpired(at now: Timestamp, after changes: Int) throws(SQLiteStoreError) {
        guard let maximum = upkeep.countToDrop(after: changes) else { return }
        for (table, name) in [("record", "key"), ("alias", "name")] {
            try file.run(
                """
                DELETE FROM \(table) WHERE \(name) IN
                (SELECT \(name) FROM \(table) WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
                """,
                binding: [.integer(now.milliseconds), .integer(Int64(maximum))])
        }
    }

    /// Whether the next change may be made without waiting for the disk, now and then.
    func mayWriteAtOnce() -> Bool { upkeep.mayWriteAtOnce() }
}

extension SQLiteValue {
    fileprivate var key: RecordKey? { bytes.flatMap { RecordKey($0) } }
}

extension StoreFile.Kind {
    /// "tveD", version 1.
    ///
    /// The body comes last and is not part of the key's own index, so that a record of 2 KiB is on one page.
    static let records = StoreFile.Kind(
        applicationID: 0x7476_6544,
        version: 1,
        tables: [
            """
            CREATE TABLE record (
                key BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, expires INTEGER NOT NULL, subject BLOB,
                body BLOB NOT NULL
            ) STRICT
            """,
            "CREATE INDEX record_expires ON record (expires)",
            "CREATE INDEX record_subject ON record (subject) WHERE subject IS NOT NULL",
            """
            CREATE TABLE alias (name BLOB NOT NULL PRIMARY KEY, key BLOB NOT NULL, expires INTEGER NOT NULL)
            STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX alias_expires ON alias (expires)",
        ]
    )
}

/// Says when a file of records is tidied up, by the number of its changes.
final class RecordUpkeep: Sendable {
    /// Expired records are dropped after so many changes: looking for them costs as much as a change.
    private static let changesBeforeDropping = 16
    /// How many are dropped for each change at most: more than come in, so that the file shrinks after a rush.
    private static let droppedPerChange = 6
    /// One change in so many, and the one after it, may wait for the disk.
    ///
    /// The first copies the log to its place if it has grown long, and the second then begins a new log; both wait.
    private static let changesBeforeWaiting = 256

    private struct State {
        var changes = 0
        var attempts = 0
    }

    private let state = Mutex(State())

    /// Counts changes since the last call, and returns how many expired records are to be dropped at most.
    ///
    /// `nil` if it is not the time.
    func countToDrop(after changes: Int) -> Int? {
        state.withLock { state in
            state.changes += changes
            guard state.changes >= Self.changesBeforeDropping else { return nil }
            defer { state.changes = 0 }
            return state.changes * Self.droppedPerChange
        }
    }

    /// Counts a change that need not reach the disk, and tells whether a thread that must not wait may make it.
    func mayWriteAtOnce() -> Bool {
        state.withLock { state in
            state.attempts += 1
            return state.attempts % Self.changesBeforeWaiting > 1
        }
    }
}
