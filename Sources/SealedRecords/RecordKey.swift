/// The key of a record: 32 bytes that do not tell what they stand for.
public struct RecordKey: Sendable, Hashable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes the bytes of a key; `nil` unless there are 32.
    ///
    /// - Parameter bytes: The 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}
