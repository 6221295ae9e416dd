package import EntitlementValues
import HostSystem
package import TextCodecs

/// A record that a ``SealedTable`` keeps.
package protocol SealedRecord: Sendable {
    /// What the records are for, which their places and their seals are bound to.
    static var purpose: RecordPurpose { get }
    /// The newest version of their form that this release reads, and the one that it writes.
    static var schema: UInt32 { get }
    /// The content that is sealed.
    var encoded: [UInt8] { get }
    /// Reads a content that was opened.
    init(decoding content: Span<UInt8>) throws(JSONFault)
    /// Whether the record is the one of a name: where records are not sealed, nothing else binds one to its place.
    func belongs(to name: String) -> Bool
}

/// Records of one kind in a store, sealed: from a name to its place, and from stored bytes to the record.
///
/// What is read is not used by that: a user whose records live as long as they are used says so with ``use(_:at:moving:)``.
package struct SealedTable<Record: SealedRecord>: Sendable {
    /// Where a record is.
    package struct Place: Sendable {
        package let key: RecordKey
        /// The name that the record must have; `nil` for any.
        let name: String?

        /// A place that a listing or an alias names.
        package init(_ key: RecordKey) { (self.key, name) = (key, nil) }

        fileprivate init(_ key: RecordKey, of name: String) { (self.key, self.name) = (key, name) }
    }

    /// A record, and what is stored of it.
    package struct Entry: Sendable {
        package let record: Record
        package let stored: StoredRecord
    }

    /// What becomes of an entry.
    package enum Change<Answer> {
        /// It stays as it is, and nothing is written.
        case keep(Answer)
        /// A record takes its place, which ends at an instant and belongs to a subscriber.
        case write(
            Record, until: Timestamp, durability: RecordDurability = .full, subject: String? = nil, answer: Answer)
    }

    package let store: any RecordStore
    package let sealer: RecordSealer
    private let time: TimeSource

    /// Makes a table; attempts to change its records wait by `time`.
    ///
    /// The sealer makes the places of the records, too.
    package init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource) {
        (self.store, self.sealer, self.time) = (store, sealer, time)
    }

    // MARK: Places

    /// Where the record of a name is.
    package func place(of name: String) throws(SealedTableError) -> Place {
        Place(try key(of: name, for: Record.purpose), of: name)
    }

    /// Makes a key for something that stands beside the records.
    package func key(of name: String, for purpose: RecordPurpose) throws(SealedTableError) -> RecordKey {
        try rethrowing(sealer.key(of: name, for: purpose), as: SealedTableError.sealing)
    }

    // MARK: Records

    /// Reads a record; `nil` if there is none.
    ///
    /// `last` is what was read there last: bytes that are still the same are not opened again.
    package func entry(at place: Place, after last: Entry? = nil) async throws(SealedTableError) -> Entry? {
        let stored = try await asking { store throws(RecordStoreError) in try await store.record(at: place.key) }
        guard let stored else { return nil }
        if let last, let name = place.name, last.record.belongs(to: name), last.stored.version == stored.version,
            last.stored.bytes == stored.bytes
        {
            return Entry(record: last.record, stored: stored)
        }
        return try open(stored, at: place)
    }

    /// Moves the end of a record that is used.
    ///
    /// If that fails, the record that was read is as good as before, and the next use tries again.
    package func use(_ entry: Entry, at place: Place, moving end: SlidingEnd) async {
        let moved = end.end(of: entry.stored, usedAt: time.now)
        if moved != entry.stored.expires { try? await store.extend(at: place.key, until: moved) }
    }

    /// Reads the version of what is at a place, without opening it; `nil` if nothing is there.
    package func version(at key: RecordKey) async throws(SealedTableError) -> Int64? {
        try await asking { store throws(RecordStoreError) in try await store.version(at: key) }
    }

    /// Changes a record, and tries again if others change it at the same time; returns what the body answered.
    ///
    /// The body decides what becomes of the record, or of its absence. It may run several times, each time with the
    /// record as it is then. It does not throw: what it refuses is an answer.
    package func change<Answer>(
        at place: Place,
        _ body: (Entry?) async -> Change<Answer>
    ) async throws(SealedTableError) -> Answer {
        try await store.change(at: place.key, by: time) { stored throws(SealedTableError) -> Swap<Answer> in
            let found = try stored.map { stored throws(SealedTableError) in try open(stored, at: place) }
            switch await body(found) {
            case .keep(let answer): return .keep(answer)
            case .write(let record, let end, let durability, let subject, let answer):
                let version = StoredRecord.version(after: stored)
                let owner = try subject.map { name throws(SealedTableError) in try key(of: name, for: .subject) }
                let bytes = try seal(record.encoded, at: place.key, version: version)
                let new = StoredRecord(bytes: bytes, version: version, expires: end, subject: owner)
                return .put(new, durability, answer)
            }
        }
    }

    /// Removes what is at a place, whether or not it opens; returns whether there was something.
    package func remove(at key: RecordKey) async throws(SealedTableError) -> Bool {
        try await asking { store throws(RecordStoreError) in try await store.remove(at: key) }
    }

    /// Puts a mark in a place, which says something by being there.
    ///
    /// `end` is the first instant at which the mark is not needed any more.
    package func mark(_ key: RecordKey, until end: Timestamp) async throws(SealedTableError) {
        let mark = StoredRecord(bytes: try seal([], at: key, version: 1), version: 1, expires: end)
        let isNew = try await asking { store throws(RecordStoreError) in
            try await store.replace(at: key, expecting: nil, with: mark, durability: .full)
        }
        if isNew { return }
        try await asking { store throws(RecordStoreError) in try await store.extend(at: key, until: end) }
    }

    // MARK: Aliases

    /// Lets a record be found by another name; whether it is there is not checked.
    ///
    /// `purpose` is what the name is for. `end` is the first instant at which the name leads nowhere.
    package func put(
        alias: String,
        for purpose: RecordPurpose,
        leadingTo place: Place,
        until end: Timestamp
    ) async throws(SealedTableError) {
        let alias = try key(of: alias, for: purpose)
        try await asking { store throws(RecordStoreError) in
            try await store.put(alias: alias, for: place.key, until: end)
        }
    }

    /// Reads the record that another name leads to; `nil` if there is none, or none any more.
    package func entry(alias: String, for purpose: RecordPurpose) async throws(SealedTableError) -> Entry? {
        let alias = try key(of: alias, for: purpose)
        let key = try await asking { store throws(RecordStoreError) in try await store.key(of: alias) }
        guard let key else { return nil }
        return try await entry(at: Place(key))
    }

    /// Forgets another name.
    package func remove(alias: String, for purpose: RecordPurpose) async throws(SealedTableError) {
        let alias = try key(of: alias, for: purpose)
        try await asking { store throws(RecordStoreError) in try await store.remove(alias: alias) }
    }

    /// Asks the store, whose errors are those of the table.
    package func asking<Answer>(
        _ body: (any RecordStore) async throws(RecordStoreError) -> Answer
    ) async throws(SealedTableError) -> Answer {
        try await rethrowing(awaiting: await body(store), as: SealedTableError.store)
    }

    // MARK: Content

    private func open(_ stored: StoredRecord, at place: Place) throws(SealedTableError) -> Entry {
        // With the form that it names: what a newer release sealed opens, and is not damaged.
        let schema = try rethrowing(RecordSealer.schema(of: stored.bytes), as: SealedTableError.opening)
        let content = try rethrowing(
            sealer.open(stored.bytes, in: context(schema, place.key, stored.version)), as: SealedTableError.opening)
        guard schema <= Record.schema else { throw .newerSchema(found: schema, known: Record.schema) }
        let record = try rethrowing(content.withSpan { text throws(JSONFault) in try Record(decoding: text) }) {
            (fault: JSONFault) in SealedTableError.damaged(at: fault.location, reason: fault.reason)
        }
        if let name = place.name, !record.belongs(to: name) { throw .misplaced }
        return Entry(record: record, stored: stored)
    }

    private func seal(_ content: [UInt8], at key: RecordKey, version: Int64) throws(SealedTableError) -> [UInt8] {
        try content.withSpan { content throws(SealedTableError) in
            try rethrowing(sealer.seal(content, in: context(Record.schema, key, version)), as: SealedTableError.sealing)
        }
    }

    private func context(_ schema: UInt32, _ key: RecordKey, _ version: Int64) -> RecordContext {
        RecordContext(purpose: Record.purpose, schema: schema, key: key, version: version)
    }
}

