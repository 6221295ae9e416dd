public import EntitlementValues

/// What a sealed record is bound to: it opens in no other place.
package struct RecordContext: Sendable, Hashable {
    /// What the record is for.
    package let purpose: RecordPurpose
    /// The version of the content's own form.
    package let schema: UInt32
    /// Where the record is.
    package let key: RecordKey
    /// The version of the record.
    package let version: Int64

    /// Describes the place of a record.
    package init(purpose: RecordPurpose, schema: UInt32, key: RecordKey, version: Int64) {
        (self.purpose, self.schema, self.key, self.version) = (purpose, schema, key, version)
    }
}

/// What a key or a record is for, so that records of different kinds can share a store.
public struct RecordPurpose: EntitlementIdentifier {
    /// The name of the purpose.
    public let rawValue: String

    /// Makes a purpose from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Records of devices.
    public static let device: RecordPurpose = "device"
    /// Subscribers, whose records can be found to erase them.
    public static let subject: RecordPurpose = "subject"
    /// Activation codes, by which the record of a device is found.
    public static let activationCode: RecordPurpose = "activation-code"
    /// The mark of the keys that a store belongs to.
    public static let keyMark: RecordPurpose = "key-mark"
}
