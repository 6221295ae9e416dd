import EntitlementValues
import SealedRecords
import Synchronization

/// A store in memory that notes how it is written to, and lets a test come between.
final class ObservedStore: RecordStore {
    typealias Interference = @Sendable () async throws -> Void

    let inner: InMemoryRecordStore
    private struct State {
        var writes: [RecordDurability] = []
        var extensions = 0
        var interference: Interference?
    }

    private let state = Mutex(State())

    init(time: TimeSource) { inner = InMemoryRecordStore(time: time) }

    /// How sure the store had to be of each change that it made.
    var writes: [RecordDurability] { state.withLock { $0.writes } }
    /// How often an end was moved.
    var extensions: Int { state.withLock { $0.extensions } }

    /// Runs something before the next record is written.
    func interfereOnce(_ body: @escaping Interference) { state.withLock { $0.interference = body } }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        let interference = state.withLock { state in
            defer { state.interference = nil }
            return state.interference
        }
        do { try await interference?() } catch { throw .unavailable(reason: "\(error)") }
        let isWritten = try inner.replace(at: key, expecting: version, with: record, durability: durability)
        if isWritten { state.withLock { $0.writes.append(durability) } }
        return isWritten
    }

    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        state.withLock { $0.extensions += 1 }
        inner.extend(at: key, until: expiry)
    }

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? { inner.record(at: key) }
    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? { inner.version(at: key) }
    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool { inner.remove(at: key) }
    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] { inner.keys(of: subject) }
    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? { inner.key(of: alias) }
    func remove(alias: RecordKey) async throws(RecordStoreError) { inner.remove(alias: alias) }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try inner.put(alias: alias, for: key, until: expiry)
    }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        inner.summaries(after: cursor, limit: limit)
    }
}
