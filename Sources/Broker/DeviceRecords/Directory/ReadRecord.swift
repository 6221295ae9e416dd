import SealedRecords

/// The record of a device as it was read, which saves work when it is read again: `DeviceDirectory.read(_:after:)`.
public struct ReadRecord: Sendable {
    let found: SealedTable<DeviceRecord>.Entry

    /// The record.
    public var record: DeviceRecord { found.record }
}
