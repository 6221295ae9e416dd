#if Service
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import HostSystem
import Instrumentation
import Logging
import PlaybackSessions
import SealedRecords
package import Synchronization
import TokenRedemption

/// The state that the listeners share: configuration, stores, gateway and metrics.
package final class ServiceState: Sendable {
    let source: SettingsSource?
    let store: MeteredStore?
    /// `nil` if sessions cannot be revoked.
    var registry: SessionRegistry? { stores.registry }
    let metrics: ServiceMetrics
    let history = StatusHistory()
    let logger: Logger
    /// Keeps a flood of refusals from filling the log.
    let refusalSampling: RefusalSampling
    let storeHealth: StoreHealth
    let batches: BatchPlaces
    package let publicConnections: ConnectionCount
    let internalConnections: ConnectionCount
    /// `nil` if decryption has no listener of its own.
    let decryptionConnections: ConnectionCount?
    let time: TimeSource
    let started: Timestamp
    /// Whether a tracer is installed; the application must install it before it makes the service.
    let isTraced: Bool

    /// The stores as they were opened, for reloads.
    let stores: OpenedStores
    private let draining = Atomic(false)
    /// The states of the files with the secrets that all stores on servers use.
    let storeStampsInUse: Mutex<[FileStamp]>
    /// What the gateway keeps over reloads; `nil` if the service is not one.
    package let runtime: GatewayRuntime?
    private let used: Mutex<InUse>
    /// Since when every changed configuration was refused, as uptime; `nil` if the last one was taken.
    let refusedSince = Mutex<Duration?>(nil)
    /// Slows down those who try out ciphertexts.
    let decryptionThrottle: FailureThrottle
    /// Slows down those who try out secrets.
    let secretThrottle: FailureThrottle
    /// The last reload, which may still be running.
    package let lastReload = Mutex<Task<Void, Never>?>(nil)

    /// What requests are answered with: the gateway is that of the configuration.
    package struct InUse: Sendable {
        package let configuration: ActiveConfiguration
        /// `nil` if the service is not one.
        package let gateway: Gateway?
    }

    init(
        _ configuration: ActiveConfiguration,
        source: SettingsSource?,
        stores: OpenedStores,
        watches: StoreWatches,
        metrics: ServiceMetrics,
        logger: Logger,
        time: TimeSource
    ) throws(SealingError) {
        storeStampsInUse = Mutex(configuration.storeStamps)
        storeHealth = StoreHealth(of: stores, watches: watches, time: time)
        batches = BatchPlaces(metrics: metrics)
        let settings = configuration.settings
        let hasDecryption = settings.decryption?.listener != nil
        let counting = { (listener: ConnectionCount.Listener) in
            ConnectionCount(
                of: listener, limit: settings.limits.connections, among: hasDecryption ? 3 : 2, logger: logger,
                time: time)
        }
        publicConnections = counting(.public)
        internalConnections = counting(.internal)
        decryptionConnections = hasDecryption ? counting(.decryption) : nil
        store = stores.redemptions.map { MeteredStore(store: $0, metrics: metrics, watch: watches.redemptions) }
        runtime = GatewayRuntime(
            on: stores, of: configuration, redemptions: store, metrics: metrics, logger: logger, time: time)
        let gateway = try Gateway(of: configuration, in: runtime)
        used = Mutex(InUse(configuration: configuration, gateway: gateway))
        runtime?.gateway = gateway
        self.source = source
        self.stores = stores
        self.metrics = metrics
        self.logger = logger
        refusalSampling = RefusalSampling(perSecond: configuration.settings.log.refusalsPerSecond)
        self.time = time
        decryptionThrottle = FailureThrottle(time: time)
        secretThrottle = FailureThrottle(time: time)
        started = time.now
        isTraced = !(InstrumentationSystem.instrument is NoOpInstrument)
    }

    /// The configuration and its gateway; a request takes the two together, and keeps those it began with.
    package var inUse: InUse { used.withLock { $0 } }

    /// The keys and rules in use.
    var configuration: ActiveConfiguration { inUse.configuration }

    /// The gateway in use; `nil` if the service is not one.
    package var gateway: Gateway? { inUse.gateway }

    /// Takes a configuration that was read again into use.
    ///
    /// The sessions of the old gateway's devices end once the requests that use them had time to.
    func use(_ configuration: ActiveConfiguration) throws(SealingError) {
        let new = try Gateway(of: configuration, in: runtime, replacing: gateway)
        let old = used.withLock { used in
            defer { used = InUse(configuration: configuration, gateway: new) }
            // What is done later goes to the new one, before the old one ends its sessions.
            runtime?.gateway = new
            return used.gateway
        }
        guard let old else { return }
        let limit = Duration.seconds(configuration.settings.limits.requestSeconds)
        // From the reload on, and not from when the task begins, which a busy machine puts off.
        let end = time.uptime + limit
        Task { [time] in
            try? await time.sleep(untilUptime: end)
            await old.drain(within: limit)
        }
    }

    /// Takes a configuration into use without a gateway of its own: the one in use goes on.
    func useWithoutGateway(_ configuration: ActiveConfiguration) {
        used.withLock { $0 = InUse(configuration: configuration, gateway: $0.gateway) }
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }
    func startDraining() { draining.store(true, ordering: .relaxed) }
}

extension ServiceState {
    /// The names of the reasons why an instance is not ready, as openapi.yaml lists them.
    package enum ReadinessCode: String, CaseIterable {
        case draining
        case noKeys = "no_keys"
        case keysExpired = "keys_expired"
        case configurationRefused = "configuration_refused"
        case storeUnavailable = "store_unavailable"
        case devicesUnavailable = "devices_unavailable"
    }

    /// The reasons why this instance is not ready; empty if it is.
    ///
    /// `readiness` says when a store that fails counts.
    func reasons(countingStore readiness: StoreHealth.Readiness) async -> [(code: String, detail: String)] {
        var reasons: [(code: String, detail: String)] = []
        func add(_ code: ReadinessCode, _ detail: String) { reasons.append((code.rawValue, detail)) }
        if isDraining { add(.draining, "the service is stopping") }
        if configuration.keys.keys.isEmpty {
            add(.noKeys, "all keys were taken away or revoked, so no token can be verified")
        } else if !configuration.hasCurrentKey(at: time.now) {
            add(.keysExpired, "the certificates of all keys are expired")
        }
        if configuration.lacksSessionKeys {
            add(.noKeys, "no key is left that can sign playback sessions, so no session starts and none passes")
        }
        if let grace = configuration.settings.refusedGrace, let since = refusedSince.withLock({ $0 }),
            time.uptime - since >= grace
        {
            add(.configurationRefused, "the changed configuration is refused; \(configuration.remainder)")
        }
        let storeGrace = configuration.settings.storeGrace
        if let fault = await storeHealth.fault(counting: readiness, grace: storeGrace) {
            add(.storeUnavailable, fault)
        }
        if let fault = await gateway?.keyFault() { add(.devicesUnavailable, fault.description) }
        return reasons
    }
}
#endif
