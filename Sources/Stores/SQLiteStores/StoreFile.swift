package import EntitlementValues
import Synchronization

/// A database file of one kind of store, opened and checked, that is written in transactions.
///
/// It keeps a write-ahead log: a commit is one write, and what was committed survives the process.
package final class StoreFile: Sendable {
    let connection: SQLiteConnection
    let patience: TimeToLive
    private let prepared = Mutex<[String: SQLiteStatement]>([:])
    /// Whether transactions wait for the disk at present.
    private let isSynchronous: Mutex<Bool>

    /// A kind of store: how its files are marked, and how their tables are made.
    package struct Kind {
        /// The application ID in the file's header, where any SQLite tool shows it.
        let applicationID: Int64
        let version: Int64
        let tables: [String]

        /// Describes a kind of store.
        ///
        /// The header of its files holds the application ID and the version of its format. `tables` are the statements
        /// that make its tables.
        package init(applicationID: Int64, version: Int64, tables: [String]) {
            self.applicationID = applicationID
            self.version = version
            self.tables = tables
        }
    }

    /// Opens a file, and makes its tables if it is new.
    ///
    /// The file is missing, empty or of the given kind; else it is refused. `patience` is how long a step waits for
    /// other processes. `survivesPowerLoss` says whether each transaction waits for the disk.
    package init(
        path: String,
        kind: Kind,
        patience: TimeToLive,
        survivesPowerLoss: Bool
    ) throws(SQLiteStoreError) {
        connection = try Self.open(path, patience)
        self.patience = patience
        isSynchronous = Mutex(survivesPowerLoss)
        // One transaction, so that another process that makes the tables now does so before all checks or after them.
        try connection.execute("BEGIN")
        let isReady = try Self.hasTables(connection, of: kind)
        try connection.execute("COMMIT")
        try Self.keepWriteAheadLog(connection, patience)
        try connection.execute(Self.synchronous(survivesPowerLoss))
        connection.copyLog(after: Self.pagesOfLog)
        if !isReady { try makeTables(kind) }
    }

    /// 16 MiB: IDs come in no order, so many redemptions touch the same page, and it is copied to its place once.
    static let pagesOfLog: Int32 = 4000

    /// The path, as the file was opened.
    var path: String { connection.path }

    /// How many rows the last statement changed.
    var changes: Int { connection.changes }

    /// Runs a statement, prepared at its first use, with values of `?1`, `?2` and so on.
    ///
    /// `body` receives each row. If this throws, the caller must roll back the transaction, if there is one.
    package func run(
        _ text: String,
        binding values: [SQLiteValue] = [],
        _ body: ([SQLiteValue]) -> Void = { _ in }
    ) throws(SQLiteStoreError) {
        let statement = try prepared.withLock { prepared throws(SQLiteStoreError) in
            if let statement = prepared[text] { return statement }
            let statement = try connection.prepare(text)
            prepared[text] = statement
            return statement
        }
        try statement.run(values, body)
    }

    /// Runs a statement that reads, and returns what `read` makes of its rows; throws `.damaged` if that is `nil` for one.
    func rows<Row>(
        _ text: String,
        binding values: [SQLiteValue],
        _ read: ([SQLiteValue]) -> Row?
    ) throws(SQLiteStoreError) -> [Row] {
        var rows: [Row?] = []
        try run(text, binding: values) { rows.append(read($0)) }
        guard rows.allSatisfy({ $0 != nil }) else { throw .damaged(path: path) }
        return rows.compactMap(\.self)
    }

    /// Runs a change in a transaction: all of it is written, or nothing.
    ///
    /// Only one thread may call it at a time.
    func transaction<Answer>(
        _ body: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        try transaction("BEGIN IMMEDIATE", body)
    }

    private func transaction<Answer>(
        _ begin: String,
        _ body: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        guard !connection.hasMoved else { throw .moved(path: connection.path) }
        try run(begin)
        return try finish(body)
    }

    /// Runs a body in the transaction that was begun, and ends it.
    func finish<Answer>(
        _ body: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        do throws(SQLiteStoreError) {
            let answer = try body()
            try run("COMMIT")
            return answer
        } catch {
            // Some failures end the transaction themselves; then there is nothing to roll back.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Says whether the next transactions wait for the disk.
    ///
    /// A transaction that waits takes all earlier ones to the disk with it. Only the thread of the transactions may call
    /// it, and not in one.
    func setSurvivesPowerLoss(_ survives: Bool) throws(SQLiteStoreError) {
        try isSynchronous.withLock { isSynchronous throws(SQLiteStoreError) in
            guard survives != isSynchronous else { return }
            try run(Self.synchronous(survives))
            isSynchronous = survives
        }
    }

    private static func synchronous(_ survivesPowerLoss: Bool) -> String {
        "PRAGMA synchronous = \(survivesPowerLoss ? "FULL" : "NORMAL")"
    }

    /// Reads in a transaction: everything as it was at one moment.
    ///
    /// Only one thread may call it at a time, and other connections may write meanwhile.
    func reading<Answer>(_ body: () throws(SQLiteStoreError) -> Answer) throws(SQLiteStoreError) -> Answer {
        try transaction("BEGIN", body)
    }

    // MARK: Opening

    private static func open(_ path: String, _ patience: TimeToLive) throws(SQLiteStoreError) -> SQLiteConnection {
        guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else { throw .unusablePath(path) }
        // With "./" the path is neither a URI nor one of libsqlite3's special names.
        let path = path.hasPrefix("/") ? path : "./\(path)"
        return try SQLiteFile.opening.withLock { _ throws(SQLiteStoreError) in
            try SQLiteFile.prepare(path)
            return try SQLiteConnection(path: path, patience: patience)
        }
    }

    /// Whether the file has the tables of its kind; not if it is new.
    ///
    /// A file of another kind is an error, and is left as it is.
    private static func hasTables(_ connection: SQLiteConnection, of kind: Kind) throws(SQLiteStoreError) -> Bool {
        let applicationID = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        if applicationID == 0, version == 0, try connection.integer("SELECT count(*) FROM sqlite_master") == 0 {
            return false
        }
        guard applicationID == kind.applicationID else {
            throw StoreContent(applicationID: applicationID).map { .otherStore(path: connection.path, holds: $0) }
                ?? .otherApplication(path: connection.path)
        }
        guard version <= kind.version else { throw .newerVersion(path: connection.path, found: Int(version)) }
        guard version == kind.version else { throw .damaged(path: connection.path) }
        try StoreSchema(of: connection).check(kind)
        return true
    }

    private static func keepWriteAheadLog(
        _ connection: SQLiteConnection,
        _ patience: TimeToLive
    ) throws(SQLiteStoreError) {
        let deadline = ContinuousClock.now + .milliseconds(patience.milliseconds)
        while true {
            do throws(SQLiteStoreError) {
                guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
                    throw .cannotOpen(path: connection.path, reason: "its file system allows no write-ahead log")
                }
                return
            } catch {
                // For this statement libsqlite3 does not wait for other processes by itself.
                guard connection.isBusy, ContinuousClock.now < deadline else { throw error }
                pause()
            }
        }
    }

    private func makeTables(_ kind: Kind) throws(SQLiteStoreError) {
        try transaction { () throws(SQLiteStoreError) in
            // Another process may have made the tables between the check and the lock.
            if try Self.hasTables(connection, of: kind) { return }
            for table in kind.tables { try connection.execute(table) }
            try connection.execute("PRAGMA application_id = \(kind.applicationID)")
            try connection.execute("PRAGMA user_version = \(kind.version)")
        }
    }
}

extension StoreContent {
    /// Recognises the application ID in a header; `nil` for that of another program.
    fileprivate init?(applicationID: Int64) {
        let kinds: [(StoreContent, StoreFile.Kind)] = [
            (.usedTokens, .redemptions), (.ledgers, .ledgers), (.records, .records),
        ]
        guard let found = kinds.first(where: { $0.1.applicationID == applicationID }) else { return nil }
        self = found.0
    }
}

extension SQLiteConnection {
    /// The single value that a query returns.
    fileprivate func value(_ question: String) throws(SQLiteStoreError) -> SQLiteValue {
        var answer = SQLiteValue.null
        try prepare(question).run { answer = $0.first ?? .null }
        return answer
    }

    fileprivate func integer(_ question: String) throws(SQLiteStoreError) -> Int64 {
        guard let integer = try value(question).integer else { throw .damaged(path: path) }
        return integer
    }

    fileprivate func text(_ question: String) throws(SQLiteStoreError) -> String {
        guard let text = try value(question).text else { throw .damaged(path: path) }
        return text
    }
}
