/// The reason why a store did not do what it was asked.
@nonexhaustive
public enum RecordStoreError: Error, Sendable, Hashable {
    /// The store did not answer, or its answer cannot be trusted. Whether a change was made is not known.
    ///
    /// The reason is for people, and holds no password.
    case unavailable(reason: String)
    /// The store holds as many live records and aliases as it may.
    case full(capacity: Int)
    /// The record has more bytes than a store takes.
    case tooLarge(count: Int, limit: Int)
    /// The version is not one that a record can have.
    case unusableVersion(Int64)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unavailable: "record_store_unavailable"
        case .full: "record_store_full"
        case .tooLarge: "record_too_large"
        case .unusableVersion: "unusable_record_version"
        }
    }
}

extension RecordStoreError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .unavailable(let reason): reason
        case .full(let capacity):
            "the store is full with \(capacity) live records and aliases; give it a larger capacity"
        case .tooLarge(let count, let limit):
            "the record has \(count) bytes, and stores take \(limit); remove something from it"
        case .unusableVersion(let version):
            "\(version) is not a version of a record; versions are 1 to \(StoredRecord.maximumVersion)"
        }
    }
}
