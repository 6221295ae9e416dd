import EntitlementValues
import TokenLifetimes

/// The tables of a file of ledgers.
///
/// No identifier in a ledger is empty, so empty texts have a meaning here: an authentication is a row with an empty
/// resource, and a requestor that allows no issuer at all has a row with an empty issuer.
struct LedgerFile: Sendable {
    private let file: StoreFile

    init(_ path: String, patience: TimeToLive) throws(SQLiteStoreError) {
        file = try StoreFile(path: path, kind: .ledgers, patience: patience, survivesPowerLoss: true)
    }

    /// Changes one ledger in a transaction, and writes the rows that differ afterwards.
    func change<Answer>(
        named name: String,
        _ body: (inout LedgerContents) throws(LedgerError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        try file.transaction { () throws(SQLiteStoreError) in
            let before = try contents(of: name)
            var after = before
            let answer: Answer
            do throws(LedgerError) {
                answer = try body(&after)
            } catch {
                throw .ledger(error)
            }
            try write(after, over: before, named: name)
            return answer
        }
    }

    func names() throws(SQLiteStoreError) -> [String] {
        var names: [String] = []
        try file.run("SELECT name FROM ledger ORDER BY name") { names.append($0[0].text ?? "") }
        return names
    }

    func remove(_ name: String) throws(SQLiteStoreError) -> Bool {
        try file.transaction { () throws(SQLiteStoreError) in
            for table in ["entitlement", "selection", "issuer"] {
                try file.run("DELETE FROM \(table) WHERE ledger = ?1", binding: [.text(name)])
            }
            try file.run("DELETE FROM ledger WHERE name = ?1", binding: [.text(name)])
            return file.changes > 0
        }
    }

    // MARK: Reading

    private func contents(of name: String) throws(SQLiteStoreError) -> LedgerContents {
        var contents = LedgerContents()
        var isWhole = true
        try file.run("SELECT device, latest FROM ledger WHERE name = ?1", binding: [.text(name)]) { row in
            contents.device = row[0].text.map { DeviceID($0) }
            contents.latest = row[1].integer.map(Timestamp.init(milliseconds:))
        }
        try file.run(
            """
            SELECT requestor, mvpd, resource, not_before, not_after, issuer, recorded, expired
            FROM entitlement WHERE ledger = ?1
            """, binding: [.text(name)]
        ) { row in
            guard let (entitlement, entry) = Self.entry(row) else { return isWhole = false }
            contents.entries[entitlement] = entry
        }
        try file.run("SELECT requestor, mvpd FROM selection WHERE ledger = ?1", binding: [.text(name)]) { row in
            guard let requestor = row[0].text, let mvpd = row[1].text else { return isWhole = false }
            contents.selected[RequestorID(requestor)] = MVPDID(mvpd)
        }
        try file.run("SELECT requestor, mvpd FROM issuer WHERE ledger = ?1", binding: [.text(name)]) { row in
            guard let requestor = row[0].text, let mvpd = row[1].text else { return isWhole = false }
            contents.allowedIssuers[RequestorID(requestor), default: []].formUnion(mvpd.isEmpty ? [] : [MVPDID(mvpd)])
        }
        guard isWhole else { throw .damaged(path: file.path) }
        return contents
    }

    private static func entry(_ row: [SQLiteValue]) -> (Entitlement, LedgerContents.Entry)? {
        guard let requestor = row[0].text, let mvpd = row[1].text, let resource = row[2].text,
            let issuer = row[5].text, let recorded = row[6].integer, let expired = row[7].integer
        else { return nil }
        let entitlement: Entitlement =
            resource.isEmpty
            ? .authentication(requestor: RequestorID(requestor), mvpd: MVPDID(mvpd))
            : .authorization(
                requestor: RequestorID(requestor), mvpd: MVPDID(mvpd), resource: ResourceID(resource))
        let period = EntitlementPeriod(
            notBefore: row[3].integer.map(Timestamp.init(milliseconds:)),
            notAfter: row[4].integer.map(Timestamp.init(milliseconds:))
        )
        let entry = LedgerContents.Entry(
            period: period,
            issuer: MVPDID(issuer),
            recorded: Timestamp(milliseconds: recorded),
            isExpired: expired != 0
        )
        return (entitlement, entry)
    }

    // MARK: Writing

    private func write(
        _ after: LedgerContents,
        over before: LedgerContents,
        named name: String
    ) throws(SQLiteStoreError) {
        try file.run(
            """
            INSERT INTO ledger (name, device, latest) VALUES (?1, ?2, ?3)
            ON CONFLICT (name) DO UPDATE SET device = excluded.device, latest = excluded.latest
            """,
            binding: [.text(name), SQLiteValue(after.device?.rawValue), SQLiteValue(after.latest?.milliseconds)]
        )
        for (entitlement, entry) in after.entries where before.entries[entitlement] != entry {
            try write(entitlement, entry, toLedger: name)
        }
        for entitlement in before.entries.keys where after.entries[entitlement] == nil {
            try file.run(
                "DELETE FROM entitlement WHERE ledger = ?1 AND requestor = ?2 AND mvpd = ?3 AND resource = ?4",
                binding: [.text(name)] + Self.names(of: entitlement))
        }
        if after.selected != before.selected {
            let rows = after.selected.map { [$0.key.rawValue, $0.value.rawValue] }
            try replaceRows(of: "selection", inLedger: name, by: rows)
        }
        if after.allowedIssuers != before.allowedIssuers {
            let rows = after.allowedIssuers.flatMap { requestor, issuers in
                issuers.isEmpty ? [[requestor.rawValue, ""]] : issuers.map { [requestor.rawValue, $0.rawValue] }
            }
            try replaceRows(of: "issuer", inLedger: name, by: rows)
        }
    }

    private func write(
        _ entitlement: Entitlement,
        _ entry: LedgerContents.Entry,
        toLedger name: String
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
            binding: [.text(name)] + Self.names(of: entitlement) + values)
    }

    private func replaceRows(
        of table: String,
        inLedger name: String,
        by rows: [[String]]
    ) throws(SQLiteStoreError) {
        try file.run("DELETE FROM \(table) WHERE ledger = ?1", binding: [.text(name)])
        for row in rows {
            try file.run(
                "INSERT INTO \(table) (ledger, requestor, mvpd) VALUES (?1, ?2, ?3)",
                binding: ([name] + row).map { .text($0) })
        }
    }

    private static func names(of entitlement: Entitlement) -> [SQLiteValue] {
        [entitlement.requestor.rawValue, entitlement.mvpd.rawValue, entitlement.resource?.rawValue ?? ""]
            .map { .text($0) }
    }
}

extension StoreFile.Kind {
    /// "tveL", version 1.
    fileprivate static let ledgers = StoreFile.Kind(
        applicationID: 0x7476_654C,
        version: 1,
        tables: [
            "CREATE TABLE ledger (name TEXT NOT NULL PRIMARY KEY, device TEXT, latest INTEGER) STRICT",
            """
            CREATE TABLE entitlement (
                ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, resource TEXT NOT NULL,
                not_before INTEGER, not_after INTEGER, issuer TEXT NOT NULL, recorded INTEGER NOT NULL,
                expired INTEGER NOT NULL,
                PRIMARY KEY (ledger, requestor, mvpd, resource)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE selection (
                ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, PRIMARY KEY (ledger, requestor)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE issuer (
                ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, PRIMARY KEY (ledger, requestor, mvpd)
            ) STRICT, WITHOUT ROWID
            """,
        ]
    )
}
