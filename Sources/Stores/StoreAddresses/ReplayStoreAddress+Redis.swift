#if Redis
import EntitlementKeys
import EntitlementValues
import RedisStores
package import SealedRecords
package import TokenRedemption

extension ReplayStoreAddress {
    static func hosts(ofRedis text: String) -> [String] {
        switch try? RedisAddress(parsing: text).endpoint {
        case .tcp(let host, _)?: [host]
        case .sentinels(let hosts, _)?: hosts.map(\.name)
        case .unixSocket?, nil: []
        }
    }

    static func openRedis(
        _ text: String,
        with options: ServerStoreOptions,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any ProbedReplayStore {
        let password = try options.password()
        let address = try rethrowing(RedisAddress(parsing: text), as: ReplayStoreOpeningError.init(_:))
        return try rethrowing(
            RedisReplayStore(
                address, password: password, encryption: options.encryption(), settings: options.settings(),
                onWarning: { onWarning("\(address): \($0)", $0.code) }),
            as: ReplayStoreOpeningError.init(_:))
    }

    static func openRedisRecords(
        _ text: String,
        with options: ServerStoreOptions,
        time: TimeSource,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any RecordStore {
        let password = try options.password()
        let address = try rethrowing(RedisAddress(parsing: text), as: ReplayStoreOpeningError.init(_:))
        return try rethrowing(
            RedisRecordStore(
                address, password: password, encryption: options.encryption(), settings: options.settings(),
                time: time, onWarning: { onWarning("\(address): \($0)", $0.code) }),
            as: ReplayStoreOpeningError.init(_:))
    }

    /// Reads the secrets of a server again, and takes them into use if the server accepts them.
    ///
    /// If it throws, the former secrets stay in use. Nothing is to do for a store that is not on a server.
    package static func renewSecrets(
        of store: any ReplayStore,
        _ options: ServerStoreOptions
    ) async throws(ReplayStoreOpeningError) {
        guard let store = store as? RedisReplayStore else { return }
        try await renewSecrets(options) { password, encryption throws(RedisReloadError) in
            try await store.use(password: password, encryption: encryption)
        }
    }

    /// Reads the secrets of a server of records again, and takes them into use if the server accepts them.
    ///
    /// If it throws, the former secrets stay in use. Nothing is to do for a store that is not on a server.
    package static func renewSecrets(
        ofRecords store: any RecordStore,
        _ options: ServerStoreOptions
    ) async throws(ReplayStoreOpeningError) {
        guard let store = store as? RedisRecordStore else { return }
        try await renewSecrets(options) { password, encryption throws(RedisReloadError) in
            try await store.use(password: password, encryption: encryption)
        }
    }

    private static func renewSecrets(
        _ options: ServerStoreOptions,
        by use: (KeyPassword?, RedisEncryption) async throws(RedisReloadError) -> Void
    ) async throws(ReplayStoreOpeningError) {
        let password = try options.password()
        let encryption = try rethrowing(options.encryption(), as: ReplayStoreOpeningError.init(_:))
        try await rethrowing(awaiting: await use(password, encryption)) { (error: RedisReloadError) in
            ReplayStoreOpeningError.secretsRefused(code: error.code, detail: error.description)
        }
    }
}

extension ReplayStoreOpeningError {
    fileprivate init(_ error: RedisConfigurationError) {
        let setting: String? = if case .badSetting(let name, _) = error { name } else { nil }
        let file: String? = if case .badFile(let path, _) = error { path } else { nil }
        self = .redis(code: error.code, detail: error.description, setting: setting, file: file)
    }
}

extension ServerStoreOptions {
    fileprivate func password() throws(ReplayStoreOpeningError) -> KeyPassword? {
        try passwordFile.map { path throws(ReplayStoreOpeningError) in
            try rethrowing(KeyPassword(contentsOfFile: path), as: ReplayStoreOpeningError.password)
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
