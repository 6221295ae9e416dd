/// The reason why a ledger refused a change or a snapshot.
@nonexhaustive
public enum LedgerError: Error, Sendable, Hashable {
    /// A requestor, provider, resource, issuer or device is empty; carries the name of the field.
    case emptyIdentifier(String)
    /// The ledger holds as many entitlements as its policy allows.
    case full(capacity: Int)
    /// A setting of the policy is out of range; says which.
    case policy(String)
    /// The text is not a complete snapshot.
    case snapshot(SnapshotFault)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .emptyIdentifier: "empty_identifier"
        case .full: "full"
        case .policy: "bad_policy"
        case .snapshot(let fault): fault.code
        }
    }
}

extension LedgerError: CustomStringConvertible {
    /// What happened and what to do, in one line, without identifiers.
    public var description: String {
        switch self {
        case .emptyIdentifier(let name): "the \(name) is empty; pass the value that the server named"
        case .full(let capacity):
            "the ledger is full with \(capacity) entitlements; sweep what has expired, or give it a larger capacity"
        case .policy(let words): words
        case .snapshot(let fault): fault.description
        }
    }
}

/// The reason why a text is not a snapshot.
@nonexhaustive
public enum SnapshotFault: Sendable, Hashable {
    /// Not a snapshot of a ledger, or cut off; says what is wrong.
    case unreadable(String)
    /// Written by another version of the format.
    case version(Int64)
    /// The text was changed after it was written: its checksum differs.
    case edited
    /// A field is missing or holds a value that no ledger writes; carries its name.
    case field(String)

    /// The stable name of the fault.
    public var code: String {
        switch self {
        case .unreadable: "snapshot_unreadable"
        case .version: "snapshot_version"
        case .edited: "snapshot_edited"
        case .field: "snapshot_field"
        }
    }
}

extension SnapshotFault: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .unreadable(let reason):
            "not a snapshot of a ledger, or cut off: \(reason); give the whole text that was written"
        case .version(let found):
            "a snapshot of version \(found), and this reads version \(LedgerSnapshot.version) only; read it with the release that wrote it"
        case .edited: "the snapshot was changed after it was written; make a new one and ask the service again"
        case .field(let name):
            "the snapshot's \(name) is missing or is not what a ledger writes; make a new one and ask the service again"
        }
    }
}
