import TextCodecs

/// The key of a record, of an alias or of a subject: 32 bytes that do not tell what they stand for.
///
/// A ``RecordSealer`` makes them: each is a keyed hash, so a store can be listed without showing whose records it holds.
public struct RecordKey: Sendable, Hashable {
    /// How many bytes a key has.
    public static let length = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes the bytes of a key; `nil` unless there are 32.
    ///
    /// - Parameter bytes: The 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads the text that ``description`` gives, 64 lower-case hexadecimal digits; `nil` for any other.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == 2 * Self.length else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        guard description == text else { return nil }
    }
}

extension RecordKey: CustomStringConvertible {
    /// The bytes as 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
