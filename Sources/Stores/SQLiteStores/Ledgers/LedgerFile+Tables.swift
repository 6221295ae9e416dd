extension StoreFile.Kind {
    /// "tveL", version 2.
    ///
    /// The other tables name a ledger by a number, since names are long. The index has all entitlements that no ledger
    /// has seen expired, in the order of their ends. Version 1 named ledgers in every row, and had no index.
    static let ledgers = StoreFile.Kind(
        applicationID: 0x7476_654C, version: 2, tables: ledgerTables, upgrades: [1: upgradeFromNames])

    private static let ledgerTables = [
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

    private static let upgradeFromNames =
        ["ledger", "entitlement", "selection", "issuer"].map { "ALTER TABLE \($0) RENAME TO former_\($0)" }
        + ledgerTables
        + [
            "INSERT INTO ledger (name, device, latest) SELECT name, device, latest FROM former_ledger ORDER BY name",
            """
            INSERT INTO entitlement
            SELECT id, requestor, mvpd, resource, not_before, not_after, issuer, recorded, expired
            FROM former_entitlement JOIN ledger ON name = former_entitlement.ledger
            """,
            """
            INSERT INTO selection
            SELECT id, requestor, mvpd FROM former_selection JOIN ledger ON name = former_selection.ledger
            """,
            """
            INSERT INTO issuer
            SELECT id, requestor, mvpd FROM former_issuer JOIN ledger ON name = former_issuer.ledger
            """,
        ] + ["entitlement", "selection", "issuer", "ledger"].map { "DROP TABLE former_\($0)" }
}
