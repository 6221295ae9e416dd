#if Client
import EntitlementValues
import SealedRecords
import Synchronization

/// A store in memory that counts its writes, that can be switched off, and that lets a test act between the steps of a
/// change.
final class ObservedRecordStore: RecordStore {
    /// A step of the store at which a test acts.
    enum Step: Sendable, Hashable {
        case beforeRead, afterRead, beforeWrite, afterWrite, beforeAlias
    }

    private let inner: InMemoryRecordStore
    private let state = Mutex<(reads: Int, writes: Int, isDown: Bool)>((0, 0, false))
    private let acts = Mutex<[Step: @Sendable () async -> Void]>([:])

    init(_ inner: InMemoryRecordStore) { self.inner = inner }

    /// How often a record was read.
    var reads: Int { state.withLock { $0.reads } }
    /// How many records were written.
    var writes: Int { state.withLock { $0.writes } }

    /// Switches the store off, or on.
    func setDown(_ isDown: Bool = true) { state.withLock { $0.isDown = isDown } }

    /// Acts at each step of a kind from now on; `nil` for no more.
    func act(_ step: Step, _ act: (@Sendable () async -> Void)?) { acts.withLock { $0[step] = act } }

    /// Acts at the next step of a kind, once; steps that come of it are not seen.
    func actOnce(_ step: Step, _ act: @escaping @Sendable () async -> Void) {
        self.act(step) { [weak self] in
            let isFirst = self?.acts.withLock { $0.removeValue(forKey: step) != nil }
            if isFirst == true { await act() }
        }
    }

    private func reach(_ step: Step) async {
        let act = acts.withLock { $0[step] }
        await act?()
    }

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
        await reach(.beforeWrite)
        let isWritten = try inner.replace(at: key, expecting: version, with: record, durability: durability)
        if isWritten { state.withLock { $0.writes += 1 } }
        await reach(.afterWrite)
        return isWritten
    }

    func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try check()
        state.withLock { $0.reads += 1 }
        await reach(.beforeRead)
        let record = inner.record(at: key)
        await reach(.afterRead)
        return record
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
        await reach(.beforeAlias)
        try inner.put(alias: alias, for: key, until: expiry)
    }

    func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        inner.summaries(after: cursor, limit: limit)
    }
}
#endif
