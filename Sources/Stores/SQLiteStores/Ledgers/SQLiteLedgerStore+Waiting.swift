public import EntitlementValues
public import TokenLifetimes

// The forms for asynchronous code: threads of the store do the work, so that no thread of a task waits for the disk or
// for other processes. Calls that come at the same time share a transaction.
extension SQLiteLedgerStore {
    // MARK: Questions

    /// Reads a ledger, to ask it.
    ///
    /// The ledger is a copy: changes that are made to it are lost. The question itself writes only if an entry has
    /// expired since the last change, or if the clock went back; then it waits for the disk.
    ///
    /// - Parameter name: The ledger's name.
    /// - Returns: The ledger as it is now; `nil` if the file holds none of that name.
    /// - Throws: `SQLiteStoreError`: what is wrong with the file; `.ledger` if the ledger is too large for the policy.
    public func ledger(named name: String) async throws(SQLiteStoreError) -> EntitlementLedger? {
        let found = try await reader.run { [reading] () throws(SQLiteStoreError) in try reading.ledger(named: name) }
        guard found.id != nil else { return nil }
        guard mustBeNoted(found) else { return try ledger(found, named: name) }
        return try await writer.run { [self] () throws(SQLiteStoreError) in try note(name) }.get()
    }

    /// Finds the entitlements of all ledgers that end first, and have not ended yet.
    ///
    /// An index has them in this order, so the number of ledgers does not matter. Those that end at the same instant
    /// come in the order in which their ledgers were made.
    ///
    /// - Parameters:
    ///   - end: Entitlements that end at this instant or later are left out.
    ///   - limit: How many are found at most.
    /// - Returns: The entitlements in the order of their ends.
    /// - Throws: `SQLiteStoreError`, what is wrong with the file.
    public func expiring(before end: Timestamp, limit: Int = 100) async throws(SQLiteStoreError) -> [LedgerExpiry] {
        try await reader.run { [self] () throws(SQLiteStoreError) in try expiries(before: end, limit: limit) }
    }

    // MARK: Changes

    /// Reads and changes one ledger, while other callers and processes wait.
    ///
    /// The ledger is a copy: changes made to it after the call are lost. Do not call the store inside the call.
    ///
    /// - Parameters:
    ///   - name: The ledger's name, for example the ID of a device or subscriber. A new name is an empty ledger, which
    ///     the file keeps only if the body records something.
    ///   - body: Reads and changes the ledger, in a thread of the store. If it throws, nothing is written.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `SQLiteStoreError`: what is wrong with the file, or `.ledger` if the ledger is
    ///   too large for the policy.
    @discardableResult
    public func withLedger<Answer: Sendable, Failure: Error>(
        named name: String,
        _ body: @escaping @Sendable (EntitlementLedger) throws(Failure) -> Answer
    ) async throws -> Answer {
        try await writer.run { [self] () throws(SQLiteStoreError) in try change(name, body) }.get()
    }

    /// Reads and changes several ledgers in one transaction, while other callers and processes wait.
    ///
    /// They share one wait for the disk. Give it some thousands of names at once, not millions: all others wait.
    ///
    /// - Parameters:
    ///   - names: The ledgers' names, in the order in which they are changed.
    ///   - body: Receives each name and its ledger, as in `withLedger(named:_:)`. If it throws, nothing is written,
    ///     neither of this ledger nor of those before it.
    /// - Returns: What the body returns for each name.
    /// - Throws: What the body throws; `SQLiteStoreError`, as in `withLedger(named:_:)`.
    @discardableResult
    public func withLedgers<Answer: Sendable, Failure: Error>(
        named names: [String],
        _ body: @escaping @Sendable (_ name: String, EntitlementLedger) throws(Failure) -> Answer
    ) async throws -> [Answer] {
        try await writer.run { [self] () throws(SQLiteStoreError) in try change(names, body) }.get()
    }

    /// Removes a ledger with everything in it.
    ///
    /// - Parameter name: The ledger's name.
    /// - Returns: Whether the file held a ledger of that name.
    /// - Throws: `SQLiteStoreError`, what is wrong with the file.
    @discardableResult
    public func removeLedger(named name: String) async throws(SQLiteStoreError) -> Bool {
        try await writer.run { [writing] () throws(SQLiteStoreError) in try writing.remove(name) }
    }
}
