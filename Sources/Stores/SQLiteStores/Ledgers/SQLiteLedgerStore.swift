public import EntitlementValues
public import TokenLifetimes

/// Keeps the ledgers of many subscribers in a file that several processes of one host share.
///
/// ```swift
/// let store = try SQLiteLedgerStore(path: "lifetimes.sqlite")
/// try await store.withLedger(named: device) { ledger in
///     try ledger.record(entitlement, period)
/// }
/// let status = try await store.ledger(named: device)?.status(of: entitlement) ?? .unknown
/// ```
///
/// Each ledger has a name and one row for each entry. To ask, read a ledger with `ledger(named:)`: it waits neither for
/// changes nor for the disk, and makes no ledger. To change one, use `withLedger(named:_:)`. It takes the file's lock,
/// reads the ledger, lets you ask and change it, and writes the rows that differ. So two processes that record at the
/// same time lose nothing, and changes survive a power loss. `withLedgers(named:_:)` changes many with one wait for the
/// disk, and `expiring(before:limit:)` finds what must be refreshed soon.
///
/// Each of them has two forms. The one without `async` blocks its thread; the other one leaves the work to threads of
/// the store, and Swift chooses it in asynchronous functions.
///
/// The file remembers the time of the last change of each ledger, and everything that was seen expired, even if that was
/// by a question.
///
/// The file says what devices watch. So only the owner may read it and the two files that SQLite keeps beside it. It
/// must be on a disk of this host, since SQLite's log does not work over a network.
public final class SQLiteLedgerStore: Sendable {
    // In the write-ahead log, readers wait neither for writers nor for the disk, if their connection is another.
    let writing: LedgerFile
    let reading: LedgerFile
    let writer: FileWorker
    let reader: FileWorker
    let policy: LedgerPolicy
    let time: TimeSource
    private let report: @Sendable (String, LedgerReport) -> Void

    /// Opens a file, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - policy: Margins and size of each ledger.
    ///   - time: The time by which the ledgers go.
    ///   - patience: How long a call waits for other processes.
    ///   - report: Receives what an operator should look at, with the ledger's name. It may be called while the file is
    ///     locked.
    /// - Throws: `SQLiteStoreError` if the file cannot be used, or is not a file of this store.
    public init(
        path: String,
        policy: LedgerPolicy = .standard,
        time: TimeSource = .system,
        patience: TimeToLive = .seconds(5),
        report: @escaping @Sendable (_ name: String, LedgerReport) -> Void = { _, _ in }
    ) throws(SQLiteStoreError) {
        let writing = try LedgerFile(path, patience: patience)
        let reading = try LedgerFile(path, patience: patience)
        (self.writing, self.reading, self.policy, self.time, self.report) = (writing, reading, policy, time, report)
        let maximumWait = max(patience, .seconds(1)).duration
        writer = FileWorker(writing.file, named: "SQLiteLedgerStore.writer", maximumWait: maximumWait, time: time) {
            group throws(SQLiteStoreError) in
            try writing.file.transaction { () throws(SQLiteStoreError) in try group.map(Self.run) }
        }
        reader = FileWorker(reading.file, named: "SQLiteLedgerStore.reader", maximumWait: maximumWait, time: time) {
            group throws(SQLiteStoreError) in
            try reading.file.reading { () throws(SQLiteStoreError) in try group.map(Self.run) }
        }
    }

    private static func run(_ work: WaitingWork) throws(SQLiteStoreError) -> Resumption { try work.run() }

    // MARK: Steps in a transaction

    /// Makes a ledger of what the file holds; throws `.ledger` if it is too large for the policy.
    func ledger(_ stored: StoredLedger, named name: String) throws(SQLiteStoreError) -> EntitlementLedger {
        try rethrowing(
            EntitlementLedger(
                contents: stored.contents, policy: policy, time: time, report: { [report] in report(name, $0) }),
            as: SQLiteStoreError.ledger)
    }

    /// Reads a ledger, `nil` if there is none, and writes what the time alone has changed.
    ///
    /// The failure in the result says why the ledger cannot be made. An error says what is wrong with the file.
    func note(_ name: String) throws(SQLiteStoreError) -> Result<EntitlementLedger?, SQLiteStoreError> {
        let before = try writing.ledger(named: name)
        // Another process may have removed it meanwhile.
        guard before.id != nil else { return .success(nil) }
        let ledger: EntitlementLedger
        do throws(SQLiteStoreError) {
            ledger = try self.ledger(before, named: name)
        } catch {
            return .failure(error)
        }
        try writing.write(ledger.contents, over: before, named: name, clockMargin: policy.clockMargin)
        return .success(ledger)
    }

    /// Whether the time alone changes what the file must hold of a ledger.
    func mustBeNoted(_ stored: StoredLedger) -> Bool {
        stored.contents.mustBeNoted(at: time.now, clockMargin: policy.clockMargin)
    }

    /// Reads and changes a ledger, and writes the rows that differ.
    ///
    /// The failure in the result is that of the body, or says why the ledger cannot be made; then nothing is written.
    /// An error says what is wrong with the file.
    func change<Answer>(
        _ name: String,
        _ body: (EntitlementLedger) throws -> Answer
    ) throws(SQLiteStoreError) -> Result<Answer, any Error> {
        let before = try writing.ledger(named: name)
        let ledger: EntitlementLedger
        let answer: Answer
        do {
            ledger = try self.ledger(before, named: name)
            answer = try body(ledger)
        } catch {
            return .failure(error)
        }
        try writing.write(ledger.contents, over: before, named: name, clockMargin: policy.clockMargin)
        return .success(answer)
    }

    /// Reads and changes several ledgers: all changes are written, or none of them.
    ///
    /// Returns what the body returned for each name, or the first failure. An error says what is wrong with the file.
    func change<Answer>(
        _ names: [String],
        _ body: (String, EntitlementLedger) throws -> Answer
    ) throws(SQLiteStoreError) -> Result<[Answer], any Error> {
        try writing.undoingFailure { () throws(SQLiteStoreError) in
            var answers: [Answer] = []
            for name in names {
                switch try change(name, { try body(name, $0) }) {
                case .success(let answer): answers.append(answer)
                case .failure(let error): return .failure(error)
                }
            }
            return .success(answers)
        }
    }

    /// Finds what ends between now and an instant.
    func expiries(before end: Timestamp, limit: Int) throws(SQLiteStoreError) -> [LedgerExpiry] {
        // For SQLite, a negative limit is none.
        try reading.expiries(after: time.now, before: end, limit: max(0, limit))
    }
}

/// An entitlement in a ledger of a store, and when it ends.
public struct LedgerExpiry: Sendable, Hashable {
    /// The ledger's name, which may identify a device or a subscriber: keep it out of logs.
    public let ledger: String
    /// What ends.
    public let entitlement: Entitlement
    /// The instant at which it ends.
    public let expires: Timestamp
}

extension LedgerExpiry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Everything but the ledger's name.
    public var description: String { "\(entitlement), expires \(expires)" }
    /// Everything but the ledger's name.
    public var debugDescription: String { description }
    /// Everything but the ledger's name.
    public var customMirror: Mirror { Mirror(self, children: ["entitlement": entitlement, "expires": expires]) }
}
