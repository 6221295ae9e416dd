import EntitlementValues
import TokenRedemption

/// The tables of a file of redemptions.
struct RedemptionFile: Sendable {
    private let file: StoreFile

    init(_ path: String, patience: TimeToLive, survivesPowerLoss: Bool) throws(SQLiteStoreError) {
        file = try StoreFile(path: path, kind: .redemptions, patience: patience, survivesPowerLoss: survivesPowerLoss)
    }

    var path: String { file.path }

    /// Answers redemptions and probes in their order, in one transaction: either all count, or none does.
    ///
    /// `time` is sure: what has ended by it may be dropped.
    func answers(
        to redemptions: [WaitingRedemption],
        at time: Timestamp
    ) -> [Result<Redemption, ReplayStoreError>] {
        do throws(SQLiteStoreError) {
            return try file.transaction { () throws(SQLiteStoreError) in
                var answers: [Result<Redemption, ReplayStoreError>] = []
                for redemption in redemptions { answers.append(try answer(redemption)) }
                // More than come in, so that the file shrinks after a rush. A probe drops nothing: its clock may be wrong.
                let count = redemptions.count { $0.isRedemption }
                if count > 0 { try dropExpired(at: time, atMost: 4 + 2 * count) }
                return answers
            }
        } catch {
            let failure = ReplayStoreError.unavailable(reason: error.description)
            return redemptions.map { _ in .failure(failure) }
        }
    }

    private func answer(_ redemption: WaitingRedemption) throws(SQLiteStoreError) -> Result<
        Redemption, ReplayStoreError
    > {
        let id = SQLiteValue.bytes(redemption.id.bytes)
        guard case .redemption(let end, let ends) = redemption.purpose else {
            try file.run("INSERT INTO redemption (id, until, ends) VALUES (?1, 0, 0)", binding: [id])
            try file.run("DELETE FROM redemption WHERE id = ?1", binding: [id])
            return .success(.first)
        }
        let until = SQLiteValue.integer(end.milliseconds)
        try file.run(
            """
            INSERT INTO redemption (id, until, ends) SELECT ?1, ?2, ?3
            WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE through >= ?2)
            ON CONFLICT (id) DO NOTHING
            """,
            binding: [id, until, .integer(ends.milliseconds)])
        if file.changes == 1 { return .success(.first) }
        var isKnown = false
        try file.run("SELECT 1 FROM redemption WHERE id = ?1", binding: [id]) { _ in isKnown = true }
        if isKnown { return .success(.seen) }
        var through = end
        try file.run("SELECT through FROM forgotten") { row in
            through = row[0].integer.map(Timestamp.init(milliseconds:)) ?? through
        }
        return .failure(.forgotten(until: end, forgottenThrough: through))
    }

    private func dropExpired(at time: Timestamp, atMost maximum: Int) throws(SQLiteStoreError) {
        var through: Int64?
        try file.run(
            """
            DELETE FROM redemption WHERE id IN (SELECT id FROM redemption WHERE ends < ?1 ORDER BY ends LIMIT ?2)
            RETURNING until
            """,
            binding: [.integer(time.milliseconds), .integer(Int64(maximum))]
        ) { row in
            if let until = row[0].integer { through = max(through ?? until, until) }
        }
        guard let through else { return }
        try file.run(
            """
            INSERT INTO forgotten (only, through) VALUES (1, ?1)
            ON CONFLICT (only) DO UPDATE SET through = max(through, excluded.through)
            """,
            binding: [.integer(through)])
    }
}

extension WaitingRedemption {
    fileprivate var isRedemption: Bool { if case .redemption = purpose { true } else { false } }
}

extension StoreFile.Kind {
    /// "tveR", version 1.
    ///
    /// `until` is the end of a redemption by the clock of the verification, `ends` the end by the sure time of this host.
    /// `forgotten` has one row: the latest `until` of all redemptions that were dropped.
    static let redemptions = StoreFile.Kind(
        applicationID: 0x7476_6552,
        version: 1,
        tables: [
            """
            CREATE TABLE redemption (id BLOB NOT NULL PRIMARY KEY, until INTEGER NOT NULL, ends INTEGER NOT NULL)
            STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX redemption_ends ON redemption (ends)",
            "CREATE TABLE forgotten (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL) STRICT",
        ]
    )
}
