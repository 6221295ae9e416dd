/// What a database file is made of: its tables and indexes, and what other programs put there.
///
/// A file may have been there before its store: one with a trigger that deletes lets used tokens pass again, and so does a
/// table whose key replaces what is there.
struct StoreSchema {
    private struct Item {
        let type: String
        let name: String
        let text: String
    }

    private let path: String
    private let items: [Item]

    /// Reads the schema.
    init(of connection: SQLiteConnection) throws(SQLiteStoreError) {
        var rows: [[SQLiteValue]] = []
        try connection.prepare("SELECT type, name, sql FROM sqlite_master").run { rows.append($0) }
        path = connection.path
        items = rows.map { row in
            Item(type: row[0].text ?? "", name: row[1].text ?? "", text: Self.words(of: row[2].text ?? ""))
        }
    }

    /// Refuses whatever is not made by the statements of a kind of store.
    ///
    /// libsqlite3 keeps the statements as they were given. A kind without tables takes any.
    func check(_ kind: StoreFile.Kind) throws(SQLiteStoreError) {
        guard !kind.tables.isEmpty else { return }
        var expected = Set(kind.tables.map(Self.words))
        for item in items where expected.remove(item.text) == nil {
            // Indexes that libsqlite3 makes itself have no statement; ANALYZE counts rows.
            if item.type == "index", item.text.isEmpty { continue }
            if item.type == "table", ["sqlite_stat1", "sqlite_stat4"].contains(item.name) { continue }
            throw .altered(path: path, what: "\(Self.article(item.type)) \(item.type) \(item.name)")
        }
        guard expected.isEmpty else { throw .damaged(path: path) }
    }

    private static func article(_ type: String) -> String { type == "index" ? "an" : "a" }

    private static func words(of statement: String) -> String {
        statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
