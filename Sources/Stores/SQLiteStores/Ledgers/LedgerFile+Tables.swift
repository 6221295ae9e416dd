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
