public import EntitlementValues
public import SealedRecords

/// A device's record with what its store knows of it, as an operator looks at it.
public struct KeptRecord: Sendable {
    /// Where the record is.
    public let key: RecordKey
    /// Its version.
    public let version: Int64
    /// The first instant at which it counts as absent.
    public let expires: Timestamp
    /// How many bytes are stored.
    public let byteCount: Int
    /// The name of the key that sealed it; `nil` if it is not sealed.
    public let sealingKey: String?
    /// The record.
    public let record: DeviceRecord
}

extension DeviceDirectory {
    /// Reads a device's record with what the store knows of it.
    ///
    /// Looking is not a use: the record does not live longer.
    ///
    /// - Parameter device: The device.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`.
    public func keptRecord(of device: DeviceKey) async throws(DeviceRecordsError) -> KeptRecord? {
        try await asking { table throws(SealedTableError) in
            try await table.keptRecord(at: try table.place(of: device.rawValue))
        }
    }

    /// Reads the record at a place, as a listing names it.
    ///
    /// Looking is not a use: the record does not live longer.
    ///
    /// - Parameter key: The place.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`; `.sealing` if the place has something other than a device's record.
    public func keptRecord(at key: RecordKey) async throws(DeviceRecordsError) -> KeptRecord? {
        try await asking { table throws(SealedTableError) in try await table.keptRecord(at: SealedTable.Place(key)) }
    }

    /// The place of a device's record.
    ///
    /// - Parameter device: The device.
    /// - Returns: The place, which listings name.
    /// - Throws: `DeviceRecordsError.sealing`.
    public func key(of device: DeviceKey) throws(DeviceRecordsError) -> RecordKey {
        try rethrowing(table.place(of: device.rawValue).key, as: DeviceRecordsError.init(_:))
    }

    /// Removes the record at a place, as a listing names it, whether or not it opens.
    ///
    /// - Parameter key: The place.
    /// - Returns: Whether there was a record.
    /// - Throws: `DeviceRecordsError`.
    @discardableResult
    public func forget(at key: RecordKey) async throws(DeviceRecordsError) -> Bool {
        guard !Self.isMark(key) else { return false }
        return try await remove(at: key)
    }

    /// Lists records without opening them; it needs no keys.
    ///
    /// The mark of the keys is left out.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; `nil` for the first page.
    ///   - limit: About how many records the page should have; at least 1.
    /// - Returns: A page, which may have no records although more pages follow.
    /// - Throws: `DeviceRecordsError`.
    public func summaries(
        after cursor: RecordCursor? = nil,
        limit: Int = 100
    ) async throws(DeviceRecordsError) -> RecordPage {
        let page = try await asking { table throws(SealedTableError) in
            try await table.asking { store throws(RecordStoreError) in
                try await store.summaries(after: cursor, limit: limit)
            }
        }
        return RecordPage(summaries: page.summaries.filter { !Self.isMark($0.key) }, next: page.next)
    }
}

extension SealedTable<DeviceRecord> {
    fileprivate func keptRecord(at place: Place) async throws(SealedTableError) -> KeptRecord? {
        guard let found = try await entry(at: place) else { return nil }
        // What has opened has a form.
        let sealingKey = try? RecordSealer.keyID(of: found.stored.bytes)
        return KeptRecord(
            key: place.key, version: found.stored.version, expires: found.stored.expires,
            byteCount: found.stored.bytes.count, sealingKey: sealingKey, record: found.record)
    }
}
