#if Service
import EntitlementValues
import SealedRecords
import Synchronization

/// Counts how a store is asked, and fails on demand.
final class CountedRecordStore: RecordStore {
    private struct State {
        var calls = 0
        var writes = 0
        var isAway = false
    }

    private let inner: any RecordStore
    private let state = Mutex(State())

    init(_ inner: any RecordStore) { self.inner = inner }

    /// How many calls there were.
    var calls: Int { state.withLock(\.calls) }
    /// How many of them wrote a record or a name.
    var writes: Int { state.withLock(\.writes) }

    /// Lets the store fail, or answer again.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    private func note(writing: Bool = false) throws(RecordStoreError) {
        let isAway = state.withLock { state in
            state.calls += 1
            if writing { state.writes += 1 }
            return state.isAway
        }
        if isAway { throw .unavailable(reason: "away") }
    }

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try note()
        return try await inner.record(at: key)
    }

    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try note()
        return try await inner.version(at: key)
    }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try note(writing: true)
        return try await inner.replace(at: key, expecting: version, with: record, durability: durability)
    }

    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try note(writing: true)
        try await inner.extend(at: key, until: expiry)
    }

    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try note(writing: true)
        return try await inner.remove(at: key)
    }

    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        try note()
        return try await inner.keys(of: subject)
    }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try note(writing: true)
        try await inner.put(alias: alias, for: key, until: expiry)
    }

    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        try note()
        return try await inner.key(of: alias)
    }

    func remove(alias: RecordKey) async throws(RecordStoreError) {
        try note(writing: true)
        try await inner.remove(alias: alias)
    }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        try note()
        return try await inner.summaries(after: cursor, limit: limit)
    }
}
#endif
