#if Client
import EntitlementValues
import SealedRecords
import Synchronization

/// Counts how a store is asked.
final class CountingStore: RecordStore {
    struct Counts: Equatable {
        var reads = 0
        var versions = 0
        var writes = 0
    }

    private let inner: InMemoryRecordStore
    private let state = Mutex(Counts())

    init(_ inner: InMemoryRecordStore) { self.inner = inner }

    var counts: Counts { state.withLock { $0 } }

    func record(at key: RecordKey) -> StoredRecord? {
        state.withLock { $0.reads += 1 }
        return inner.record(at: key)
    }

    func version(at key: RecordKey) -> Int64? {
        state.withLock { $0.versions += 1 }
        return inner.version(at: key)
    }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) throws(RecordStoreError) -> Bool {
        let isWritten = try inner.replace(at: key, expecting: version, with: record, durability: durability)
        if isWritten { state.withLock { $0.writes += 1 } }
        return isWritten
    }

    func extend(at key: RecordKey, until expiry: Timestamp) { inner.extend(at: key, until: expiry) }

    func remove(at key: RecordKey) -> Bool { inner.remove(at: key) }

    func keys(of subject: RecordKey) -> [RecordKey] { inner.keys(of: subject) }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) throws(RecordStoreError) {
        try inner.put(alias: alias, for: key, until: expiry)
    }

    func key(of alias: RecordKey) -> RecordKey? { inner.key(of: alias) }

    func remove(alias: RecordKey) { inner.remove(alias: alias) }

    func summaries(after cursor: RecordCursor?, limit: Int) -> RecordPage {
        inner.summaries(after: cursor, limit: limit)
    }
}
#endif
