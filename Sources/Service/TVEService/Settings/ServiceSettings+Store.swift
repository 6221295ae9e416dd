#if Service
import EntitlementValues
import HostSystem
import SealedRecords
import StoreAddresses
import TokenRedemption

extension ServiceSettings {
    /// Where used tokens are remembered.
    struct Store: Sendable {
        /// `nil` if a token may be used any number of times.
        let address: ReplayStoreAddress?
        /// The text of the address, to compare.
        let text: String
        private let options: ServerStoreOptions

        /// The settings of a store on a server, and those of an encrypted connection to it.
        private static let serverSettings = [
            "store.passwordFile", "store.connections", "store.timeoutMilliseconds", "store.connectTimeoutMilliseconds",
            "store.maximumWaiting", "store.prefix", "store.clientName",
        ]
        private static let encryptionSettings = ["store.caFile", "store.certificateFile", "store.keyFile"]

        init(from reader: inout SettingsReader) {
            text = reader.text("store.address") ?? ""
            address = Self.address(text, from: &reader)
            var options = ServerStoreOptions()
            options.passwordFile = reader.text("store.passwordFile")
            options.authorityFile = reader.text("store.caFile")
            options.certificateFile = reader.text("store.certificateFile")
            options.keyFile = reader.text("store.keyFile")
            options.limits = Self.limits(from: &reader)
            self.options = options
            // The same settings are for a server that keeps the records of sessions or devices.
            let records = ["sessions.store", "broker.store"].compactMap { name in
                try? reader.unreportedText(name).map(ReplayStoreAddress.init)
            }
            // Of an address that is at fault, it is not known what it needs.
            let isKnown = !["store.address", "sessions.store", "broker.store"].contains { reader.isInDoubt($0) }
            if isKnown, address?.isRedis != true, !records.contains(where: \.isRedis) {
                reader.report(without: "a store.address of redis://…", Self.serverSettings)
            }
            if isKnown, address?.isEncrypted != true, !records.contains(where: \.isEncrypted) {
                reader.report(without: "a store.address of rediss://…", Self.encryptionSettings)
            } else if (options.certificateFile == nil) != (options.keyFile == nil) {
                let missing = options.certificateFile == nil ? "store.certificateFile" : "store.keyFile"
                reader.report(.missing, of: missing, detail: "a certificate and its key go together")
            }
        }

        private static func limits(from reader: inout SettingsReader) -> ServerStoreOptions.Limits {
            var limits = ServerStoreOptions.Limits()
            limits.connections = reader.number("store.connections", in: 1...64, default: 2)
            limits.timeout = reader.number("store.timeoutMilliseconds", in: 1...60_000, default: 250)
            limits.connectTimeout = reader.number("store.connectTimeoutMilliseconds", in: 1...60_000, default: 2000)
            limits.maximumWaiting = reader.number("store.maximumWaiting", in: 1...1_000_000, default: 10_000)
            limits.prefix = reader.text("store.prefix")
            limits.clientName = reader.text("store.clientName")
            return limits
        }

        private static func address(_ text: String, from reader: inout SettingsReader) -> ReplayStoreAddress? {
            if text == "none" { return nil }
            guard !text.isEmpty else {
                reader.report(
                    .missing, of: "store.address",
                    detail: "say where used tokens are remembered: \(ReplayStoreAddress.forms); or none, which lets a "
                        + "token pass any number of times")
                return nil
            }
            return reader.reading("store.address") { () throws(ReplayStoreAddressError) in
                try ReplayStoreAddress(text)
            }
        }

        /// The files with the secrets of a server, which a reload reads again.
        var secretFiles: [String] { options.files }

        /// These files with their settings, and whether they are secret.
        var files: [(setting: String, path: String, isSecret: Bool)] {
            let named = [
                ("store.passwordFile", options.passwordFile, true), ("store.keyFile", options.keyFile, true),
                ("store.caFile", options.authorityFile, false),
                ("store.certificateFile", options.certificateFile, false),
            ]
            return named.compactMap { setting, path, isSecret in path.map { (setting, $0, isSecret) } }
        }

        /// Opens the store; `nil` if there is none.
        func open(
            onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
        ) throws(ReplayStoreOpeningError) -> (any ProbedReplayStore)? {
            try address?.open(options, onWarning: onWarning)
        }

        /// Opens the store of records at another address, with the same options.
        func openRecords(
            at address: ReplayStoreAddress,
            time: TimeSource,
            onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
        ) throws(ReplayStoreOpeningError) -> any RecordStore {
            try address.openRecords(options, time: time, onWarning: onWarning)
        }

        /// Reads the secrets of a server again, and takes them into use if the server accepts them.
        func renewSecrets(of store: any ReplayStore) async throws(ReplayStoreOpeningError) {
            try await ReplayStoreAddress.renewSecrets(of: store, options)
        }

        /// The same for a store of records.
        func renewSecrets(ofRecords store: any RecordStore) async throws(ReplayStoreOpeningError) {
            try await ReplayStoreAddress.renewSecrets(ofRecords: store.unwatched, options)
        }

        /// Says what is wrong with the store.
        func fault(_ error: ReplayStoreOpeningError) -> SettingsFault {
            switch error {
            case .password where options.passwordFile.map(Files.exists) == false:
                // The path is not shown: it may be the password itself, set by mistake.
                return SettingsFault(.noSuchFile, of: "store.passwordFile", detail: "the file does not exist")
            case .password, .secretsRefused:
                return SettingsFault(setting: "store.passwordFile", code: error.code, detail: error.description)
            default:
                let named = files.first { Files.shown($0.path) == error.file }?.setting
                return SettingsFault(
                    setting: named ?? "store.\(error.setting ?? "address")", code: error.code,
                    detail: error.description)
            }
        }
    }
}

extension ServiceSettings.Store: Equatable {
    /// Compares what takes effect only after a restart.
    static func == (one: Self, other: Self) -> Bool {
        one.text == other.text && one.options.limits == other.options.limits
    }
}
#endif
