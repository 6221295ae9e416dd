package import EntitlementKeys
package import SQLiteStores

/// Says why a store of used tokens could not be opened.
package enum ReplayStoreOpeningError: Error, Sendable {
    case sqlite(SQLiteStoreError)
    /// The file with the server's password.
    case password(KeyError)
    /// The server's address, or that there is no Redis in this build.
    case redis(code: String, detail: String)

    /// The stable name of the error.
    package var code: String {
        switch self {
        case .sqlite(let error): error.code
        case .password(let error): error.code
        case .redis(let code, _): code
        }
    }

    /// The file that it is about.
    package var file: String? {
        switch self {
        case .sqlite(let error): error.path
        case .password(let error): error.file
        case .redis: nil
        }
    }

    /// Whether the store may answer later, as opposed to a mistake in the configuration.
    package var isTransient: Bool {
        if case .sqlite(let error) = self { error.isTransient } else { false }
    }
}

extension ReplayStoreOpeningError: CustomStringConvertible {
    /// What happened, and what to do.
    package var description: String {
        switch self {
        case .sqlite(let error): error.description
        case .password(let error): error.description
        case .redis(_, let detail): detail
        }
    }
}
