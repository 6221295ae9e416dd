#if Redis
import EntitlementKeys
import EntitlementValues
import RedisStores
package import TokenRedemption

extension ReplayStoreAddress {
    static func openRedis(
        _ text: String,
        _ options: ServerStoreOptions,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ReplayStore {
        let password = try options.password()
        do throws(RedisConfigurationError) {
            let address = try RedisAddress(parsing: text)
            return try RedisReplayStore(
                address, password: password, encryption: try options.encryption(), settings: try options.settings(),
                onWarning: { onWarning("\(address): \($0)", $0.code) })
        } catch {
            throw ReplayStoreOpeningError(error)
        }
    }

    /// Reads the secrets of a server again, and takes them into use if the server accepts them.
    ///
    /// - Parameters:
    ///   - store: An open store; nothing is to do for one that is not on a server.
    ///   - options: Names the files.
    /// - Throws: `ReplayStoreOpeningError`; the former secrets stay in use.
    package static func renewSecrets(
        of store: any ReplayStore,
        _ options: ServerStoreOptions
    ) async throws(ReplayStoreOpeningError) {
        guard let store = store as? RedisReplayStore else { return }
        let password = try options.password()
        let encryption: RedisEncryption
        do throws(RedisConfigurationError) {
            encryption = try options.encryption()
        } catch {
            throw ReplayStoreOpeningError(error)
        }
        do throws(RedisReloadError) {
            try await store.use(password: password, encryption: encryption)
        } catch {
            throw .secretsRefused(code: error.code, detail: error.description)
        }
    }
}

extension ReplayStoreOpeningError {
    fileprivate init(_ error: RedisConfigurationError) {
        let setting: String? = if case .badSetting(let name, _) = error { name } else { nil }
        self = .redis(code: error.code, detail: error.description, setting: setting)
    }
}

extension ServerStoreOptions {
    fileprivate func password() throws(ReplayStoreOpeningError) -> KeyPassword? {
        do throws(KeyError) {
            return try passwordFile.map { path throws(KeyError) in try KeyPassword(contentsOfFile: path) }
        } catch {
            throw .password(error)
        }
    }

    fileprivate func encryption() throws(RedisConfigurationError) -> RedisEncryption {
        try RedisEncryption(authorityFile: authorityFile, certificateFile: certificateFile, keyFile: keyFile)
    }

    fileprivate func settings() throws(RedisConfigurationError) -> RedisPoolSettings {
        let standard = RedisPoolSettings.standard
        func limit(_ milliseconds: Int?, _ other: TimeToLive) -> TimeToLive {
            milliseconds.map { TimeToLive(milliseconds: Int64($0)) } ?? other
        }
        return try RedisPoolSettings(
            prefix: limits.prefix ?? standard.prefix, connections: limits.connections ?? standard.connections,
            timeLimit: limit(limits.timeout, standard.timeLimit),
            connectTimeLimit: limit(limits.connectTimeout, standard.connectTimeLimit),
            maximumWaiting: limits.maximumWaiting ?? standard.maximumWaiting,
            clientName: limits.clientName ?? standard.clientName)
    }
}
#endif
