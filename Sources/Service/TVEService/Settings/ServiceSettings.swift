#if Service
public import BrokerClient
public import Configuration
import EntitlementValues
import HostSystem
import MediaTokens
import SealedRecords
import StoreAddresses
import TokenRedemption

/// The checked settings of the service.
///
/// A value of this type has no faults left: every setting was present if it is required, had the right type and range, and
/// contradicted no other. The files that it names are read later, by `VerificationService`.
public struct ServiceSettings: Sendable {
    let publicAddress: Address
    let internalAddress: Address
    let keys: KeyFiles
    let policy: VerificationPolicy
    let store: Store
    let authz: AuthzRules
    /// `nil` if the service starts no playback sessions.
    let sessions: Sessions?
    /// `nil` if the service does not decrypt user metadata.
    let decryption: Decryption?
    /// `nil` if the service is not a gateway for apps.
    package let gateway: Gateway?
    /// The files of the gateway, also if something else is wrong with its settings.
    let gatewayFiles: Gateway.Files?
    let limits: Limits
    let drainWait: Duration
    let drainLimit: Duration
    /// How long the store may fail before the instance is not ready; `nil` if it never counts.
    let storeGrace: Duration?
    /// How long a changed configuration may be refused before the instance is not ready; `nil` if that never counts.
    let refusedGrace: Duration?
    /// `nil` if changed files are not looked for.
    let reloadInterval: Duration?
    /// The proxy on the way to the broker and to other services of a gateway for apps; `nil` for none.
    ///
    /// A `SettingsSource` takes it from the environment (`HTTPS_PROXY`, `NO_PROXY`); of settings that the application reads
    /// itself, it is `nil`.
    public var proxy: HTTPProxy?
    /// The state of the configuration file just before it was read.
    var fileStamps: [FileStamp] = []
    let log: Log

    /// Reads settings from a configuration reader of the application.
    ///
    /// - Parameters:
    ///   - reader: Holds the settings under the names that `tve serve` uses, such as `public.port`.
    ///   - apps: The ids of the apps that it describes under `broker.apps`, which a reader cannot list.
    /// - Throws: `ServiceSettingsError` with all faults.
    public init(reading reader: ConfigReader, apps: [String] = []) throws(ServiceSettingsError) {
        try self.init(reading: reader, apps: apps, after: [])
    }

    /// Reads settings; throws all faults, those that were found before included, if there is one.
    ///
    /// `apps` are the ids of the apps. `earlier` is what was found wrong with the sources of the reader.
    init(
        reading reader: ConfigReader,
        apps: [String],
        after earlier: [SettingsFault]
    ) throws(ServiceSettingsError) {
        var reader = SettingsReader(reader, after: earlier)
        publicAddress = Address(listener: "public", defaultPort: 8080, from: &reader)
        internalAddress = Address(listener: "internal", defaultPort: 8081, from: &reader)
        keys = KeyFiles(requiredFrom: &reader)
        policy = Self.policy(from: &reader)
        store = Store(from: &reader)
        authz = AuthzRules(from: &reader)
        sessions = Sessions(from: &reader)
        decryption = Decryption(from: &reader, beside: internalAddress)
        gatewayFiles = Gateway.Files(from: &reader, apps: apps)
        gateway = Gateway(from: &reader, files: gatewayFiles, apps: apps)
        limits = Limits(from: &reader)
        drainWait = .seconds(reader.number("drain.waitSeconds", in: 0...600, default: 5))
        drainLimit = .seconds(reader.number("drain.limitSeconds", in: 1...3600, default: 30))
        let grace = reader.number("readiness.storeGraceSeconds", in: -1...86_400, default: 10)
        storeGrace = grace < 0 ? nil : .seconds(grace)
        let refused = reader.number("readiness.refusedGraceSeconds", in: -1...604_800, default: 3600)
        refusedGrace = refused < 0 ? nil : .seconds(refused)
        let interval = reader.number("reload.intervalSeconds", in: 0...3600, default: 10)
        reloadInterval = interval == 0 ? nil : .seconds(interval)
        log = Log(from: &reader)
        reportConflicts(to: &reader)
        // A value of the wrong type was reported already when its file was checked.
        let faults = earlier + reader.faults.filter { !earlier.concernSetting(of: $0) }
        if faults.isEmpty { return }
        throw ServiceSettingsError(faults + faultsOfFiles().filter { !reader.isInDoubt($0.setting) })
    }

