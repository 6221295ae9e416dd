import EntitlementValues

// What a thread of a task may do: work that waits neither for the disk nor for other processes.
extension StoreFile {
    /// Runs a change in a transaction that does not wait; `nil` if another process holds the lock, so that nothing was
    /// run.
    ///
    /// Only one thread may call it at a time. The log grows without being copied to its place, so other transactions
    /// must be waited for now and then.
    func transactionAtOnce<Answer>(
        _ body: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer? {
        guard !connection.hasMoved else { throw .moved(path: connection.path) }
        connection.wait(for: .zero)
        connection.copyLog(after: 0)
        defer {
            connection.wait(for: patience)
            connection.copyLog(after: Self.pagesOfLog)
        }
        guard try unlessBusy({ () throws(SQLiteStoreError) in try run("BEGIN IMMEDIATE") }) != nil else { return nil }
        return try finish(body)
    }

    /// Reads with one statement, which does not wait; `nil` if another process holds the lock.
    ///
    /// The statement sees everything as it was at one moment. Only one thread may call it at a time.
    func readingAtOnce<Answer>(
        _ body: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer? {
        guard !connection.hasMoved else { throw .moved(path: connection.path) }
        connection.wait(for: .zero)
        defer { connection.wait(for: patience) }
        return try unlessBusy(body)
    }

    /// `nil` if another process holds the lock.
    private func unlessBusy<Answer>(
        _ work: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer? {
        do throws(SQLiteStoreError) {
            return try work()
        } catch {
            if connection.isBusy { return nil }
            throw error
        }
    }
}
