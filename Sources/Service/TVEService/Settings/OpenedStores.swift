#if Service
import BrokerClient
import EntitlementValues
import PlaybackSessions
import SealedRecords
import StoreAddresses
import TokenRedemption

/// The stores that a service has opened, which a reload keeps.
struct OpenedStores: Sendable {
    /// The settings that they were opened with.
    let settings: ServiceSettings
    /// Where used tokens are remembered; `nil` if a token may be used any number of times.
    private(set) var redemptions: (any ProbedReplayStore)?
    /// Where revocations and streams of playback sessions are kept; `nil` if sessions cannot be revoked.
    private(set) var records: (any RecordStore)?
    /// The revocations and streams; `nil` if sessions cannot be revoked.
    private(set) var registry: SessionRegistry?
    /// Where the devices of apps are kept; `nil` if the service is not a gateway for them.
    private(set) var devices: (any RecordStore)?
    /// Where the gateway's rate counters are: the store of devices if that is a server, else the memory of this process.
    private(set) var counts: (any RecordStore)?
    /// The ways to the broker, and to services of the programmer's own; `nil` if the service is not a gateway for apps.
    private(set) var network: (broker: any HTTPTransport, services: any HTTPTransport)?

    /// The most counts that are kept in memory; while all of them last, further addresses have to wait.
    private static let countCapacity = 200_000

    /// Opens the stores that the settings name; adds to `faults` what is wrong with them.
    ///
    /// `transport` is the way to the broker; `nil` for the network. `devices` is the store of devices; `nil` for the
    /// one that the settings name. `watches` notice when the stores of records fail; `nil` leaves that out. `onWarning`
    /// takes what the stores warn of, with its stable code.
    init(
        _ settings: ServiceSettings,
        time: TimeSource,
        transport: (any HTTPTransport)? = nil,
        devices: (any RecordStore)? = nil,
        watches: StoreWatches? = nil,
        faults: inout [SettingsFault],
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) {
        self.settings = settings
        redemptions = faults.reading(try settings.store.open(onWarning: onWarning), as: settings.store.fault) ?? nil
        if let gateway = settings.gateway {
            network = Self.network(of: gateway, through: settings.proxy, or: transport, faults: &faults)
        }
        if let gateway = settings.gateway, network != nil {
            let opened = faults.reading("broker.store") { () throws(ReplayStoreOpeningError) -> any RecordStore in
                if let devices { return devices }
                return try settings.store.openRecords(at: gateway.records, time: time, onWarning: onWarning)
            }
            if let watched = opened?.watched(by: watches?.devices) {
                self.devices = watched
                counts =
                    gateway.sharesCounters ? watched : InMemoryRecordStore(capacity: Self.countCapacity, time: time)
            }
        }
        guard let sessions = settings.sessions, let address = sessions.records else { return }
        let opened = faults.reading("sessions.store") { () throws(ReplayStoreOpeningError) in
            try settings.store.openRecords(at: address, time: time, onWarning: onWarning)
                .watched(by: watches?.sessions)
        }
        guard let opened else { return }
        records = opened
        registry = faults.reading(try SessionRegistry(in: opened, streamLimit: sessions.streamLimit, time: time)) {
            (error: PlaybackSessionError) in
            SettingsFault(.badValue, of: "sessions.streams", detail: error.description)
        }
    }

    /// Opens the ways to the broker and to services of the programmer's own; `nil` if a fault was added.
    ///
    /// The settings name the authorities. The proxy, if there is one, is on both ways. `transport` is the way to the
    /// broker instead of the network; `nil` for the network.
    private static func network(
        of settings: ServiceSettings.Gateway,
        through proxy: HTTPProxy?,
        or transport: (any HTTPTransport)?,
        faults: inout [SettingsFault]
    ) -> (broker: any HTTPTransport, services: any HTTPTransport)? {
        faults.reading("broker.caFile") { () throws(BrokerSettingsError) in
            let services = try open(through: proxy)
            if let transport { return (transport, services) }
            guard let file = settings.authorityFile else { return (services, services) }
            return (try open(trusting: .file(file), through: proxy), services)
        }
    }

    private static func open(
        trusting authorities: AsyncHTTPTransport.Authorities = .system,
        through proxy: HTTPProxy?
    ) throws(BrokerSettingsError) -> any HTTPTransport {
        guard proxy != nil || authorities != .system else { return AsyncHTTPTransport.shared }
        var settings = AsyncHTTPTransport.Settings()
        (settings.authorities, settings.proxy) = (authorities, proxy)
        return try AsyncHTTPTransport(settings)
    }

    /// What keeps settings that were read again from having sessions: stores are opened at the start only, and without theirs
    /// a token would pass twice, or a revoked session.
    ///
    /// It returns the fault; `nil` if the stores are there, or there are no sessions.
    func fault(ofSessionsIn settings: ServiceSettings) -> SettingsFault? {
        guard let sessions = settings.sessions else { return nil }
        let detail = "takes effect after a restart: until then there is no store open for it"
        if redemptions == nil { return SettingsFault(.needsRestart, of: "sessions.keyFiles", detail: detail) }
        if sessions.records != nil, registry == nil {
            return SettingsFault(.needsRestart, of: "sessions.store", detail: detail)
        }
        return nil
    }

    /// Reads the secrets of the stores on servers again, and takes them into use where the servers accept them.
    ///
    /// A store whose address has changed keeps its secrets: the new ones are meant for the other server, which is used
    /// after a restart, and the one in use must not learn them.
    ///
    /// The new settings name the files. Returns what is wrong; a store that it is not about uses the new secrets.
    func renewSecrets(as new: ServiceSettings) async -> [SettingsFault] {
        var faults: [SettingsFault?] = []
        if let redemptions {
            faults.append(
                await offer(new, to: "store.address", at: settings.store.text, newAddress: new.store.text) {
                    () async throws(ReplayStoreOpeningError) in try await new.store.renewSecrets(of: redemptions)
                })
        }
        let opened = [
            ("sessions.store", records, settings.sessions?.recordsText, new.sessions?.recordsText),
            ("broker.store", devices, settings.gateway?.recordsText, new.gateway?.recordsText),
        ]
        for case (let setting, let records?, let address?, let newAddress?) in opened {
            faults.append(
                await offer(new, to: setting, at: address, newAddress: newAddress) {
                    () async throws(ReplayStoreOpeningError) in
                    try await new.store.renewSecrets(ofRecords: records)
                })
        }
        return faults.compactMap(\.self)
    }

    /// Offers the secrets of new settings to one store.
    private func offer(
        _ new: ServiceSettings,
        to setting: String,
        at address: String,
        newAddress: String,
        by renew: () async throws(ReplayStoreOpeningError) -> Void
    ) async -> SettingsFault? {
        guard (try? ReplayStoreAddress(address))?.isRedis == true else { return nil }
        guard address == newAddress else {
            return SettingsFault(
                .needsRestart, of: setting,
                detail: "is another server than the one in use, which does not get the new secrets: restart the service"
            )
        }
        do throws(ReplayStoreOpeningError) {
            try await renew()
            return nil
        } catch {
            return new.store.fault(error)
        }
    }
}
#endif
