import EntitlementValues
import SQLiteStores
import Testing

/// The tables of a file of ledgers, as tests read them.
enum LedgerForm {
    /// Opens a file beside the store.
    static func open(_ path: String) throws -> StoreFile {
        let kind = StoreFile.Kind(applicationID: 0x7476_654C, version: 1, tables: [])
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
}
