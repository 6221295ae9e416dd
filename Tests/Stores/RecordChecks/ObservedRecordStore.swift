package import EntitlementValues
package import SealedRecords
import Synchronization

/// A store that counts how it is asked, that fails on demand, and that lets a test act between the steps of a change.
package final class ObservedRecordStore: RecordStore {
    /// A step of the store at which a test acts.
    package enum Step: Sendable, Hashable {
        case beforeRead, afterRead, beforeWrite, afterWrite, beforeAlias
    }

    private struct State {
        var calls = 0
        var reads = 0
        var writes = 0
        var isAway = false
        var acts: [Step: @Sendable () async -> Void] = [:]
    }

    private let inner: any RecordStore
    private let state = Mutex(State())

    /// Observes a store.
    ///
    /// - Parameter inner: What keeps the records.
    package init(_ inner: any RecordStore) { self.inner = inner }

    /// How many calls there were.
    package var calls: Int { state.withLock(\.calls) }
    /// How many of them read a record.
    package var reads: Int { state.withLock(\.reads) }
    /// How many of them wrote a record or a name.
    package var writes: Int { state.withLock(\.writes) }

    /// Lets the store fail, or answer again.
    package func setAway(_ isAway: Bool = true) { state.withLock { $0.isAway = isAway } }

    /// Acts at each step of a kind from now on; `nil` for no more.
    package func act(_ step: Step, _ act: (@Sendable () async -> Void)?) { state.withLock { $0.acts[step] = act } }

    /// Acts at the next step of a kind, once; steps that come of it are not seen.
    package func actOnce(_ step: Step, _ act: @escaping @Sendable () async -> Void) {
        self.act(step) { [weak self] in
            let isFirst = self?.state.withLock { $0.acts.removeValue(forKey: step) != nil }
            if isFirst == true { await act() }
        }
    }

    private func note(reading: Bool = false, writing: Bool = false) throws(RecordStoreError) {
        let isAway = state.withLock { state in
            state.calls += 1
            if reading { state.reads += 1 }
            if writing { state.writes += 1 }
            return state.isAway
        }
        if isAway { throw .unavailable(reason: "the test has switched the store off") }
    }

    private func reach(_ step: Step) async {
        let act = state.withLock { $0.acts[step] }
        await act?()
    }

    package func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try note(reading: true)
        await reach(.beforeRead)
        let record = try await inner.record(at: key)
        await reach(.afterRead)
        return record
    }

    package func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try note()
        return try await inner.version(at: key)
    }

    package func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try note(writing: true)
        await reach(.beforeWrite)
        let isWritten = try await inner.replace(at: key, expecting: version, with: record, durability: durability)
        await reach(.afterWrite)
        return isWritten
    }

    package func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try note(writing: true)
        try await inner.extend(at: key, until: expiry)
    }

    package func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try note(writing: true)
        return try await inner.remove(at: key)
    }

    package func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        try note()
        return try await inner.keys(of: subject)
    }

    package func put(alias: RecordKey, for key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try note(writing: true)
        await reach(.beforeAlias)
        try await inner.put(alias: alias, for: key, until: expiry)
    }

    package func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        try note()
        return try await inner.key(of: alias)
    }

    package func remove(alias: RecordKey) async throws(RecordStoreError) {
        try note(writing: true)
        try await inner.remove(alias: alias)
    }

    package func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        try note()
        return try await inner.summaries(after: cursor, limit: limit)
    }
}