    /// Reports pairs of settings that exclude each other.
    private func reportConflicts(to reader: inout SettingsReader) {
        if publicAddress == internalAddress, publicAddress.port != 0 {
            reader.report(.conflict, of: "internal.port", detail: "is also the port of the public listener")
        }
        if case .address(let address)? = decryption?.listener, address.port != 0,
            [publicAddress, internalAddress].contains(address)
        {
            reader.report(.conflict, of: "decryption.port", detail: "is also the port of another listener")
        }
        guard let sessions else { return }
        if store.address == nil, !reader.isInDoubt("store.address") {
            reader.report(
                .conflict, of: "sessions.keyFiles",
                detail: "needs a store.address: a session is given in exchange for a token that is used up")
        }
        if let parameter = sessions.parameter, parameter == authz.tokenParameter {
            reader.report(.conflict, of: "sessions.parameter", detail: "is the same as authz.tokenParameter")
        }
    }

    /// What is wrong with the keys and the store, so that one start reports everything.
    private func faultsOfFiles() -> [SettingsFault] {
        var faults: [SettingsFault] = []
        _ = faults.collecting { () throws(ServiceSettingsError) in try open(file: nil, time: .system) { _, _ in } }
        return faults
    }

    private static func policy(from reader: inout SettingsReader) -> VerificationPolicy {
        let leeway = reader.number("verification.leewaySeconds", in: 0...600, default: 0)
        let acceptsSHA1 = reader.bool("verification.acceptLegacySHA1")
        let policy = reader.reading("verification.leewaySeconds") { () throws(VerificationPolicyError) in
            try VerificationPolicy(leeway: .seconds(Int64(leeway)), acceptsLegacySHA1: acceptsSHA1)
        }
        return policy ?? .standard
    }

    /// Whether a store is a server, which is not contacted before the first token is redeemed.
    package var storeIsServer: Bool { !settingsOfServers.isEmpty }

    /// The settings that name a store on a server.
    package var settingsOfServers: [String] {
        let stores = [
            ("store.address", store.address), ("sessions.store", sessions?.records), ("broker.store", gateway?.records),
        ]
        return stores.filter { $0.1?.isRedis == true }.map(\.0)
    }

    /// Reads all keys and opens the stores; throws with everything that is wrong with them.
    ///
    /// `file` is the configuration file, if there is one. `transport` is the way to the broker; `nil` for the network.
    /// `devices` is the store of devices; `nil` for the one that the settings name. `watches` notice when the stores of
    /// records fail; `nil` leaves that out. `onWarning` takes what the stores warn of, with its stable code.
    func open(
        file: String?,
        time: TimeSource,
        transport: (any HTTPTransport)? = nil,
        devices: (any RecordStore)? = nil,
        watches: StoreWatches? = nil,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ServiceSettingsError) -> (configuration: ActiveConfiguration, stores: OpenedStores) {
        var faults: [SettingsFault] = []
        let configuration = faults.collecting { () throws(ServiceSettingsError) in
            try ActiveConfiguration(self, file: file, replacing: nil)
        }
        let stores = OpenedStores(
            self, time: time, transport: transport, devices: devices, watches: watches, faults: &faults,
            onWarning: onWarning)
        guard let configuration, faults.isEmpty else { throw ServiceSettingsError(faults) }
        return (configuration, stores)
    }

    /// Whether a change to another configuration takes effect only after a restart.
    func needsRestart(for other: ServiceSettings) -> Bool {
        publicAddress != other.publicAddress || internalAddress != other.internalAddress || store != other.store
            || limits != other.limits || drainWait != other.drainWait || drainLimit != other.drainLimit
            || reloadInterval != other.reloadInterval || log.level != other.log.level
            || log.refusalsPerSecond != other.log.refusalsPerSecond
            || decryption?.listener != other.decryption?.listener
            || sessions?.recordsText != other.sessions?.recordsText
            || sessions?.streamLimit != other.sessions?.streamLimit
            || gateway?.recordsText != other.gateway?.recordsText
            || gateway?.authorityFile != other.gateway?.authorityFile || gateway?.events != other.gateway?.events
    }
}

extension [SettingsFault] {
    fileprivate func concernSetting(of fault: SettingsFault) -> Bool { contains { $0.setting == fault.setting } }
}
#endif
