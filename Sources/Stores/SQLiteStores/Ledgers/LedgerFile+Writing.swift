import EntitlementValues
import TokenLifetimes

extension LedgerFile {
    /// Writes the rows of a ledger that differ from what the file holds.
    ///
    /// An empty ledger that the file does not hold is not written, and neither is a time that moved by no more than
    /// `margin`: it alone is not worth a wait for the disk.
    func write(
        _ after: LedgerContents,
        over before: StoredLedger,
        named name: String,
        clockMargin margin: TimeToLive
    ) throws(SQLiteStoreError) {
        guard before.id != nil || !after.isEmpty else { return }
        guard after.differs(from: before.contents, clockMargin: margin) else { return }
        let id = try writeHead(after, of: before.id, named: name)
        try writeEntries(after.entries, over: before.contents.entries, of: id)
        if after.selected != before.contents.selected {
            let rows = after.selected.map { [$0.key.rawValue, $0.value.rawValue] }
            try replaceRows(of: "selection", inLedger: id, by: rows)
        }
        if after.allowedIssuers != before.contents.allowedIssuers {
            let rows = after.allowedIssuers.flatMap { requestor, issuers in
                issuers.isEmpty ? [[requestor.rawValue, ""]] : issuers.map { [requestor.rawValue, $0.rawValue] }
            }
            try replaceRows(of: "issuer", inLedger: id, by: rows)
        }
    }

    /// Removes a ledger with all its rows; `false` if the file did not hold it.
    func remove(_ name: String) throws(SQLiteStoreError) -> Bool {
        var found: Int64?
        try file.run("DELETE FROM ledger WHERE name = ?1 RETURNING id", binding: [.text(name)]) { row in
            found = row[0].integer
        }
        guard let found else { return false }
        for table in ["entitlement", "selection", "issuer"] {
            try file.run("DELETE FROM \(table) WHERE ledger = ?1", binding: [.integer(found)])
        }
        return true
    }

    /// Makes changes in a transaction that are undone if the answer is a failure, while the transaction goes on.
    ///
    /// If this throws, the caller must roll back the transaction.
    func undoingFailure<Answer, Failure: Error>(
        _ body: () throws(SQLiteStoreError) -> Result<Answer, Failure>
    ) throws(SQLiteStoreError) -> Result<Answer, Failure> {
        try file.run("SAVEPOINT changes")
        let result = try body()
        if case .failure = result { try file.run("ROLLBACK TO changes") }
        try file.run("RELEASE changes")
        return result
    }

    /// Writes device and time, and makes the ledger if it is new.
    private func writeHead(
        _ after: LedgerContents,
        of id: Int64?,
        named name: String
    ) throws(SQLiteStoreError) -> Int64 {
        let values = [SQLiteValue(after.device?.rawValue), SQLiteValue(after.latest?.milliseconds)]
        if let id {
            try file.run("UPDATE ledger SET device = ?1, latest = ?2 WHERE id = ?3", binding: values + [.integer(id)])
            return id
        }
        var made: Int64?
        try file.run(
            "INSERT INTO ledger (device, latest, name) VALUES (?1, ?2, ?3) RETURNING id",
            binding: values + [.text(name)]
        ) { made = $0[0].integer }
        guard let made else { throw .damaged(path: file.path) }
        return made
    }

    private func writeEntries(
        _ after: [Entitlement: LedgerContents.Entry],
        over before: [Entitlement: LedgerContents.Entry],
        of id: Int64
    ) throws(SQLiteStoreError) {
        for (entitlement, entry) in after where before[entitlement] != entry {
            try write(entitlement, entry, of: id)
        }
        for entitlement in before.keys where after[entitlement] == nil {
            try file.run(
                "DELETE FROM entitlement WHERE ledger = ?1 AND requestor = ?2 AND mvpd = ?3 AND resource = ?4",
                binding: [.integer(id)] + entitlement.columns)
        }
    }

    private func write(
        _ entitlement: Entitlement,
        _ entry: LedgerContents.Entry,
        of id: Int64
    ) throws(SQLiteStoreError) {
        let values: [SQLiteValue] = [
            SQLiteValue(entry.period.notBefore?.milliseconds), SQLiteValue(entry.period.notAfter?.milliseconds),
            .text(entry.issuer.rawValue), .integer(entry.recorded.milliseconds), .integer(entry.isExpired ? 1 : 0),
        ]
        try file.run(
            """
            INSERT OR REPLACE INTO entitlement
            (ledger, requestor, mvpd, resource, not_before, not_after, issuer, recorded, expired)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
            binding: [.integer(id)] + entitlement.columns + values)
    }

    private func replaceRows(
        of table: String,
        inLedger id: Int64,
        by rows: [[String]]
    ) throws(SQLiteStoreError) {
        try file.run("DELETE FROM \(table) WHERE ledger = ?1", binding: [.integer(id)])
        for row in rows {
            try file.run(
                "INSERT INTO \(table) (ledger, requestor, mvpd) VALUES (?1, ?2, ?3)",
                binding: [.integer(id)] + row.map { .text($0) })
        }
    }
}

extension Entitlement {
    /// Requestor, provider and resource.
    fileprivate var columns: [SQLiteValue] {
        [requestor.rawValue, mvpd.rawValue, resource?.rawValue ?? ""].map { .text($0) }
    }
}

extension LedgerContents {
    /// Whether it knows nothing but the time.
    fileprivate var isEmpty: Bool {
        entries.isEmpty && selected.isEmpty && allowedIssuers.isEmpty && device == nil
    }

    /// Whether it is to be written.
    fileprivate func differs(from before: LedgerContents, clockMargin margin: TimeToLive) -> Bool {
        entries != before.entries || selected != before.selected || allowedIssuers != before.allowedIssuers
            || device != before.device || isTimeMoved(from: before.latest, by: margin)
    }

    private func isTimeMoved(from before: Timestamp?, by margin: TimeToLive) -> Bool {
        guard let latest, let before else { return latest != before }
        return max(latest, before).since(min(latest, before)) > margin
    }

    /// Whether the time alone changes what must be remembered.
    ///
    /// That is so if an entry has expired that is not marked so, or the clock went back by more than `margin`.
    func mustBeNoted(at now: Timestamp, clockMargin margin: TimeToLive) -> Bool {
        if let latest, latest.since(now) > margin { return true }
        return entries.values.contains { !$0.isExpired && ($0.period.notAfter.map { $0 <= now } ?? true) }
    }
}
