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
