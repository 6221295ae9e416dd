import EntitlementValues
import SQLiteStores
package import TokenRedemption

/// The address of a store of used tokens: `memory:[N]`, `sqlite:PATH`, `redis://HOST:PORT[/DB]`,
/// `rediss://HOST:PORT[/DB]` or `redis+unix://PATH`.
///
/// No error repeats it, since there may be a password in it.
package enum ReplayStoreAddress: Sendable {
    case memory(capacity: Int?)
    case sqlite(path: String)
    /// The address of a server, which is checked when the store is opened.
    case redis(String)

    /// Reads an address; throws if its scheme is unknown, or its capacity or path is missing.
    package init(_ text: String) throws(ReplayStoreAddressError) {
        if text == "memory:" {
            self = .memory(capacity: nil)
        } else if text.hasPrefix("memory:") {
            guard let capacity = Int(text.dropFirst(7)), capacity > 0 else {
                throw ReplayStoreAddressError(reason: "memory:N takes a number of tokens above 0.")
            }
            self = .memory(capacity: capacity)
        } else if text.hasPrefix("sqlite:") {
            guard text != "sqlite:" else { throw ReplayStoreAddressError(reason: "sqlite:PATH needs a path.") }
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if ["redis", "valkey"].contains(where: text.lowercased().hasPrefix) {
            self = .redis(text)
        } else {
            throw ReplayStoreAddressError(reason: "takes \(Self.forms).")
        }
    }

    /// The forms of addresses, for help and errors.
    package static let forms =
        "memory:[N], sqlite:PATH, redis://HOST:PORT[/DB], rediss://HOST:PORT[/DB] (TLS), redis+unix://PATH or "
        + "redis+sentinel://HOST:PORT,HOST:PORT/NAME[/DB]"

    /// Whether it is the address of a server, which may demand a password.
    package var isRedis: Bool { if case .redis = self { true } else { false } }

    /// The names or addresses of the hosts that connections go to; empty for files, and if the address is not understood.
    package var hosts: [String] {
        guard case .redis(let text) = self else { return [] }
        return Self.hosts(ofRedis: text)
    }

    /// Whether the store is forgotten when this process ends.
    package var isInMemory: Bool { if case .memory = self { true } else { false } }

    /// Whether connections to the server are encrypted, so that files of certificates have a use.
    package var isEncrypted: Bool {
        guard case .redis(let text) = self else { return false }
        return ["rediss", "valkeys"].contains(where: text.lowercased().hasPrefix)
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - options: How a server is used; without effect on other stores.
    ///   - onWarning: Receives what about the server could let a used token pass again, with the code of the warning.
    /// - Returns: The store. Connections to a server open with the first redemption.
    /// - Throws: `ReplayStoreOpeningError`, for a mistake in the configuration or a file that does not answer.
    package func open(
        _ options: ServerStoreOptions,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ProbedReplayStore {
        switch self {
        case .memory(let capacity):
            return capacity.map { InMemoryReplayStore(capacity: $0) } ?? InMemoryReplayStore()
        case .sqlite(let path):
            return try rethrowing(SQLiteReplayStore(path: path), as: ReplayStoreOpeningError.sqlite)
        case .redis(let address):
            return try Self.openRedis(address, with: options, onWarning: onWarning)
        }
    }

    #if !Redis
    private static func hosts(ofRedis text: String) -> [String] { [] }

    private static func openRedis(
        _ text: String,
        with options: ServerStoreOptions,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ProbedReplayStore {
        throw noRedis
    }

    static var noRedis: ReplayStoreOpeningError {
        .redis(
            code: "no_redis",
            detail: "tve was built without the trait Redis; build it with: swift build --traits CLI,Redis")
    }

    /// Reads the secrets of a server again; nothing to do for other stores.
    package static func renewSecrets(
        of store: any ReplayStore,
        _ options: ServerStoreOptions
    ) async throws(ReplayStoreOpeningError) {}
    #endif
}

/// The reason why a text is not the address of a store; it is printed after the name of the option.
package struct ReplayStoreAddressError: Error, Sendable, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }
}
