package import SQLiteStores

extension SQLiteStoreError {
    /// The file that it is about.
    package var path: String? {
        switch self {
        case .cannotOpen(let path, _), .notADatabase(let path), .otherApplication(let path),
            .newerVersion(let path, _), .damaged(let path), .moved(let path), .unavailable(let path, _):
            path
        case .unusablePath, .ledger: nil
        }
    }

    /// Whether the file may answer later; one of something else, or a path where none can be, is a mistake in the
    /// configuration.
    package var isTransient: Bool {
        switch self {
        case .moved, .unavailable: true
        case .unusablePath, .cannotOpen, .notADatabase, .otherApplication, .newerVersion, .damaged, .ledger: false
        }
    }
}
