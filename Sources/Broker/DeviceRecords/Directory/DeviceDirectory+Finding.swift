public import EntitlementValues
package import SealedRecords
public import ServiceResponses

extension DeviceDirectory {
    // MARK: Activation codes

    /// Lets a device be found by an activation code.
    ///
    /// The store keeps a keyed hash of the code, not the code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - device: The device that shows it.
    ///   - end: The first instant at which the code is of no use.
    /// - Throws: `DeviceRecordsError`.
    public func put(
        _ code: AuthenticationCode,
        for device: DeviceKey,
        until end: Timestamp
    ) async throws(DeviceRecordsError) {
        try await asking { table throws(SealedTableError) in
            let place = try table.place(of: device.rawValue)
            try await table.put(alias: code.text, for: .activationCode, leadingTo: place, until: end)
        }
    }

    /// Finds the device that shows an activation code.
    ///
    /// The record decides, not the place that leads to it: that may outlive a code which was used, replaced or cancelled.
    ///
    /// - Parameter code: The code, as it was typed.
    /// - Returns: The device; `nil` if no device shows this code, or none anymore.
    /// - Throws: `DeviceRecordsError`.
    public func device(showing code: AuthenticationCode) async throws(DeviceRecordsError) -> DeviceKey? {
        let found = try await asking { table throws(SealedTableError) in
            try await table.entry(alias: code.text, for: .activationCode)
        }
        guard let record = found?.record else { return nil }
        return record.requestors.values.contains { $0.pendingCode?.code == code } ? record.device : nil
    }

    /// Forgets an activation code that was used, replaced or cancelled.
    ///
    /// - Parameter code: The code.
    /// - Throws: `DeviceRecordsError`.
    public func forget(_ code: AuthenticationCode) async throws(DeviceRecordsError) {
        try await asking { table throws(SealedTableError) in
            try await table.remove(alias: code.text, for: .activationCode)
        }
    }

    // MARK: Subscribers

    /// Finds the devices of a subscriber.
    ///
    /// - Parameter subject: The subscriber, by the name that was written to ``DeviceRecord/subject``.
    /// - Returns: The devices, in any order.
    /// - Throws: `DeviceRecordsError`.
    public func devices(of subject: String) async throws(DeviceRecordsError) -> [DeviceKey] {
        var devices: [DeviceKey] = []
        for key in try await keys(of: subject) {
            let found = try await asking { table throws(SealedTableError) in
                try await table.entry(at: SealedTable.Place(key))
            }
            if let found { devices.append(found.record.device) }
        }
        return devices
    }

    /// Erases everything about a subscriber: the records of all of their devices.
    ///
    /// Records that do not open, for want of a key, are removed as well. A record that has become another subscriber's since
    /// it was found stays.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: How many records were removed.
    /// - Throws: `DeviceRecordsError`; ask again then, since some records may be left.
    @discardableResult
    public func forgetDevices(of subject: String) async throws(DeviceRecordsError) -> Int {
        let name = try await asking { table throws(SealedTableError) in try table.key(of: subject, for: .subject) }
        var count = 0
        for key in try await keys(of: subject) {
            if try await remove(at: key, of: name) { count += 1 }
        }
        return count
    }

    /// The places of the records of a subscriber.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: The places, in any order.
    /// - Throws: `DeviceRecordsError`.
    package func keys(of subject: String) async throws(DeviceRecordsError) -> [RecordKey] {
        try await asking { table throws(SealedTableError) in
            let name = try table.key(of: subject, for: .subject)
            return try await table.asking { store throws(RecordStoreError) in try await store.keys(of: name) }
        }
    }
}
