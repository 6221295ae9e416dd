#if Service
import TextCodecs
import HostSystem
import TokenRedemption
public import Configuration
import EntitlementValues
import HTTPTypes
public import Logging
import MediaTokens
import MetadataDecryption
import StoreAddresses

/// Holds everything that can be set about the service, checked.
public struct ServiceSettings: Sendable {
    struct Address: Sendable, Hashable {
        let host: String
        let port: Int
    }

    /// Where keys are, and the file with the password that opens them.
    struct KeyFiles: Sendable {
        let paths: [String]
        let passwordFile: String?
    }

    struct Limits: Sendable, Hashable {
        let headerBytes: Int
        let bodyBytes: Int
        let connections: Int
        let batches: Int
        let requestSeconds: Int
        let idleSeconds: Int
    }

    struct Sessions: Sendable {
        let keyFiles: [String]
        let lifetime: TimeToLive
        let cookie: String
        let parameter: String?
        let clientAddressHeader: HTTPField.Name?
    }

    struct Decryption: Sendable {
        let keys: KeyFiles
        let padding: MetadataPadding
    }

    let publicAddress: Address
    let internalAddress: Address
    let keys: KeyFiles
    let policy: VerificationPolicy
    /// `nil` where tokens may be used again and again.
    let store: ReplayStoreAddress?
    let storeText: String
    let storePasswordFile: String?
    let authz: AuthzRules
    let sessions: Sessions?
    let decryption: Decryption?
    let limits: Limits
    let drainWait: Duration
    let drainLimit: Duration
    let reloadInterval: Duration?
    /// The states of the configuration file from before it was read.
    var fileStamps: [FileStamp] = []
    /// The least level that is logged.
    public let logLevel: Logger.Level

    /// Reads settings from a reader of the application's own.
    ///
    /// - Throws: `ServiceSettingsError` with all faults.
    public init(reading reader: ConfigReader) throws(ServiceSettingsError) {
        try self.init(reading: reader, [])
    }

    init(reading reader: ConfigReader, _ earlier: [SettingsFault]) throws(ServiceSettingsError) {
        var reading = SettingsReader(reader)
        publicAddress = Self.address("public", 8080, &reading)
        internalAddress = Self.address("internal", 8081, &reading)
        if publicAddress == internalAddress, publicAddress.port != 0 {
            reading.note("internal.port", "conflict", "is that of the public listener")
        }
        keys = KeyFiles(paths: reading.list("keys.paths") ?? [], passwordFile: reading.text("keys.passwordFile"))
        if keys.paths.isEmpty, !reading.faults.contains(where: { $0.setting == "keys.paths" }) {
            reading.note("keys.paths", "missing", "name the files or folders of the keys that sign the tokens")
        }
        policy = Self.policy(&reading)
        storeText = reading.text("store.address") ?? ""
        store = Self.store(storeText, &reading)
        storePasswordFile = reading.text("store.passwordFile")
        if storePasswordFile != nil, store?.isRedis != true {
            reading.note("store.passwordFile", "conflict", "goes with a store.address of redis://…")
        }
        authz = AuthzRules(&reading)
        sessions = Self.sessions(&reading)
        if sessions != nil, store == nil {
            reading.note(
                "sessions.keyFiles", "conflict", "a session is given for a spent token: it needs store.address")
        }
        if let parameter = sessions?.parameter, parameter == authz.tokenParameter {
            reading.note("sessions.parameter", "conflict", "is that of authz.tokenParameter")
        }
        decryption = Self.decryption(&reading)
        limits = Limits(
            headerBytes: reading.number("limits.headerBytes", in: 4096...1 << 20, default: 1 << 17),
            bodyBytes: reading.number("limits.bodyBytes", in: 1024...1 << 26, default: 1 << 20),
            connections: reading.number("limits.connections", in: 1...1_000_000, default: 4096),
            // A batch keeps a core busy; one is left for single requests, where there are several.
            batches: reading.number(
                "limits.batches", in: 1...1024, default: max(1, coreCount - 1)),
            requestSeconds: reading.number("limits.requestSeconds", in: 1...3600, default: 10),
            idleSeconds: reading.number("limits.idleSeconds", in: 1...3600, default: 75))
        drainWait = .seconds(reading.number("drain.waitSeconds", in: 0...600, default: 5))
        drainLimit = .seconds(reading.number("drain.limitSeconds", in: 1...3600, default: 30))
        let interval = reading.number("reload.intervalSeconds", in: 0...3600, default: 10)
        reloadInterval = interval == 0 ? nil : .seconds(interval)
        logLevel = reading.choice("log.level", default: Logger.Level.info)
        let faults =
            earlier
            + reading.faults.filter { fault in
                // A value of the wrong type was told with its file.
                !earlier.contains { $0.setting == fault.setting }
            }
        if faults.isEmpty { return }
        // What the settings lead to is looked at all the same, so that nobody learns of it after the next start.
        do throws(ServiceSettingsError) {
            _ = try open(file: nil) { _, _ in }
        } catch {
            throw ServiceSettingsError(
                faults + error.faults.filter { fault in !faults.contains { $0.setting == fault.setting } })
        }
        throw ServiceSettingsError(faults)
    }

