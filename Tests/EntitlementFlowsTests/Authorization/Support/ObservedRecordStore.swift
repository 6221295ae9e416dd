#if Client
import EntitlementValues
import SealedRecords
import Synchronization

/// A store in memory that counts its writes, and that can be switched off.
final class ObservedRecordStore: RecordStore {
    private let inner: InMemoryRecordStore
    private let state = Mutex<(reads: Int, writes: Int, isDown: Bool)>((0, 0, false))
    private let intercept = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ inner: InMemoryRecordStore) { self.inner = inner }

    /// How often a record was read.
    var reads: Int { state.withLock { $0.reads } }
    /// How many records were written.
    var writes: Int { state.withLock { $0.writes } }

    /// Switches the store off, or on.
    func setDown(_ isDown: Bool = true) { state.withLock { $0.isDown = isDown } }

    /// Acts before each record is read from now on.
    func onRead(_ intercept: @escaping @Sendable () async -> Void) { self.intercept.withLock { $0 = intercept } }

    private func check() throws(RecordStoreError) {
        if state.withLock({ $0.isDown }) { throw .unavailable(reason: "the test has switched the store off") }
    }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try check()
        let isWritten = try inner.replace(at: key, expecting: version, with: record, durability: durability)
        if isWritten { state.withLock { $0.writes += 1 } }
        return isWritten
    }

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try check()
        state.withLock { $0.reads += 1 }
        let intercept = intercept.withLock { $0 }
        await intercept?()
        return inner.record(at: key)
    }

    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try check()
        return inner.version(at: key)
    }

    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool { inner.remove(at: key) }
    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] { inner.keys(of: subject) }
    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? { inner.key(of: alias) }
    func remove(alias: RecordKey) async throws(RecordStoreError) { inner.remove(alias: alias) }
    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        inner.extend(at: key, until: expiry)
    }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try inner.put(alias: alias, for: key, until: expiry)
    }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        inner.summaries(after: cursor, limit: limit)
    }
}
#endif
