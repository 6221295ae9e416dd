/// The record of a device as it was read, which saves work when it is read again: `DeviceDirectory.read(_:after:)`.
public struct ReadRecord: Sendable {
    let found: SealedPlaces.Found

    /// The record.
    public var record: DeviceRecord { found.record }
}
