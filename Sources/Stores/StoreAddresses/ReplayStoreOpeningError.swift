package import EntitlementKeys
package import SQLiteStores

/// The reason why a store of used tokens could not be opened.
package enum ReplayStoreOpeningError: Error, Sendable {
    case sqlite(SQLiteStoreError)
    /// The file with the server's password cannot be used.
    case password(KeyError)
    /// The server's address, a setting or a file is wrong, or this build has no Redis.
    case redis(code: String, detail: String, setting: String? = nil, file: String? = nil)
    /// The server did not accept a new password or certificate, or could not be asked; the former ones stay in use.
    case secretsRefused(code: String, detail: String)

    /// The stable name of the error.
    package var code: String { told.code }

    /// The file that the error is about, if there is one.
    package var file: String? { told.file }

    /// The name of the setting of `ServerStoreOptions.Limits` that is wrong, if one is.
    package var setting: String? { if case .redis(_, _, let setting, _) = self { setting } else { nil } }

    /// Whether the store may answer later; if not, the configuration is wrong.
    package var isTransient: Bool {
        if case .sqlite(let error) = self { error.isTransient } else { false }
    }
}

extension ReplayStoreOpeningError: CustomStringConvertible {
    /// What happened, and what to do.
    package var description: String { told.text }

    private var told: (code: String, file: String?, text: String) {
        switch self {
        case .sqlite(let error): (error.code, error.path, error.description)
        case .password(let error): (error.code, error.file, error.description)
        case .redis(let code, let detail, _, let file): (code, file, detail)
        case .secretsRefused(let code, let detail): (code, nil, detail)
        }
    }
}

extension SQLiteStoreError {
    /// The file that the error is about, if there is one.
    package var path: String? {
        switch self {
        case .cannotOpen(let path, _), .notADatabase(let path), .otherApplication(let path),
            .otherStore(let path, _), .newerVersion(let path, _), .damaged(let path), .moved(let path),
            .unavailable(let path, _), .altered(let path, _):
            path
        case .unusablePath, .ledger: nil
        }
    }

    /// Whether the file may answer later; if not, the configuration is wrong.
    package var isTransient: Bool {
        switch self {
        case .moved, .unavailable: true
        case .unusablePath, .cannotOpen, .notADatabase, .otherApplication, .otherStore, .newerVersion, .damaged,
            .altered, .ledger:
            false
        }
    }
}