    private static func address(_ name: String, _ port: Int, _ reading: inout SettingsReader) -> Address {
        Address(
            host: reading.text("\(name).host") ?? "127.0.0.1",
            port: reading.number("\(name).port", in: 0...65535, default: port))
    }

    private static func policy(_ reading: inout SettingsReader) -> VerificationPolicy {
        let leeway = reading.number("verification.leewaySeconds", in: 0...600, default: 0)
        let acceptsSHA1 = reading.bool("verification.acceptLegacySHA1")
        do throws(VerificationPolicyError) {
            return try VerificationPolicy(leeway: .seconds(Int64(leeway)), acceptsLegacySHA1: acceptsSHA1)
        } catch {
            reading.note("verification.leewaySeconds", "bad_value", error.description)
            return .standard
        }
    }

    private static func store(_ text: String, _ reading: inout SettingsReader) -> ReplayStoreAddress? {
        if text == "none" { return nil }
        guard !text.isEmpty else {
            reading.note(
                "store.address", "missing",
                "say where used tokens are remembered: memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or "
                    + "redis+unix://PATH; or none, which lets a token pass again and again")
            return nil
        }
        do throws(ReplayStoreAddressError) {
            return try ReplayStoreAddress(text)
        } catch {
            reading.note("store.address", "bad_value", error.reason)
            return nil
        }
    }

    private static func sessions(_ reading: inout SettingsReader) -> Sessions? {
        let lifetime = reading.number("sessions.lifetimeSeconds", in: 1...86_400, default: 4 * 3600)
        let cookie = reading.text("sessions.cookie") ?? "tve_session"
        let parameter = reading.parameter("sessions.parameter")
        let header = reading.header("sessions.clientAddressHeader")
        if HTTPField.Name(cookie) == nil {
            reading.note("sessions.cookie", "bad_value", "is no name of a cookie")
        }
        reading.note(
            [
                "sessions.lifetimeSeconds", "sessions.cookie", "sessions.parameter",
                "sessions.clientAddressHeader",
            ], without: "sessions.keyFiles")
        guard let keyFiles = reading.list("sessions.keyFiles") else { return nil }
        return Sessions(
            keyFiles: keyFiles, lifetime: .seconds(Int64(lifetime)), cookie: cookie, parameter: parameter,
            clientAddressHeader: header)
    }

    private static func decryption(_ reading: inout SettingsReader) -> Decryption? {
        let passwordFile = reading.text("decryption.passwordFile")
        let padding = reading.choice("decryption.padding", default: MetadataPadding.insecurePKCS1v15)
        reading.note(["decryption.passwordFile", "decryption.padding"], without: "decryption.paths")
        guard let paths = reading.list("decryption.paths") else { return nil }
        return Decryption(keys: KeyFiles(paths: paths, passwordFile: passwordFile), padding: padding)
    }

    /// Whether the store is a server, of which nothing is known before the first redemption.
    package var storeIsServer: Bool { store?.isRedis == true }

    /// Reads all keys and opens the store.
    ///
    /// - Throws: `ServiceSettingsError` with everything that is wrong with them.
    func open(
        file: String?,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ServiceSettingsError) -> (set: ActiveConfiguration, store: (any ReplayStore)?) {
        let set: ActiveConfiguration?
        var faults: [SettingsFault] = []
        do throws(ServiceSettingsError) {
            set = try ActiveConfiguration(self, file: file, replacing: nil)
        } catch {
            set = nil
            faults = error.faults
        }
        var store: (any ReplayStore)?
        do throws(ReplayStoreOpeningError) {
            store = try self.store?.open(passwordFile: storePasswordFile, onWarning: onWarning)
        } catch {
            faults.append(SettingsFault("store.address", error.code, error.description))
        }
        guard let set, faults.isEmpty else { throw ServiceSettingsError(faults) }
        return (set, store)
    }

    /// Whether a change to another configuration needs a restart.
    func needsRestart(for other: ServiceSettings) -> Bool {
        publicAddress != other.publicAddress || internalAddress != other.internalAddress
            || storeText != other.storeText || storePasswordFile != other.storePasswordFile
            || limits != other.limits
            || drainWait != other.drainWait || drainLimit != other.drainLimit
            || reloadInterval != other.reloadInterval
            || logLevel != other.logLevel
    }
}

extension SettingsReader {
    /// The name of a header field.
    mutating func header(_ setting: String) -> HTTPField.Name? {
        guard let text = text(setting) else { return nil }
        if let name = HTTPField.Name(text) { return name }
        note(setting, "bad_value", "is no name of a header field")
        return nil
    }

    /// The name of a query parameter, as it stands in URLs.
    mutating func parameter(_ setting: String) -> String? {
        guard let text = text(setting) else { return nil }
        if text.utf8.allSatisfy({ $0.isURLSafe }) { return text }
        note(setting, "bad_value", "takes letters, digits, - and _ only")
        return nil
    }
}
#endif
