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
    /// The file is a database of another program. It was left as it is.
    case otherApplication(path: String)
    /// The file is a store of another kind: used tokens given to the store of ledgers, for example. It was left as it is.
    case otherStore(path: String, holds: StoreContent)
    /// A newer version of this library wrote the file. It was left as it is.
    case newerVersion(path: String, found: Int)
    /// The file is damaged: it holds something that no store writes.
    case damaged(path: String)
    /// Another program gave the database a trigger, a view, a table or an index that no store makes, or made a table otherwise.
    ///
    /// Such a file may forget what is written to it. It was left as it is.
    case altered(path: String, what: String)
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
        case .otherStore: "other_store"
        case .newerVersion: "newer_version"
        case .damaged: "damaged"
        case .altered: "altered"
        case .moved: "moved"
        case .unavailable: "unavailable"
        case .ledger(let error): error.code
        }
    }
}

/// What the file of a store holds.
@nonexhaustive
public enum StoreContent: String, Sendable, Hashable, CaseIterable {
    /// The IDs of used tokens.
    case usedTokens = "used_tokens"
    /// Ledgers of lifetimes.
    case ledgers
    /// Records of devices and their kind.
    case records

    /// The type that opens such a file.
    var store: String { told.store }
}

extension StoreContent: CustomStringConvertible {
    /// The content in words.
    public var description: String { told.words }

    private var told: (store: String, words: String) {
        switch self {
        case .usedTokens: ("SQLiteReplayStore", "used tokens")
        case .ledgers: ("SQLiteLedgerStore", "ledgers")
        case .records: ("SQLiteRecordStore", "records")
        }
    }
}

extension SQLiteStoreError: CustomStringConvertible {
    /// What happened, to which file, and what to do, in one line.
    public var description: String {
        switch self {
        case .unusablePath(let path):
            "\"\(path.printable)\" does not name a file that other processes could share; give the path of a file"
        case .cannotOpen(let path, let reason):
            "\(path.printable) cannot be used: \(reason); give a path in a folder of this host that this user may write"
        case .notADatabase(let path): "\(path.printable) is not a SQLite database; give the path of a new file"
        case .otherApplication(let path):
            "\(path.printable) is a database of another program; give the path of a new file"
        case .otherStore(let path, let content):
            "\(path.printable) holds \(content); open it with \(content.store), or give the path of a new file"
        case .newerVersion(let path, let found):
            "\(path.printable) has version \(found) of the format, written by a newer release; use that one"
        case .damaged(let path):
            "\(path.printable) is damaged; move it away to start with an empty file (what it held is lost)"
        case .altered(let path, let what):
            "\(path.printable) has \(what.printable), which no store makes: the user who made it decides what the file "
                + "remembers; move it away to start with an empty file, and find out who that was"
        case .moved(let path):
            "\(path.printable) was removed, renamed or replaced while in use; restart this process with the new file"
        case .unavailable(let path, let reason):
            "\(path.printable) did not answer: \(reason); check the disk and the other processes that use the file"
        case .ledger(let error): error.description
        }
    }
}
