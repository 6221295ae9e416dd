public import EntitlementValues
import HostSystem
import OpenSSLBridge
public import SealedRecords
import TextCodecs

/// Keeps the records of devices in a store, sealed.
///
/// ```swift
/// let directory = DeviceDirectory(in: store, sealer: RecordSealer(keys))
/// let kept = try await directory.change(device) { record in record.adopt(credentials, for: scope) }
/// ```
public struct DeviceDirectory: Sendable {
    /// How long a record is kept after the last use of its device.
    public static let lifetime = TimeToLive.hours(400 * 24)
    /// How often a change is tried before it fails as `.contended`.
    public static let maximumAttempts = 40

    private let store: any RecordStore
    private let sealer: RecordSealer
    private let time: TimeSource

    /// Makes a directory.
    ///
    /// - Parameters:
    ///   - store: Where the records are.
    ///   - sealer: Seals and opens them.
    ///   - time: By which records expire, and attempts wait.
    public init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource = .system) {
        (self.store, self.sealer, self.time) = (store, sealer, time)
    }

    /// Reads the record of a device.
    ///
    /// - Parameter device: The device.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`.
    public func record(of device: DeviceKey) async throws(DeviceRecordsError) -> DeviceRecord? {
        let key = try key(of: device)
        guard let stored = try await stored(at: key) else { return nil }
        return try open(stored, at: key)
    }

    /// Changes the record of a device, and tries again if others change it at the same time.
    ///
    /// - Parameters:
    ///   - device: The device. If there is no record, the body changes an empty one.
    ///   - body: Changes the record. It may run several times, each time with the record as it is then; only what the
    ///     last run did counts. If it throws, nothing is written.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws, or `DeviceRecordsError`.
    @discardableResult
    public func change<Answer, Failure: Error>(
        _ device: DeviceKey,
        _ body: (inout DeviceRecord) throws(Failure) -> Answer
    ) async throws -> Answer {
        let key = try key(of: device)
        for attempt in 0..<Self.maximumAttempts {
            if attempt > 0 { try await wait(beforeAttempt: attempt) }
            let stored = try await stored(at: key)
            let before = try stored.map { stored throws(DeviceRecordsError) in try open(stored, at: key) }
            var after = before ?? DeviceRecord(of: device)
            let answer = try body(&after)
            guard after != before else { return answer }
            let version = stored.map { $0.version + 1 } ?? newVersion()
            let context = RecordContext(
                purpose: .device, schema: DeviceRecordCoding.schema, key: key, version: version)
            let sealed: [UInt8]
            do throws(SealingError) {
                sealed = try DeviceRecordCoding.encode(after).withSpan { content throws(SealingError) in
                    try sealer.seal(content, in: context)
                }
            } catch {
                throw DeviceRecordsError.sealing(error)
            }
            let record = StoredRecord(bytes: sealed, version: version, expires: time.now + Self.lifetime)
            do throws(RecordStoreError) {
                if try await store.replace(at: key, expecting: stored?.version, with: record, durability: .full) {
                    return answer
                }
            } catch {
                throw DeviceRecordsError.store(error)
            }
        }
        throw DeviceRecordsError.contended(attempts: Self.maximumAttempts)
    }

    /// Forgets a device: its record is removed.
    ///
    /// - Parameter device: The device.
    /// - Returns: Whether there was a record.
    /// - Throws: `DeviceRecordsError`.
    @discardableResult
    public func forget(_ device: DeviceKey) async throws(DeviceRecordsError) -> Bool {
        let key = try key(of: device)
        do throws(RecordStoreError) {
            return try await store.remove(at: key)
        } catch {
            throw .store(error)
        }
    }

    private func key(of device: DeviceKey) throws(DeviceRecordsError) -> RecordKey {
        do throws(SealingError) {
            return try sealer.key(of: device.rawValue, for: .device)
        } catch {
            throw .sealing(error)
        }
    }

    private func stored(at key: RecordKey) async throws(DeviceRecordsError) -> StoredRecord? {
        do throws(RecordStoreError) {
            return try await store.record(at: key)
        } catch {
            throw .store(error)
        }
    }

    private func open(_ stored: StoredRecord, at key: RecordKey) throws(DeviceRecordsError) -> DeviceRecord {
        let context = RecordContext(
            purpose: .device, schema: DeviceRecordCoding.schema, key: key, version: stored.version)
        let content: WipedBytes
        do throws(SealingError) {
            content = try sealer.open(stored.bytes, in: context)
        } catch {
            throw .sealing(error)
        }
        return try content.withSpan { text throws(DeviceRecordsError) in try DeviceRecordCoding.decode(text) }
    }

    /// A random first version, up to 2^48: there is room for more changes than a device ever makes.
    private func newVersion() -> Int64 { Int64.random(in: 1...(1 << 48)) }

    private func wait(beforeAttempt attempt: Int) async throws {
        let longest = min(1 << min(attempt, 7), 100)
        try await time.sleep(untilUptime: time.uptime + .microseconds(Int.random(in: 0...(longest * 1000))))
    }
}
