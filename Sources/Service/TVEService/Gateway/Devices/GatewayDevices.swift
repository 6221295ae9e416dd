#if Service
package import DeviceRecords
package import EntitlementValues
package import SealedRecords

/// Keeps the gateway's own records of devices, sealed, in the store that has the broker's client's records too.
///
/// Like those, a record is kept for 400 days after the last use of its device.
package struct GatewayDevices: Sendable {
    private let table: SealedTable<GatewayDevice>
    private let time: TimeSource

    package init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource) {
        table = SealedTable(in: store, sealer: sealer, time: time)
        self.time = time
    }

    /// Reads the record of a device; `nil` if there is none.
    ///
    /// Throws if the store cannot tell.
    package func record(of device: DeviceKey) async throws(SealedTableError) -> GatewayDevice? {
        let place = try table.place(of: device.rawValue)
        guard let found = try await table.entry(at: place) else { return nil }
        // The mark of a device that was forgotten ends with the last of its tokens.
        if !found.record.isForgotten { await table.use(found, at: place, moving: DeviceDirectory.slidingEnd) }
        return found.record
    }

    /// Changes the record of a device, and tries again if others change it at the same time.
    ///
    /// If nothing changes, nothing is written. `first` is what is changed if none is stored; `nil` if there must be
    /// one. The body may run several times, each time with the record as it is then.
    ///
    /// Throws with the status 401 if none is stored, and none is to be made; `SealedTableError` if the store fails.
    @discardableResult
    func change<Answer>(
        _ device: DeviceKey,
        orMaking first: GatewayDevice? = nil,
        _ body: (inout GatewayDevice) -> Answer
    ) async throws -> Answer {
        let answer: Answer? = try await table.change(at: try table.place(of: device.rawValue)) { found in
            // A device that was forgotten meanwhile must not come back with what a late request says of it.
            guard var changed = found?.record ?? first, !changed.isForgotten else { return .keep(nil) }
            let answer = body(&changed)
            if changed == found?.record { return .keep(.some(answer)) }
            let end = DeviceDirectory.slidingEnd.end(of: found?.stored, usedAt: time.now)
            return .write(changed, until: end, answer: .some(answer))
        }
        guard let answer else { throw RequestError.deviceTokenRevoked }
        return answer
    }

    /// Erases the record of a device, and refuses its tokens from now on.
    ///
    /// A mark stays in its place, so that a token which was copied does not begin anew. It holds nothing of the device.
    ///
    /// The last of its tokens ends at `end`. Returns what the mark has replaced; `nil` if there was no record.
    @discardableResult
    package func forget(
        _ device: DeviceKey,
        of app: String,
        until end: Timestamp
    ) async throws(SealedTableError) -> GatewayDevice? {
        try await table.change(at: try table.place(of: device.rawValue)) { found in
            .write(GatewayDevice(forgotten: device, of: app), until: end, answer: found?.record)
        }
    }

    // MARK: States

    /// Lets the device be found by the state of a flow.
    ///
    /// From `end` on the state is of no use.
    func put(state: String, for device: DeviceKey, until end: Timestamp) async throws(SealedTableError) {
        let place = try table.place(of: device.rawValue)
        try await table.put(alias: state, for: .gatewayState, leadingTo: place, until: end)
    }

    /// The record of the device that a state belongs to; `nil` if there is none, or none any more.
    ///
    /// Finding it is not a use of the device.
    func record(ofState state: String) async throws(SealedTableError) -> GatewayDevice? {
        try await table.entry(alias: state, for: .gatewayState)?.record
    }
}
#endif
