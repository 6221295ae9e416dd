import TextCodecs
public import TokenLifetimes

/// Says why a store's file cannot be used, or why it did not answer.
@nonexhaustive
public enum SQLiteStoreError: Error, Sendable, Hashable {
    /// The path names no file: it is empty, or `:memory:`, which no other process would see.
    case unusablePath(String)
    /// The file cannot be made, opened or written, and will not be until its path or rights change; in the system's words.
    case cannotOpen(path: String, reason: String)
    /// The file is no SQLite database.
    case notADatabase(path: String)
    /// The file is a database, but no store of this kind. It was left as it is.
    case otherApplication(path: String)
    /// A newer version of this library wrote the file. It was left as it is.
    case newerVersion(path: String, found: Int)
    /// The file holds what no store writes.
    case damaged(path: String)
    /// The file was removed, renamed or replaced while it was in use.
    case moved(path: String)
    /// The file did not take what had to be written, or could not be opened, and may later: full disk, a lock that others
    /// hold too long, no memory, a failing disk.
    case unavailable(path: String, reason: String)
    /// The ledger refused the change; nothing was written.
    case ledger(LedgerError)

    /// The stable name of the error: what programs and log searches should look at.
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
            "\"\(path.printable)\" names no file that other processes could share; give the path of a file"
        case .cannotOpen(let path, let reason):
            "\(path.printable) cannot be used: \(reason); give a path in a folder of this host that this user may write"
        case .notADatabase(let path): "\(path.printable) is no SQLite database; give the path of a new file"
        case .otherApplication(let path):
            "\(path.printable) is a database of something else; give the path of a new file"
        case .newerVersion(let path, let found):
            "\(path.printable) has version \(found) of the format, written by a newer release; use that one"
        case .damaged(let path): "\(path.printable) is damaged; move it away, and what it knew is lost"
        case .moved(let path):
            "\(path.printable) was removed, renamed or replaced while in use; start again with the new file"
        case .unavailable(let path, let reason):
            "\(path.printable) did not answer: \(reason); look at the disk and the processes that use the file"
        case .ledger(let error): error.description
        }
    }
}
