import EntitlementValues
import SQLiteStores
import Testing

/// The tables of a file of ledgers, as tests write and read them.
enum LedgerForm {
    /// Opens a file beside the store.
    static func open(_ path: String, version: Int64, tables: [String] = []) throws -> StoreFile {
        let kind = StoreFile.Kind(applicationID: 0x7476_654C, version: version, tables: tables)
        return try StoreFile(path: path, kind: kind, patience: .seconds(60), survivesPowerLoss: false)
    }

    /// The time that the file remembers of its only ledger.
    static func latest(_ file: StoreFile) throws -> Int64 {
        var latest: Int64?
        try file.run("SELECT latest FROM ledger") { row in
            if case .integer(let number)? = row.first { latest = number }
        }
        return try #require(latest)
    }

    /// The tables of version 1, which release 0.1 made.
    static let formerTables = [
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

    /// Three ledgers in the tables of version 1: "device" with everything, and two empty ones.
    static let formerRows = [
        """
        INSERT INTO ledger VALUES ('device', '5ec2e7', 1768498200000), ('empty', NULL, NULL), ('', NULL, 1768498200000)
        """,
        """
        INSERT INTO entitlement VALUES
        ('device', 'REF30', 'TestMVPD', '', 1768490000000, 1768494600000, 'TestMVPD', 1768490000000, 1),
        ('device', 'REF30', 'TestMVPD', 'Channel', NULL, 1768501800000, 'Issuer', 1768490000000, 0)
        """,
        "INSERT INTO selection VALUES ('device', 'REF30', 'TestMVPD')",
        "INSERT INTO issuer VALUES ('device', 'REF30', 'TestMVPD'), ('device', 'REF30', 'Issuer')",
    ]
}
