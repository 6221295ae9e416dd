#if Service
import EntitlementValues
import SealedRecords
import TokenRedemption

/// Passes calls on to a store of records, and reports whether each was answered.
///
/// Why the store did not answer is for the log alone: errors of requests go on to clients.
struct WatchedRecordStore: RecordStore {
    let store: any RecordStore
    let watch: StoreWatch

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try await watched(await store.record(at: key))
    }

    func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try await watched(await store.version(at: key))
    }

    func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try await watched(await store.replace(at: key, expecting: version, with: record, durability: durability))
    }

    func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try await watched(await store.extend(at: key, until: expiry))
    }

    @discardableResult
    func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try await watched(await store.remove(at: key))
    }

    func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        try await watched(await store.keys(of: subject))
    }

    func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try await watched(await store.put(alias: alias, for: key, until: expiry))
    }

    func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        try await watched(await store.key(of: alias))
    }

    func remove(alias: RecordKey) async throws(RecordStoreError) {
        try await watched(await store.remove(alias: alias))
    }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        try await watched(await store.summaries(after: cursor, limit: limit))
    }

    private func watched<Answer>(
        _ ask: @autoclosure () async throws(RecordStoreError) -> Answer
    ) async throws(RecordStoreError) -> Answer {
        do throws(RecordStoreError) {
            let answer = try await ask()
            watch.noteAnswer()
            return answer
        } catch {
            watch.note(error)
            throw error.withoutCause
        }
    }
}

extension RecordStore {
    /// The store, with a watch over it if there is one.
    func watched(by watch: StoreWatch?) -> any RecordStore {
        watch.map { WatchedRecordStore(store: self, watch: $0) } ?? self
    }

    /// The store itself, without what watches it.
    var unwatched: any RecordStore { (self as? WatchedRecordStore)?.store ?? self }
}

/// Passes calls on to a store, and reports how long each took and whether it failed.
///
/// Why the store did not answer is for the log alone: errors of requests go on to clients.
struct MeteredStore: ReplayStore {
    let store: any ReplayStore
    let metrics: ServiceMetrics
    let watch: StoreWatch

    /// Whether it answers without waiting for a file or a server.
    var isInMemory: Bool { store is InMemoryReplayStore }

    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        let start = ContinuousClock.now
        do throws(ReplayStoreError) {
            let redemption = try await store.redeem(id, until: expiry, at: now)
            metrics.countRedemption(taking: start.duration(to: .now), failed: false)
            watch.noteAnswer()
            return redemption
        } catch {
            metrics.countRedemption(taking: start.duration(to: .now), failed: true)
            watch.note(error)
            throw error.withoutCause
        }
    }
}
#endif
