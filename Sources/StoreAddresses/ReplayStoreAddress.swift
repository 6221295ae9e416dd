package import TokenRedemption
import EntitlementKeys
import RedisStores
import SQLiteStores

/// Names a store of used tokens: `memory:[N]`, `sqlite:PATH`, `redis://HOST:PORT[/DB]` or `redis+unix://PATH`.
///
/// No error repeats it: there may be a password in it.
package enum ReplayStoreAddress: Sendable {
    case memory(capacity: Int?)
    case sqlite(path: String)
    /// What is wrong with the address of a server is told when it is opened.
    case redis(String)

    package init(_ text: String) throws(ReplayStoreAddressError) {
        if text == "memory:" {
            self = .memory(capacity: nil)
        } else if text.hasPrefix("memory:") {
            guard let capacity = Int(text.dropFirst(7)), capacity > 0 else {
                throw ReplayStoreAddressError(reason: "memory:N takes a number of tokens above 0.")
            }
            self = .memory(capacity: capacity)
        } else if text.hasPrefix("sqlite:") {
            guard text != "sqlite:" else { throw ReplayStoreAddressError(reason: "sqlite:PATH lacks the path.") }
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if ["redis:", "redis+unix:", "rediss:", "valkey:", "valkeys:"].contains(
            where: text.lowercased().hasPrefix)
        {
            self = .redis(text)
        } else {
            throw ReplayStoreAddressError(
                reason: "takes memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or redis+unix://PATH.")
        }
    }

    /// Whether it is the address of a server, for which there may be a password.
    package var isRedis: Bool { if case .redis = self { true } else { false } }

    /// Whether the store ends with this process.
    package var isInMemory: Bool { if case .memory = self { true } else { false } }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - passwordFile: A file with the password of the server, where it wants one.
    ///   - onWarning: Is told, with its code, what about the server could let a spent token pass again.
    /// - Returns: The store; of a server, nothing is opened before the first redemption.
    /// - Throws: `ReplayStoreOpeningError`, a mistake in the configuration or a file that does not answer.
    package func open(
        passwordFile: String?,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ReplayStore {
        switch self {
        case .memory(let capacity):
            return capacity.map { InMemoryReplayStore(capacity: $0) } ?? InMemoryReplayStore()
        case .sqlite(let path):
            do throws(SQLiteStoreError) {
                return try SQLiteReplayStore(path: path)
            } catch {
                throw .sqlite(error)
            }
        case .redis(let address):
            return try Self.redis(address, passwordFile, onWarning)
        }
    }

    #if Redis
    private static func redis(
        _ text: String,
        _ passwordFile: String?,
        _ onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ReplayStore {
        let address: RedisAddress
        do throws(RedisConfigurationError) {
            address = try RedisAddress(parsing: text)
        } catch {
            throw .redis(code: error.code, detail: error.description)
        }
        let password: KeyPassword?
        do throws(KeyError) {
            password = try passwordFile.map { path throws(KeyError) in try KeyPassword(contentsOfFile: path) }
        } catch {
            throw .password(error)
        }
        return RedisReplayStore(
            address, password: password, onWarning: { onWarning("\(address): \($0)", $0.code) })
    }
    #else
    private static func redis(
        _ text: String,
        _ passwordFile: String?,
        _ onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ReplayStore {
        throw .redis(
            code: "no_redis",
            detail: "tve was built without the trait Redis; build it with: swift build --traits CLI,Redis")
    }
    #endif
}

/// Says why a text is no address of a store; to be shown behind the name of the option that has it.
package struct ReplayStoreAddressError: Error, Sendable {
    package let reason: String
}
