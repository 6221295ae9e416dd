package import EntitlementValues
package import SealedRecords
import Synchronization

/// A store that counts how it is asked, that fails or lets others come first on demand, and that lets a test act between
/// the steps of a change.
package final class ObservedRecordStore: RecordStore {
    /// A step of the store at which a test acts.
    package enum Step: Sendable, Hashable {
        case beforeRead, afterRead, beforeWrite, afterWrite, beforeAlias
    }

    /// What the store was asked, and what it did.
    package struct Counts: Sendable, Equatable {
        /// How many calls there were.
        package fileprivate(set) var calls = 0
        /// How many of them read a record.
        package fileprivate(set) var reads = 0
        /// How many of them read a version alone.
        package fileprivate(set) var versions = 0
        /// How many of them write: a record, an end or a name.
        package fileprivate(set) var writes = 0
        /// How many of those move an end.
        package fileprivate(set) var extensions = 0
        /// How many changes were lost, as if others had come first.
        package fileprivate(set) var losses = 0
        /// How sure the store had to be of each record that it wrote.
        package fileprivate(set) var written: [RecordDurability] = []
    }

    private struct State {
        var counts = Counts()
        var failing = (reading: false, writing: false)
        var losing: Int
        var acts: [Step: @Sendable () async -> Void] = [:]
    }

    /// What the store throws when it is away.
    package static let failure = RecordStoreError.unavailable(reason: "the test has switched the store off")

    private let inner: any RecordStore
    private let state: Mutex<State>

    /// Observes a store.
    ///
    /// - Parameters:
    ///   - inner: What keeps the records.
    ///   - count: How many of the first changes are lost.
    package init(_ inner: any RecordStore = InMemoryRecordStore(), losing count: Int = 0) {
        self.inner = inner
        state = Mutex(State(losing: count))
    }

    /// What was counted so far.
    package var counts: Counts { state.withLock(\.counts) }
    /// How many calls there were.
    package var calls: Int { counts.calls }
    /// How many of them read a record.
    package var reads: Int { counts.reads }
    /// How many of them write: a record, an end or a name.
    package var writes: Int { counts.writes }
    /// How many changes were lost, as if others had come first.
    package var losses: Int { counts.losses }
    /// How sure the store had to be of each record that it wrote.
    package var written: [RecordDurability] { counts.written }

    /// Lets the store fail, or answer again.
    package func setAway(_ isAway: Bool = true) { setAway(reading: isAway, writing: isAway) }

    /// Lets the store fail what reads, what writes, or both; or answer again.
    package func setAway(reading: Bool, writing: Bool) {
        state.withLock { $0.failing = (reading, writing) }
    }

    /// Acts at each step of a kind from now on; `nil` for no more.
    package func act(_ step: Step, _ act: (@Sendable () async -> Void)?) { state.withLock { $0.acts[step] = act } }

    /// Acts at the next step of a kind, once; steps that come of it are not seen.
    package func actOnce(_ step: Step, _ act: @escaping @Sendable () async -> Void) {
        self.act(step) { [weak self] in
            let isFirst = self?.state.withLock { $0.acts.removeValue(forKey: step) != nil }
            if isFirst == true { await act() }
        }
    }

    /// Counts a call, which fails if the store is away.
    private func note(_ count: WritableKeyPath<Counts, Int>? = nil, writing: Bool = false) throws(RecordStoreError) {
        let isAway = state.withLock { state in
            state.counts.calls += 1
            if writing { state.counts.writes += 1 }
            if let count { state.counts[keyPath: count] += 1 }
            return writing ? state.failing.writing : state.failing.reading
        }
        if isAway { throw Self.failure }
    }

    private func reach(_ step: Step) async {
        let act = state.withLock { $0.acts[step] }
        await act?()
    }

    private func isLost() -> Bool {
        state.withLock { state in
            guard state.losing > 0 else { return false }
            state.losing -= 1
            state.counts.losses += 1
            return true
        }
    }

    package func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try note(\.reads)
        await reach(.beforeRead)
        let record = try await inner.record(at: key)
        await reach(.afterRead)
        return record
    }

    package func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try note(\.versions)
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
        guard !isLost() else { return false }
        let isWritten = try await inner.replace(at: key, expecting: version, with: record, durability: durability)
        if isWritten { state.withLock { $0.counts.written.append(durability) } }
        await reach(.afterWrite)
        return isWritten
    }

    package func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try note(\.extensions, writing: true)
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
