public import EntitlementValues
import Synchronization
public import TokenLifetimes

/// Keeps ledgers in a file that several processes of one host share.
///
/// ```swift
/// let store = try SQLiteLedgerStore(path: "lifetimes.sqlite")
/// let status = try store.withLedger(named: device) { ledger throws(LedgerError) in
///     try ledger.record(entitlement, period)
///     return ledger.status(of: entitlement)
/// }
/// ```
///
/// The file holds many ledgers, each by its name, with one row for each entry. A call takes the file's lock, reads one
/// ledger, lets you ask and change it, and writes the rows that differ. So two processes that record at the same time
/// lose nothing. A call waits for the disk, so that its changes survive a power loss, and blocks its thread meanwhile.
///
/// The file says what devices watch. So only the owner may read it and the two files that SQLite keeps beside it. It
/// must be on a disk of this host, since SQLite's log does not work over a network.
public final class SQLiteLedgerStore: Sendable {
    private let file: LedgerFile
    private let lock = Mutex(())
    private let policy: LedgerPolicy
    private let time: TimeSource
    private let report: @Sendable (String, LedgerReport) -> Void

    /// Opens a file, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - policy: Margins and size of each ledger.
    ///   - time: The time by which the ledgers go.
    ///   - patience: How long a call waits for other processes.
    ///   - report: Receives what an operator should look at, with the ledger's name. It is called while the file is
    ///     locked.
    /// - Throws: `SQLiteStoreError` if the file cannot be used, or is not a file of this store.
    public init(
        path: String,
        policy: LedgerPolicy = .standard,
        time: TimeSource = .system,
        patience: TimeToLive = .seconds(5),
        report: @escaping @Sendable (_ name: String, LedgerReport) -> Void = { _, _ in }
    ) throws(SQLiteStoreError) {
        self.policy = policy
        self.time = time
        self.report = report
        file = try LedgerFile(path, patience: patience)
    }

    /// Reads and changes one ledger, while other callers and processes wait.
    ///
    /// The ledger is a copy: changes made to it after the call are lost. Do not call the store inside the call.
    ///
    /// - Parameters:
    ///   - name: The ledger's name, for example the ID of a device or subscriber. A new name is an empty ledger.
    ///   - body: Reads and changes the ledger. If it throws, nothing is written.
    /// - Returns: What the body returns.
    /// - Throws: `SQLiteStoreError`: `.ledger` with the error of the body, or what is wrong with the file.
    @discardableResult
    public func withLedger<Answer: Sendable>(
        named name: String,
        _ body: (EntitlementLedger) throws(LedgerError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        try lock.withLock { _ throws(SQLiteStoreError) in
            try file.change(named: name) { contents throws(LedgerError) in
                let ledger = try EntitlementLedger(
                    contents: contents, policy: policy, time: time, report: { [report] in report(name, $0) })
                let answer = try body(ledger)
                contents = ledger.contents
                return answer
            }
        }
    }

    /// The names of all ledgers in the file, sorted.
    public var names: [String] {
        get throws(SQLiteStoreError) {
            try lock.withLock { _ throws(SQLiteStoreError) in try file.names() }
        }
    }

    /// Removes a ledger with everything in it.
    ///
    /// - Parameter name: The ledger's name.
    /// - Returns: Whether the file held a ledger of that name.
    /// - Throws: `SQLiteStoreError`, what is wrong with the file.
    @discardableResult
    public func removeLedger(named name: String) throws(SQLiteStoreError) -> Bool {
        try lock.withLock { _ throws(SQLiteStoreError) in try file.remove(name) }
    }
}
