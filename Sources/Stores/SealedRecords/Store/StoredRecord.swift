public import EntitlementValues

/// A record as a store keeps it: bytes that the store does not understand, and what it has to know of them.
public struct StoredRecord: Sendable, Hashable {
    /// The largest number of bytes that a store has to take.
    public static let maximumLength = 65_536
    /// The largest version: 2^53 - 1, since Redis calculates with numbers of 53 bits.
    public static let maximumVersion: Int64 = 9_007_199_254_740_991

    /// The content; usually sealed.
    public let bytes: [UInt8]
    /// The version: 1 to ``maximumVersion``.
    ///
    /// It grows by one with each change. A new record begins at a version that is drawn at random. So a record that was removed and made again does not
    /// pass for the old one, in whose place another process may still want to write.
    public let version: Int64
    /// The first instant at which the record counts as absent.
    public let expires: Timestamp
    /// The subscriber whom the record belongs to; `nil` if none is known.
    public let subject: RecordKey?

    /// Describes a record.
    ///
    /// - Parameters:
    ///   - bytes: The content, at most ``maximumLength`` bytes.
    ///   - version: The version, 1 to ``maximumVersion``.
    ///   - expires: The first instant at which the record counts as absent.
    ///   - subject: The subscriber whom the record belongs to.
    public init(bytes: [UInt8], version: Int64, expires: Timestamp, subject: RecordKey? = nil) {
        (self.bytes, self.version, self.expires, self.subject) = (bytes, version, expires, subject)
    }

    /// The same record with another end.
    package func extended(until expiry: Timestamp) -> StoredRecord {
        StoredRecord(bytes: bytes, version: version, expires: expiry, subject: subject)
    }

    /// The version of what takes the place of a record: one more than its version; without a record, random up to 2^48.
    ///
    /// There is room for more changes than any record ever sees.
    package static func version(after found: StoredRecord?) -> Int64 {
        found.map { $0.version + 1 } ?? Int64.random(in: 1...1 << 48)
    }

    /// Refuses a record that no store takes; throws `.tooLarge` or `.unusableVersion`.
    package func check() throws(RecordStoreError) {
        guard bytes.count <= Self.maximumLength else {
            throw .tooLarge(count: bytes.count, limit: Self.maximumLength)
        }
        guard 1...Self.maximumVersion ~= version else { throw .unusableVersion(version) }
    }
}

extension StoredRecord: CustomStringConvertible, CustomReflectable {
    /// The length, the version and the end; never the content.
    public var description: String { "record of \(bytes.count) bytes, version \(version), until \(expires)" }

    /// Shows no content.
    public var customMirror: Mirror {
        Mirror(self, children: ["count": bytes.count, "version": version, "expires": expires])
    }
}

/// How sure a store must be of a change before it says that it was made.
///
/// A process that stops, or is killed, loses no change either way.
public enum RecordDurability: Sendable, Hashable {
    /// The change may be lost if the machine loses power in the next moments: for what the broker will say again.
    case normal
    /// The change has reached the disk: for credentials and profiles.
    ///
    /// A store without a disk of its own does what it can; Redis, for example, what its `appendfsync` says.
    case full
}
