#if Client
import EntitlementValues
import SealedRecords
import Synchronization

/// A store in memory that does not answer when the test says so, or takes its time.
final class FailingStore: RecordStore {
    static let failure = RecordStoreError.unavailable(reason: "the store does not answer")

    private let inner: InMemoryRecordStore
    private let failing = Mutex((reading: false, writing: false))
    private let delay = Mutex<(@Sendable () async -> Void)?>(nil)

    init(time: TimeSource) { inner = InMemoryRecordStore(time: time) }

    func fail(reading: Bool, writing: Bool) {
        failing.withLock { $0 = (reading, writing) }
    }

    /// Lets something happen between the next reading and its answer.
    func delayNextReading(until delay: @escaping @Sendable () async -> Void) {
        self.delay.withLock { $0 = delay }
    }

    private func checkReading() throws(RecordStoreError) {
        if failing.withLock({ $0.reading }) { throw Self.failure }
    }

    private func checkWriting() throws(RecordStoreError) {
        if failing.withLock({ $0.writing }) { throw Self.failure }
    }

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try checkReading()
        let record = inner.record(at: key)
        let delay = delay.withLock { delay in
            defer { delay = nil }
            return delay
        }
        await delay?()
        return record
    }

    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try checkReading()
        return inner.version(at: key)
    }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try checkWriting()
        return try inner.replace(at: key, expecting: version, with: record, durability: durability)
    }

    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        inner.extend(at: key, until: expiry)
    }

    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try checkWriting()
        return inner.remove(at: key)
    }

    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] { inner.keys(of: subject) }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try inner.put(alias: alias, for: key, until: expiry)
    }

    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? { inner.key(of: alias) }

    func remove(alias: RecordKey) async throws(RecordStoreError) { inner.remove(alias: alias) }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        inner.summaries(after: cursor, limit: limit)
    }
}
#endif