/// The end of records that are kept for some time after their last use.
package struct SlidingEnd: Sendable {
    /// How long a record is kept after its last use.
    package let lifetime: TimeToLive
    /// How often a use moves the end: not each one, so that stores need not write it.
    package let step: TimeToLive

    package init(lifetime: TimeToLive, step: TimeToLive) { (self.lifetime, self.step) = (lifetime, step) }

    /// The end of a record that is used now: the one that it has, unless a step has passed since that was set.
    package func end(of stored: StoredRecord?, usedAt now: Timestamp) -> Timestamp {
        let end = now + lifetime
        guard let stored, stored.expires > end - step else { return end }
        return stored.expires
    }
}

/// The reason why a record of a table was not read or changed; each user of a table has public words for it.
///
/// No case holds anything of a record.
package enum SealedTableError: Error, Hashable {
    /// The store did not answer, or refused.
    case store(RecordStoreError)
    /// libcrypto failed: a record was not sealed, or its place is not known.
    case sealing(SealingError)
    /// What is stored does not open.
    case opening(SealingError)
    /// What opened is no record of the table. The reason names members at most.
    case damaged(at: JSONLocation, reason: String)
    /// The record is another one's: it was moved here in a store that is not sealed.
    case misplaced
    /// A newer release wrote the record, in a form that this one must not touch.
    case newerSchema(found: UInt32, known: UInt32)
    /// Others changed the record in each attempt.
    case contended(attempts: Int)
    /// The task was cancelled between two attempts, after so many.
    case cancelled(attempts: Int)
}
