import TextCodecs
public import TokenLifetimes

/// The reason why a store's file cannot be used, or did not answer.
@nonexhaustive
public enum SQLiteStoreError: Error, Sendable, Hashable {
    /// The path does not name a file: it is empty, or `:memory:`, which other processes would not see.
    case unusablePath(String)
    /// The file cannot be created, opened or written until its path or rights change; the reason is the system's.
    case cannotOpen(path: String, reason: String)
    /// The file is not a SQLite database.
    case notADatabase(path: String)
    /// The file is a database, but not a store of this kind. It was left as it is.
    case otherApplication(path: String)
    /// A newer version of this library wrote the file. It was left as it is.
    case newerVersion(path: String, found: Int)
    /// The file is damaged: it holds something that no store writes.
    case damaged(path: String)
    /// The file was removed, renamed or replaced while it was in use.
    case moved(path: String)
    /// The file could not be written or opened now, but may be later: the disk is full or failing, memory is short, or
    /// another process held the lock too long.
    case unavailable(path: String, reason: String)
    /// The ledger refused the change; nothing was written.
    case ledger(LedgerError)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unusablePath: "unusable_path"
        case .cannotOpen: "cannot_open"
        case .notADatabase: "not_a_database"
        case .otherApplication: "other_application"
        case .newerVersion: "newer_version"
        case .damaged: "damaged"
        case .moved: "moved"
        case .unavailable: "unavailable"
        case .ledger(let error): error.code
        }
    }
}

extension SQLiteStoreError: CustomStringConvertible {
    /// What happened, to which file, and what to do, in one line.
    public var description: String {
        switch self {
        case .unusablePath(let path):
            "\"\(printable(path))\" does not name a file that other processes could share; give the path of a file"
        case .cannotOpen(let path, let reason):
            "\(printable(path)) cannot be used: \(reason); give a path in a folder of this host that this user may write"
        case .notADatabase(let path): "\(printable(path)) is not a SQLite database; give the path of a new file"
        case .otherApplication(let path):
            "\(printable(path)) is a database of another program or store; give the path of a new file"
        case .newerVersion(let path, let found):
            "\(printable(path)) has version \(found) of the format, written by a newer release; use that one"
        case .damaged(let path):
            "\(printable(path)) is damaged; move it away to start with an empty file (what it held is lost)"
        case .moved(let path):
            "\(printable(path)) was removed, renamed or replaced while in use; restart this process with the new file"
        case .unavailable(let path, let reason):
            "\(printable(path)) did not answer: \(reason); check the disk and the other processes that use the file"
        case .ledger(let error): error.description
        }
    }
}
