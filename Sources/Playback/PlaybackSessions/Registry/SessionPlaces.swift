import EntitlementValues
import HostSystem
import SealedRecords
import TextCodecs

/// Reads and writes the records of a registry: from a session or subscriber to its place, and from bytes to the record.
struct SessionPlaces: Sendable {
    /// A record, and what is stored of it.
    struct Found {
        let stored: StoredRecord
        let record: SubscriberRecord
    }

    let store: any RecordStore
    let sealer: RecordSealer

    func key(of name: String, for purpose: RecordPurpose) throws(PlaybackSessionError) -> RecordKey {
        do throws(SealingError) {
            return try sealer.key(of: name, for: purpose)
        } catch {
            throw .unusableRecord(reason: error.description)
        }
    }

    /// Asks the store, whose errors are those of the registry.
    func asking<Answer>(
        _ body: (any RecordStore) async throws(RecordStoreError) -> Answer
    ) async throws(PlaybackSessionError) -> Answer {
        do throws(RecordStoreError) {
            return try await body(store)
        } catch {
            throw .store(error)
        }
    }

    // MARK: Subscribers

    /// Reads the record of a subscriber.
    ///
    /// - Parameter key: Where it is.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `PlaybackSessionError`.
    func subscriber(at key: RecordKey) async throws(PlaybackSessionError) -> Found? {
        let stored = try await asking { store throws(RecordStoreError) in try await store.record(at: key) }
        guard let stored else { return nil }
        let content: WipedBytes
        do throws(SealingError) {
            content = try sealer.open(stored.bytes, in: context(key: key, version: stored.version))
        } catch {
            throw .unusableRecord(reason: error.description)
        }
        let record = try content.withSpan { text throws(PlaybackSessionError) in try SubscriberRecord(reading: text) }
        return Found(stored: stored, record: record)
    }

    /// Writes a record in the place of the one that was found.
    ///
    /// - Returns: Whether it was written; `false` if the record was changed since.
    func replace(
        _ found: Found?,
        at key: RecordKey,
        with record: SubscriberRecord,
        durability: RecordDurability
    ) async throws(PlaybackSessionError) -> Bool {
        // A record that says nothing any more ends when it would have ended: another process may be about to change it.
        guard let end = record.end ?? found?.stored.expires else { return true }
        // A first version is random, up to 2^48: there is room for more changes than a subscriber ever makes.
        let version = found.map { $0.stored.version + 1 } ?? Int64.random(in: 1...1 << 48)
        let sealed = try seal(record.json, at: key, version: version)
        let stored = StoredRecord(bytes: sealed, version: version, expires: end)
        return try await asking { store throws(RecordStoreError) in
            try await store.replace(at: key, expecting: found?.stored.version, with: stored, durability: durability)
        }
    }

    // MARK: Marks

    /// Puts a mark in a place, which says something by being there.
    ///
    /// - Parameters:
    ///   - key: The place.
    ///   - end: The first instant at which the mark is not needed any more.
    /// - Throws: `PlaybackSessionError`.
    func mark(_ key: RecordKey, until end: Timestamp) async throws(PlaybackSessionError) {
        let stored = StoredRecord(bytes: try seal([], at: key, version: 1), version: 1, expires: end)
        let isNew = try await asking { store throws(RecordStoreError) in
            try await store.replace(at: key, expecting: nil, with: stored, durability: .full)
        }
        if isNew { return }
        try await asking { store throws(RecordStoreError) in try await store.extend(at: key, until: end) }
    }

    /// Whether there is a mark in a place.
    func isMarked(_ key: RecordKey) async throws(PlaybackSessionError) -> Bool {
        try await asking { store throws(RecordStoreError) in try await store.version(at: key) } != nil
    }

    // MARK: Sealing

    private func context(key: RecordKey, version: Int64) -> RecordContext {
        RecordContext(purpose: .playbackSubscriber, schema: SubscriberRecord.schema, key: key, version: version)
    }

    private func seal(_ content: [UInt8], at key: RecordKey, version: Int64) throws(PlaybackSessionError) -> [UInt8] {
        do throws(SealingError) {
            return try content.withSpan { content throws(SealingError) in
                try sealer.seal(content, in: context(key: key, version: version))
            }
        } catch {
            throw .unusableRecord(reason: error.description)
        }
    }
}

extension RecordPurpose {
    /// Marks of sessions that were revoked.
    static let revokedSession: RecordPurpose = "revoked-playback-session"
    /// The streams and revocations of subscribers.
    static let playbackSubscriber: RecordPurpose = "playback-subscriber"
}
