/// Says why a ledger did not take something.
@nonexhaustive
public enum LedgerError: Error, Sendable, Hashable {
    /// A requestor, provider, resource, issuer or device is an empty text; with the name of the field.
    case emptyIdentifier(String)
    /// The ledger holds as many entitlements as it may: sweep it, or invalidate what is not needed.
    case full(capacity: Int)
    /// A setting cannot be meant.
    case policy(String)
    /// The text is no snapshot that can be trusted to be whole.
    case snapshot(SnapshotFault)

    /// The stable name of the error: what programs and log searches should look at.
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
        case .emptyIdentifier(let name): "the \(name) is empty; is it set where the ledger is told of it?"
        case .full(let capacity): "the ledger holds \(capacity) entitlements, as many as it may; sweep what has expired"
        case .policy(let words): words
        case .snapshot(let fault): fault.description
        }
    }
}

/// Says why a text is no snapshot.
@nonexhaustive
public enum SnapshotFault: Sendable, Hashable {
    /// Not a ledger's snapshot at all, or cut off; with what is wrong.
    case unreadable(String)
    /// Written by another version of the format.
    case version(Int64)
    /// The text is not what was written: its checksum differs.
    case edited
    /// A field is missing or holds what no ledger writes; with its name.
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
