public import EntitlementValues
import HostSystem
public import SealedRecords

extension DeviceDirectory {
    /// Opens the directory of a store with a ring of keys, and checks that they belong together, as ``checkKeys()`` does.
    ///
    /// - Parameters:
    ///   - store: Where the records are.
    ///   - path: The file of the ring, which `SealingKeys.generate(id:)` makes. Keep it apart from the store and its
    ///     backups.
    ///   - time: By which records expire, and attempts wait.
    /// - Returns: The directory.
    /// - Throws: `DeviceRecordsError.sealing` if the ring cannot be read, or the store belongs to another one; `.store` if
    ///   the store cannot tell.
    public static func open(
        _ store: any RecordStore,
        keys path: String,
        time: TimeSource = .system
    ) async throws(DeviceRecordsError) -> DeviceDirectory {
        let keys = try rethrowing(SealingKeys(contentsOfFile: path), as: DeviceRecordsError.sealing)
        let directory = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: time)
        try await directory.checkKeys()
        return directory
    }

    /// Checks that the store was sealed with these keys, and marks a new store as theirs.
    ///
    /// Call it once before the store is used. With keys of another ring, records are looked for in other places: every
    /// device would look unknown and be registered anew, and all logins would be lost.
    ///
    /// The mark is a record in a place that does not depend on the keys. It holds what the keys make of a fixed name.
    ///
    /// - Throws: `DeviceRecordsError.sealing` if the store belongs to other keys, or to none; `.store` if the store
    ///   cannot tell. Nothing is changed then.
    public func checkKeys() async throws(DeviceRecordsError) {
        guard let place = Self.markPlace else { return }
        try await asking { table throws(SealedTableError) in
            let mark = try table.key(of: "", for: .keyMark).bytes
            // A second attempt, for the process that was not the first to mark the store.
            let found = try await table.store.change(at: place, by: time, trying: .atMost(2)) {
                stored throws(SealedTableError) -> Swap<StoredRecord?> in
                guard let stored else { return .put(try seal(mark, at: place), .full, nil) }
                try check(stored, at: place, for: mark)
                return .keep(stored)
            }
            guard let found else { return }
            let end = Self.slidingEnd.end(of: found, usedAt: time.now)
            guard end != found.expires else { return }
            try await table.asking { store throws(RecordStoreError) in try await store.extend(at: place, until: end) }
        }
    }

    /// Checks that the store was sealed with these keys, and writes nothing: for looking at a store.
    ///
    /// - Returns: Whether the store has a mark; without one, it holds no records of devices, or ``checkKeys()`` was
    ///   never called for it.
    /// - Throws: `DeviceRecordsError.sealing` if the store belongs to other keys, or to none; `.store` if it cannot tell.
    @discardableResult
    public func matchKeys() async throws(DeviceRecordsError) -> Bool {
        guard let place = Self.markPlace else { return false }
        return try await asking { table throws(SealedTableError) in
            let stored = try await table.asking { store throws(RecordStoreError) in try await store.record(at: place) }
            guard let stored else { return false }
            try check(stored, at: place, for: try table.key(of: "", for: .keyMark).bytes)
            return true
        }
    }

    /// Where the mark is: 32 bytes, as places have.
    static let markPlace = RecordKey(Array("the mark of a ring of seal keys.".utf8))

    /// Whether a place is that of the mark.
    static func isMark(_ key: RecordKey) -> Bool { key == markPlace }

    /// The form of the mark.
    private static let schema: UInt32 = 1

    private func context(at place: RecordKey, version: Int64) -> RecordContext {
        RecordContext(purpose: .keyMark, schema: Self.schema, key: place, version: version)
    }

    private func check(_ stored: StoredRecord, at place: RecordKey, for mark: [UInt8]) throws(SealedTableError) {
        let content = try rethrowing(
            table.sealer.open(stored.bytes, in: context(at: place, version: stored.version)),
            as: SealedTableError.opening)
        let isSame = content.withSpan { content in
            content.count == mark.count && mark.indices.allSatisfy { content[$0] == mark[$0] }
        }
        guard isSame else { throw .opening(.otherRing) }
    }

    private func seal(_ mark: [UInt8], at place: RecordKey) throws(SealedTableError) -> StoredRecord {
        let version = StoredRecord.version(after: nil)
        let content = mark[...]
        let sealed = try rethrowing(
            table.sealer.seal(content.span, in: context(at: place, version: version)), as: SealedTableError.sealing)
        return StoredRecord(bytes: sealed, version: version, expires: time.now + Self.lifetime)
    }
}
