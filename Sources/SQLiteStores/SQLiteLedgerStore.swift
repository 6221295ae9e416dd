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
/// The file holds many ledgers, each by its name, one row for each line. A call takes the file's lock, reads one ledger,
/// lets you ask and change it, and writes the rows that differ: two processes that record at once lose nothing. It waits
/// for the disk, so that what was recorded is there after a power loss, too. It blocks its thread meanwhile.
///
/// The file says what devices watch: it is made for its owner alone, and so are the two files that SQLite keeps beside it.
/// It must be on a disk of this host; SQLite's log does not work over a network.
public final class SQLiteLedgerStore: Sendable {
    private let file: LedgerFile
    private let lock = Mutex(())
    private let policy: LedgerPolicy
    private let clock: any WallClock
    private let report: @Sendable (String, LedgerReport) -> Void

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - policy: Margins and size of each ledger.
    ///   - clock: Tells the ledgers the time.
    ///   - patience: How long a call waits for other processes.
    ///   - report: Is told what somebody should look at, with the ledger's name; while the file is locked.
    /// - Throws: `SQLiteStoreError` where the file cannot be used, or is something else.
    public init(
        path: String,
        policy: LedgerPolicy = .standard,
        clock: any WallClock = SystemWallClock(),
        patience: TimeToLive = .seconds(5),
        report: @escaping @Sendable (_ name: String, LedgerReport) -> Void = { _, _ in }
    ) throws(SQLiteStoreError) {
        self.policy = policy
        self.clock = clock
        self.report = report
        file = try LedgerFile(path, patience: patience)
    }

    /// Asks and changes one ledger, while nobody else can.
    ///
    /// The ledger is a copy: after the call, changes to it go nowhere. Inside the call, do not call the store again.
    ///
    /// - Parameters:
    ///   - name: The ledger's name, a device's or subscriber's for example. A name that is not there is an empty ledger.
    ///   - body: Asks and changes the ledger. Where it throws, nothing is written.
    /// - Returns: What the body returns.
    /// - Throws: `SQLiteStoreError`; `.ledger` with the error of the body.
    @discardableResult
    public func withLedger<Answer: Sendable>(
        named name: String,
        _ body: (EntitlementLedger) throws(LedgerError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        try lock.withLock { _ throws(SQLiteStoreError) in
            try file.change(name) { contents throws(LedgerError) in
                let ledger = try EntitlementLedger(
                    contents: contents, policy: policy, clock: clock, report: { [report] in report(name, $0) })
                let answer = try body(ledger)
                contents = ledger.contents
                return answer
            }
        }
    }

    /// The names of all ledgers in the file, in order.
    public var names: [String] {
        get throws(SQLiteStoreError) {
            try lock.withLock { _ throws(SQLiteStoreError) in try file.names() }
        }
    }

    /// Removes a ledger with everything in it.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeLedger(named name: String) throws(SQLiteStoreError) -> Bool {
        try lock.withLock { _ throws(SQLiteStoreError) in try file.remove(name) }
    }
}
