#if Service
import BrokerClient
import EntitlementValues
import SealedRecords
import StoreAddresses

/// What the gateway has opened, which a reload keeps: the store of devices, and the way to the broker.
struct OpenedGateway: Sendable {
    let records: any RecordStore
    let transport: any HTTPTransport
    /// The way to services of the programmer's own.
    let services: any HTTPTransport
    /// What the broker's answers of late say about it.
    let health = BrokerHealth()
    /// Where the rate counters are: the store of devices if that is a server, else the memory of this process.
    let counts: any RecordStore

    /// The most counts that are kept in memory; while all of them last, further addresses have to wait.
    private static let countCapacity = 200_000

    /// Opens the store and the transport.
    ///
    /// - Parameters:
    ///   - settings: Name the store and the authorities.
    ///   - store: How a server is used.
    ///   - proxy: The proxy on the way to the broker, and to services of the programmer's own; `nil` for none.
    ///   - resources: What is used instead of the network and the store; `nil` for nothing.
    ///   - watch: Notices when the store fails; `nil` to leave that out.
    ///   - time: The time that the stores go by.
    ///   - faults: Takes what is wrong.
    ///   - onWarning: Takes what the store warns of, with its stable code.
    init?(
        _ settings: ServiceSettings.Gateway,
        store: ServiceSettings.Store,
        proxy: HTTPProxy?,
        resources: GatewayResources?,
        watch: StoreWatch?,
        time: TimeSource,
        faults: inout [SettingsFault],
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) {
        do throws(BrokerSettingsError) {
            services = try Self.transport(through: proxy)
            let network: any HTTPTransport =
                if let resources {
                    resources.transport
                } else if let file = settings.authorityFile {
                    try Self.transport(trusting: .file(file), through: proxy)
                } else {
                    services
                }
            self.transport = WatchedTransport(transport: network, health: health, time: time)
        } catch {
            faults.append(SettingsFault(setting: "broker.caFile", code: error.code, detail: error.description))
            return nil
        }
        do throws(ReplayStoreOpeningError) {
            let opened =
                if let records = resources?.records {
                    records
                } else {
                    try store.openRecords(at: settings.records, time: time, onWarning: onWarning)
                }
            records = opened.watched(by: watch)
        } catch {
            faults.append(SettingsFault(setting: "broker.store", code: error.code, detail: error.description))
            return nil
        }
        counts =
            settings.sharesCounters ? records : InMemoryRecordStore(capacity: Self.countCapacity, time: time)
    }

    private static func transport(
        trusting authorities: AsyncHTTPTransport.Authorities = .system,
        through proxy: HTTPProxy?
    ) throws(BrokerSettingsError) -> any HTTPTransport {
        guard proxy != nil || authorities != .system else { return AsyncHTTPTransport.shared }
        var settings = AsyncHTTPTransport.Settings()
        (settings.authorities, settings.proxy) = (authorities, proxy)
        return try AsyncHTTPTransport(settings)
    }
}
#endif
