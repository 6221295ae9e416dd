#if Service
package import DeviceRecords
package import EntitlementValues
import HTTPTypes
import HostSystem
package import SealedRecords
import TextCodecs

/// Keeps the gateway's own records of devices, sealed, in the store that has the broker's client's records too.
///
/// Like those, a record is kept for 400 days after the last use of its device.
package struct GatewayDevices: Sendable {
    private static let schema: UInt32 = 1

    private let store: any RecordStore
    private let sealer: RecordSealer
    private let time: TimeSource

    package init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource) {
        (self.store, self.sealer, self.time) = (store, sealer, time)
    }

    private struct Found {
        let stored: StoredRecord
        let device: GatewayDevice
    }

    /// Reads the record of a device.
    ///
    /// - Parameter device: The device.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `GatewayRefusal` with the status 503 if the store cannot tell.
    package func record(of device: DeviceKey) async throws(GatewayRefusal) -> GatewayDevice? {
        let place = try place(of: device)
        guard let found = try await found(at: place) else { return nil }
        guard !found.device.isForgotten else { return found.device }
        let end = slidEnd(of: found.stored)
        // If it fails, the record that was read is as good as before, and the next use tries again.
        if end != found.stored.expires { try? await store.extend(at: place, until: end) }
        return found.device
    }

    /// The version of a device's record, to see cheaply whether it was changed; `nil` if there is none.
    func version(of device: DeviceKey) async throws(GatewayRefusal) -> Int64? {
        let place = try place(of: device)
        return try await asking { store throws(RecordStoreError) in try await store.version(at: place) }
    }

    /// Changes the record of a device, and tries again if others change it at the same time.
    ///
    /// If nothing changes, nothing is written.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - first: What is changed if none is stored; `nil` if there must be one.
    ///   - body: Changes the record; it may run several times, each time with the record as it is then.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws; `GatewayRefusal` with the status 503; 401 if none is stored, and none is to
    ///   be made.
    @discardableResult
    func change<Answer>(
        _ device: DeviceKey,
        orMaking first: GatewayDevice? = nil,
        _ body: (inout GatewayDevice) throws(GatewayRefusal) -> Answer
    ) async throws(GatewayRefusal) -> Answer {
        let place = try place(of: device)
        return try await untilWritten { () throws(GatewayRefusal) -> Answer? in
            let found = try await found(at: place)
            // A device that was forgotten meanwhile must not come back with what a late request says of it.
            guard var changed = found?.device ?? first, !changed.isForgotten else { throw .deviceTokenRevoked }
            let answer = try body(&changed)
            if changed == found?.device { return answer }
            return try await replace(found, at: place, with: changed) ? answer : nil
        }
    }

    /// Erases the record of a device, and refuses its tokens from now on.
    ///
    /// A mark stays in its place, so that a token which was copied does not begin anew. It holds nothing of the device.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - app: The app that it belonged to.
    ///   - end: When the last of its tokens ends.
    /// - Returns: What the mark has replaced; `nil` if there was no record.
    /// - Throws: `GatewayRefusal` with the status 503.
    @discardableResult
    package func forget(
        _ device: DeviceKey,
        of app: String,
        until end: Timestamp
    ) async throws(GatewayRefusal) -> GatewayDevice? {
        let place = try place(of: device)
        let mark = GatewayDevice(forgotten: device, of: app)
        return try await untilWritten { () throws(GatewayRefusal) -> GatewayDevice?? in
            let found = try await found(at: place)
            return try await replace(found, at: place, with: mark, until: end) ? .some(found?.device) : nil
        }
    }

    /// Tries again if others change the record at the same time, as long as a directory of devices does.
    ///
    /// - Parameter attempt: One attempt; it returns `nil` if another change came first.
    /// - Returns: What the attempt returned.
    /// - Throws: What the attempt throws; `GatewayRefusal` with the status 503 if all were in vain, or the task is cancelled.
    private func untilWritten<Answer>(
        _ attempt: () async throws(GatewayRefusal) -> Answer?
    ) async throws(GatewayRefusal) -> Answer {
        var attempts = ChangeAttempts(by: time)
        repeat {
            if let answer = try await attempt() { return answer }
        } while (try? await attempts.goOn()) == true
        throw .storeUnavailable("device_record_contended")
    }

    // MARK: Records

    private func place(of device: DeviceKey) throws(GatewayRefusal) -> RecordKey {
        do throws(SealingError) {
            return try sealer.key(of: device.rawValue, for: .gatewayDevice)
        } catch {
            throw .cryptography
        }
    }

    private func asking<Answer>(
        _ body: (any RecordStore) async throws(RecordStoreError) -> Answer
    ) async throws(GatewayRefusal) -> Answer {
        do throws(RecordStoreError) {
            return try await body(store)
        } catch {
            throw .storeUnavailable(error.code)
        }
    }

    private func context(_ place: RecordKey, _ version: Int64) -> RecordContext {
        RecordContext(purpose: .gatewayDevice, schema: Self.schema, key: place, version: version)
    }

    private func found(at place: RecordKey) async throws(GatewayRefusal) -> Found? {
        let stored = try await asking { store throws(RecordStoreError) in try await store.record(at: place) }
        guard let stored else { return nil }
        let content: WipedBytes
        do throws(SealingError) {
            content = try sealer.open(stored.bytes, in: context(place, stored.version))
        } catch {
            throw .storeUnavailable(error.code)
        }
        guard let device = content.withSpan({ try? GatewayDevice(content: $0) }) else {
            throw .storeUnavailable("device_record_damaged")
        }
        return Found(stored: stored, device: device)
    }

    private func replace(
        _ found: Found?,
        at place: RecordKey,
        with device: GatewayDevice,
        until expiry: Timestamp? = nil
    ) async throws(GatewayRefusal) -> Bool {
        // A first version is random, so that a record that was erased and made again does not pass for the old one.
        let version = found.map { $0.stored.version + 1 } ?? Int64.random(in: 1...1 << 48)
        let content = device.content[...]
        let sealed: [UInt8]
        do throws(SealingError) {
            sealed = try sealer.seal(content.span, in: context(place, version))
        } catch {
            throw .cryptography
        }
        let end = expiry ?? found.map { slidEnd(of: $0.stored) } ?? time.now + DeviceDirectory.lifetime
        let record = StoredRecord(bytes: sealed, version: version, expires: end)
        return try await asking { store throws(RecordStoreError) in
            try await store.replace(at: place, expecting: found?.stored.version, with: record, durability: .full)
        }
    }

    private func slidEnd(of stored: StoredRecord) -> Timestamp {
        let end = time.now + DeviceDirectory.lifetime
        return stored.expires > end - DeviceDirectory.slidingStep ? stored.expires : end
    }

    // MARK: States

    /// Lets the device be found by the state of a flow.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - device: The device.
    ///   - end: The first instant at which the state is of no use.
    /// - Throws: `GatewayRefusal` with the status 503.
    func put(state: String, for device: DeviceKey, until end: Timestamp) async throws(GatewayRefusal) {
        let (alias, place) = (try alias(of: state), try place(of: device))
        try await asking { store throws(RecordStoreError) in
            try await store.put(alias: alias, for: place, until: end)
        }
    }

    /// The record of the device that a state belongs to; `nil` if there is none, or none any more.
    ///
    /// - Throws: `GatewayRefusal` with the status 503.
    func record(ofState state: String) async throws(GatewayRefusal) -> GatewayDevice? {
        let alias = try alias(of: state)
        let place = try await asking { store throws(RecordStoreError) in try await store.key(of: alias) }
        guard let place else { return nil }
        return try await found(at: place)?.device
    }

    /// Forgets a state.
    ///
    /// - Throws: `GatewayRefusal` with the status 503.
    func forget(state: String) async throws(GatewayRefusal) {
        let alias = try alias(of: state)
        try await asking { store throws(RecordStoreError) in try await store.remove(alias: alias) }
    }

    private func alias(of state: String) throws(GatewayRefusal) -> RecordKey {
        do throws(SealingError) {
            return try sealer.key(of: state, for: .gatewayState)
        } catch {
            throw .cryptography
        }
    }
}
#endif
