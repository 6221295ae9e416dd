import EntitlementValues
import TokenLifetimes

/// The tables of a file of ledgers.
///
/// Each method is several statements, which the caller runs in a transaction. No identifier in a ledger is empty, so
/// empty texts have a meaning here: an authentication is a row with an empty resource, and a requestor that allows no
/// issuer at all has a row with an empty issuer.
struct LedgerFile: Sendable {
    let file: StoreFile

    init(_ path: String, patience: TimeToLive) throws(SQLiteStoreError) {
        file = try StoreFile(path: path, kind: .ledgers, patience: patience, survivesPowerLoss: true)
    }

    /// Reads one ledger, which is empty if the file does not hold it.
    func ledger(named name: String) throws(SQLiteStoreError) -> StoredLedger {
        var ledger = StoredLedger()
        try file.run("SELECT id, device, latest FROM ledger WHERE name = ?1", binding: [.text(name)]) { row in
            ledger.id = row[0].integer
            ledger.contents.device = row[1].text.map { DeviceID($0) }
            ledger.contents.latest = row[2].integer.map(Timestamp.init(milliseconds:))
        }
        if let id = ledger.id { try readRows(of: id, into: &ledger.contents) }
        return ledger
    }

    /// The names of all ledgers, sorted.
    func names() throws(SQLiteStoreError) -> [String] {
        var names: [String] = []
        try file.run("SELECT name FROM ledger ORDER BY name") { names.append($0[0].text ?? "") }
        return names
    }

    /// Finds the entitlements of all ledgers that end first, in the order of their ends.
    ///
    /// What ends at `now` or earlier has expired and is left out, and so is what ends at `end` or later. `limit` is how
    /// many are found at most.
    func expiries(
        after now: Timestamp,
        before end: Timestamp,
        limit: Int
    ) throws(SQLiteStoreError) -> [LedgerExpiry] {
        // The condition on `expired` is that of the index, which holds the rows in this order.
        try file.rows(
            """
            SELECT name, requestor, mvpd, resource, not_after
            FROM entitlement JOIN ledger ON ledger.id = entitlement.ledger
            WHERE expired = 0 AND not_after > ?1 AND not_after < ?2 ORDER BY not_after LIMIT ?3
            """,
            binding: [.integer(now.milliseconds), .integer(end.milliseconds), .integer(Int64(limit))]
        ) { row in
            guard let name = row[0].text, let entitlement = Entitlement(row[1...3]), let end = row[4].integer else {
                return nil
            }
            return LedgerExpiry(ledger: name, entitlement: entitlement, expires: Timestamp(milliseconds: end))
        }
    }

    private func readRows(of id: Int64, into contents: inout LedgerContents) throws(SQLiteStoreError) {
        var isWhole = true
        try file.run(
            """
            SELECT requestor, mvpd, resource, not_before, not_after, issuer, recorded, expired
            FROM entitlement WHERE ledger = ?1
            """, binding: [.integer(id)]
        ) { row in
            guard let entitlement = Entitlement(row[0...2]), let entry = LedgerContents.Entry(row[3...7]) else {
                return isWhole = false
            }
            contents.entries[entitlement] = entry
        }
        try file.run("SELECT requestor, mvpd FROM selection WHERE ledger = ?1", binding: [.integer(id)]) { row in
            guard let requestor = row[0].text, let mvpd = row[1].text else { return isWhole = false }
            contents.selected[RequestorID(requestor)] = MVPDID(mvpd)
        }
        try file.run("SELECT requestor, mvpd FROM issuer WHERE ledger = ?1", binding: [.integer(id)]) { row in
            guard let requestor = row[0].text, let mvpd = row[1].text else { return isWhole = false }
            contents.allowedIssuers[RequestorID(requestor), default: []].formUnion(mvpd.isEmpty ? [] : [MVPDID(mvpd)])
        }
        guard isWhole else { throw .damaged(path: file.path) }
    }
}

/// What a file holds of a ledger.
struct StoredLedger: Sendable {
    /// The number by which the other tables name the ledger; `nil` if the file does not hold it.
    var id: Int64?
    var contents = LedgerContents()
}

extension Entitlement {
    /// Reads requestor, provider and resource; `nil` if a column is not a text.
    fileprivate init?(_ columns: ArraySlice<SQLiteValue>) {
        let texts = columns.compactMap(\.text)
        guard texts.count == 3 else { return nil }
        let (requestor, mvpd) = (RequestorID(texts[0]), MVPDID(texts[1]))
        self =
            texts[2].isEmpty
            ? .authentication(requestor: requestor, mvpd: mvpd)
            : .authorization(requestor: requestor, mvpd: mvpd, resource: ResourceID(texts[2]))
    }
}

extension LedgerContents.Entry {
    /// Reads the columns after the resource; `nil` if one is missing.
    fileprivate init?(_ columns: ArraySlice<SQLiteValue>) {
        let row = Array(columns)
        guard let issuer = row[2].text, let recorded = row[3].integer, let expired = row[4].integer else { return nil }
        self.init(
            period: EntitlementPeriod(
                notBefore: row[0].integer.map(Timestamp.init(milliseconds:)),
                notAfter: row[1].integer.map(Timestamp.init(milliseconds:))),
            issuer: MVPDID(issuer),
            recorded: Timestamp(milliseconds: recorded),
            isExpired: expired != 0)
    }
}

extension StoreFile.Kind {
    /// "tveL", version 1.
    ///
    /// The other tables name a ledger by a number, since names are long. The index has all entitlements that no ledger
    /// has seen expired, in the order of their ends.
    static let ledgers = StoreFile.Kind(
        applicationID: 0x7476_654C,
        version: 1,
        tables: [
            """
            CREATE TABLE ledger (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, device TEXT, latest INTEGER) STRICT
            """,
            """
            CREATE TABLE entitlement (
                ledger INTEGER NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, resource TEXT NOT NULL,
                not_before INTEGER, not_after INTEGER, issuer TEXT NOT NULL, recorded INTEGER NOT NULL,
                expired INTEGER NOT NULL,
                PRIMARY KEY (ledger, requestor, mvpd, resource)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX entitlement_end ON entitlement (not_after) WHERE expired = 0",
            """
            CREATE TABLE selection (
                ledger INTEGER NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, PRIMARY KEY (ledger, requestor)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE issuer (
                ledger INTEGER NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, PRIMARY KEY (ledger, requestor, mvpd)
            ) STRICT, WITHOUT ROWID
            """,
        ]
    )
}
