package import EntitlementValues
package import SealedRecords
import Synchronization

/// A store in which other processes come first again and again.
package final class ContestedStore: RecordStore {
    private let inner: any RecordStore
    private let counts: Mutex<(left: Int, lost: Int)>

    /// Makes a store that lets nothing be written at first.
    ///
    /// - Parameters:
    ///   - inner: What keeps the records.
    ///   - count: How many attempts to write are lost.
    package init(_ inner: any RecordStore = InMemoryRecordStore(), losing count: Int) {
        self.inner = inner
        counts = Mutex((left: count, lost: 0))
    }

    /// How many attempts to write were lost.
    package var losses: Int { counts.withLock { $0.lost } }

    package func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        let isLost = counts.withLock { counts in
            guard counts.left > 0 else { return false }
            counts.left -= 1
            counts.lost += 1
            return true
        }
        guard !isLost else { return false }
        return try await inner.replace(at: key, expecting: version, with: record, durability: durability)
    }

    package func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        try await inner.record(at: key)
    }

    package func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        try await inner.version(at: key)
    }

    package func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        try await inner.extend(at: key, until: expiry)
    }

    package func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool { try await inner.remove(at: key) }

    package func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        try await inner.keys(of: subject)
    }

    package func put(
        alias: RecordKey,
        for key: RecordKey,
        until expiry: Timestamp
    ) async throws(RecordStoreError) {
        try await inner.put(alias: alias, for: key, until: expiry)
    }

    package func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        try await inner.key(of: alias)
    }

    package func remove(alias: RecordKey) async throws(RecordStoreError) { try await inner.remove(alias: alias) }

    package func summaries(
        after cursor: RecordCursor?,
        limit: Int
    ) async throws(RecordStoreError) -> RecordPage {
        try await inner.summaries(after: cursor, limit: limit)
    }
}
