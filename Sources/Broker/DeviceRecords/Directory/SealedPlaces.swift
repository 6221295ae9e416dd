import EntitlementValues
import HostSystem
import SealedRecords
import TextCodecs

/// Reads and writes single records: from the name of a device to its place, and from sealed bytes to the record.
struct SealedPlaces: Sendable {
    /// A record, and what is stored of it.
    struct Found: Sendable {
        let stored: StoredRecord
        let record: DeviceRecord
    }

    let store: any RecordStore
    let sealer: RecordSealer

    func key(of name: String, for purpose: RecordPurpose) throws(DeviceRecordsError) -> RecordKey {
        do throws(SealingError) {
            return try sealer.key(of: name, for: purpose)
        } catch {
            throw .sealing(error)
        }
    }

    /// Asks the store, whose errors are those of the directory.
    func asking<Answer>(
        _ body: (any RecordStore) async throws(RecordStoreError) -> Answer
    ) async throws(DeviceRecordsError) -> Answer {
        do throws(RecordStoreError) {
            return try await body(store)
        } catch {
            throw .store(error)
        }
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - key: Where it is.
    ///   - device: The device whose record it must be; `nil` for any.
    ///   - last: What was read there last: the same bytes mean the same record.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`.
    func read(
        at key: RecordKey,
        of device: DeviceKey? = nil,
        after last: Found? = nil
    ) async throws(DeviceRecordsError) -> Found? {
        let stored = try await asking { store throws(RecordStoreError) in try await store.record(at: key) }
        guard let stored else { return nil }
        if let last, last.record.device == device, last.stored.version == stored.version,
            last.stored.bytes == stored.bytes
        {
            return Found(stored: stored, record: last.record)
        }
        let content: WipedBytes
        let schema: UInt32
        do throws(SealingError) {
            schema = try RecordSealer.schema(of: stored.bytes)
            content = try sealer.open(stored.bytes, in: context(schema: schema, key: key, version: stored.version))
        } catch {
            throw .sealing(error)
        }
        guard schema <= DeviceRecordCoding.schema else {
            throw .newerSchema(found: schema, known: DeviceRecordCoding.schema)
        }
        let record = try content.withSpan { text throws(DeviceRecordsError) in try DeviceRecordCoding.decode(text) }
        // Where records are not sealed, nothing else binds one to its place.
        guard device == nil || record.device == device else { throw .damaged(at: .root + "device") }
        return Found(stored: stored, record: record)
    }

    /// Writes a record in the place of the one that was found.
    ///
    /// - Returns: Whether it was written; `false` if the record was changed since.
    func replace(
        _ found: Found?,
        at key: RecordKey,
        with record: DeviceRecord,
        until end: Timestamp,
        durability: RecordDurability
    ) async throws(DeviceRecordsError) -> Bool {
        // A first version is random, up to 2^48: there is room for more changes than a device ever makes.
        let version = found.map { $0.stored.version + 1 } ?? Int64.random(in: 1...1 << 48)
        let subject = try record.subject.map { name throws(DeviceRecordsError) in try self.key(of: name, for: .subject)
        }
        let sealed: [UInt8]
        do throws(SealingError) {
            sealed = try DeviceRecordCoding.encode(record).withSpan { content throws(SealingError) in
                try sealer.seal(content, in: context(schema: DeviceRecordCoding.schema, key: key, version: version))
            }
        } catch {
            throw .sealing(error)
        }
        let stored = StoredRecord(bytes: sealed, version: version, expires: end, subject: subject)
        return try await asking { store throws(RecordStoreError) in
            try await store.replace(
                at: key, expecting: found?.stored.version, with: stored, durability: durability)
        }
    }

    private func context(schema: UInt32, key: RecordKey, version: Int64) -> RecordContext {
        RecordContext(purpose: .device, schema: schema, key: key, version: version)
    }
}
