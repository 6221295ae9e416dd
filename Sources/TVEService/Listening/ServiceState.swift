#if Service
import BrokerMessages
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import HostSystem
import Instrumentation
import Logging
import NIOCore
import PlaybackSessions
import SealedRecords
package import Synchronization
import TokenRedemption

/// The state that both listeners share: configuration, store, metrics, readiness, and the places of batches.
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
    /// Notice when stores fail.
    let watches: StoreWatches
    package let publicConnections: ConnectionCount
    let internalConnections: ConnectionCount
    /// `nil` if decryption has no listener of its own.
    let decryptionConnections: ConnectionCount?
    let time: TimeSource
    let started: Timestamp
    /// Whether a tracer is installed; the application must install it before it makes the service.
    let isTraced: Bool

    /// The stores as they were opened, for readiness probes and reloads.
    let stores: OpenedStores
    let current: Mutex<ActiveConfiguration>
    private let draining = Atomic(false)
    /// The running batches, by the network that they come from.
    private let batches = Mutex<[String: Int]>([:])
    private let storeProbe = Mutex(StoreProbe())
    /// The states of the files with the secrets that all stores on servers use.
    let storeStampsInUse: Mutex<[FileStamp]>
    /// What the gateway keeps over reloads.
    let gatewayContext: GatewayContext
    private let currentGateway: Mutex<Gateway?>
    /// Since when every changed configuration was refused, as uptime; `nil` if the last one was taken.
    let refusedSince = Mutex<Duration?>(nil)
    /// Slows down those who try out ciphertexts.
    let decryptionBrake: FailureBrake
    /// Slows down those who try out secrets.
    let secretBrake: FailureBrake
    /// The last reload, which may still be running.
    package let lastReload = Mutex<Task<Void, Never>?>(nil)

    init(
        _ configuration: ActiveConfiguration,
        source: SettingsSource?,
        stores: OpenedStores,
        watches: StoreWatches,
        metrics: ServiceMetrics,
        logger: Logger,
        time: TimeSource
    ) throws(SealingError) {
        current = Mutex(configuration)
        storeStampsInUse = Mutex(configuration.storeStamps)
        self.watches = watches.over(stores)
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
        gatewayContext = GatewayContext(
            of: configuration, redemptions: store, metrics: metrics, logger: logger, time: time)
        currentGateway = Mutex(try Gateway(of: configuration, stores: stores, in: gatewayContext))
        self.source = source
        self.stores = stores
        self.metrics = metrics
        self.logger = logger
        refusalSampling = RefusalSampling(perSecond: configuration.settings.log.refusalsPerSecond)
        self.time = time
        decryptionBrake = FailureBrake(time: time)
        secretBrake = FailureBrake(time: time)
        started = time.now
        isTraced = !(InstrumentationSystem.instrument is NoOpInstrument)
        stores.gateway?.keeper.gateway = gateway
    }

    /// The keys and rules in use; a request keeps those it began with.
    var configuration: ActiveConfiguration { current.withLock { $0 } }

    /// The gateway; `nil` if the service is not one.
    ///
    /// A request keeps the one it began with.
    package var gateway: Gateway? { currentGateway.withLock { $0 } }

    /// Takes a configuration that was read again into use.
    ///
    /// The sessions of the old gateway's devices end once the requests that use them had time to.
    func use(_ configuration: ActiveConfiguration) throws(SealingError) {
        let new = try Gateway(of: configuration, stores: stores, in: gatewayContext, replacing: gateway)
        current.withLock { $0 = configuration }
        let old = currentGateway.withLock { gateway in
            defer { gateway = new }
            return gateway
        }
        stores.gateway?.keeper.gateway = new
        guard let old else { return }
        let limit = Duration.seconds(configuration.settings.limits.requestSeconds)
        Task { [time] in
            try? await time.sleep(untilUptime: time.uptime + limit)
            await old.drain(within: limit)
        }
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }
    func startDraining() { draining.store(true, ordering: .relaxed) }

    // MARK: Readiness

    /// The names of the reasons why an instance is not ready, as openapi.yaml lists them.
    package enum ReadinessCode: String, CaseIterable {
        case draining
        case noKeys = "no_keys"
        case keysExpired = "keys_expired"
        case configurationRefused = "configuration_refused"
        case storeUnavailable = "store_unavailable"
        case devicesUnavailable = "devices_unavailable"
    }

    /// When a store that fails counts as a reason.
    enum StoreReadiness {
        /// Once it has failed for the grace time of the settings: a short stall would otherwise take down what needs no
        /// store, such as playback sessions, on all replicas at once.
        case afterGrace
        /// At once.
        case now
    }

    /// The reasons why this instance is not ready.
    ///
    /// - Parameter readiness: When a store that fails counts.
    /// - Returns: The reasons; empty if the instance is ready.
    func reasons(countingStore readiness: StoreReadiness) async -> [(code: String, detail: String)] {
        var reasons: [(code: String, detail: String)] = []
        func add(_ code: ReadinessCode, _ detail: String) { reasons.append((code.rawValue, detail)) }
        if isDraining { add(.draining, "the service is stopping") }
        if configuration.keys.keys.isEmpty {
            add(.noKeys, "all keys were taken away or revoked, so no token can be verified")
        } else if !configuration.hasCurrentKey(at: time.now) {
            add(.keysExpired, "the certificates of all keys are expired")
        }
        if let grace = configuration.settings.refusedGrace, let since = refusedSince.withLock({ $0 }),
            time.uptime - since >= grace
        {
            add(.configurationRefused, "the changed configuration is refused, and the old one is still in use")
        }
        if let fault = await storeFault(counting: readiness) { add(.storeUnavailable, fault) }
        if let fault = await gateway?.keyFault() { add(.devicesUnavailable, fault.description) }
        return reasons
    }

    /// What is known of the store, shared by all requests that ask for it.
    private struct StoreProbe {
        /// The probe that runs, or the last one.
        var task: Task<String?, Never>?
        /// When the last probe ended, as uptime; `nil` while one runs.
        var end: Duration?
        /// When the first of the probes that have failed without a good one in between began, as uptime.
        var failingSince: Duration?
    }

    /// Why the store cannot redeem tokens, if that counts; `nil` if the store can.
    ///
    /// A probe is waited for only if its result matters, so a store that stalls does not slow down a balancer's question
    /// during the grace time.
    private func storeFault(counting readiness: StoreReadiness) async -> String? {
        guard let probed = stores.redemptions else { return nil }
        switch readiness {
        case .now:
            return await probe(probed).task?.value
        case .afterGrace:
            guard let grace = configuration.settings.storeGrace else { return nil }
            let probe = probe(probed)
            let hasLasted = probe.failingSince.map { time.uptime - $0 >= grace } ?? false
            guard hasLasted || grace == .zero else { return nil }
            return await probe.task?.value
        }
    }

    /// Begins a probe of the store unless one is running or has just ended: there is one at a time, and one a second.
    private func probe(_ store: any ProbedReplayStore) -> StoreProbe {
        storeProbe.withLock { probe in
            let start = time.uptime
            if probe.task != nil, probe.end.map({ start - $0 < .seconds(1) }) ?? true { return probe }
            probe.end = nil
            probe.task = Task {
                let fault = await self.fault(of: store)
                self.storeProbe.withLock { probe in
                    probe.end = self.time.uptime
                    probe.failingSince = fault == nil ? nil : probe.failingSince ?? start
                }
                return fault
            }
            return probe
        }
    }

    /// Asks the store of used tokens, so that an outage and its end are noticed also while nobody uses it.
    ///
    /// Stores of records are asked only while they fail: what uses them notices the beginning.
    func watchStores() {
        if let store = stores.redemptions { _ = probe(store) }
        let records = [(watches.sessions, stores.records), (watches.devices, stores.gateway?.records)]
        for (watch, store) in records where watch.isFailing {
            // No record has this key: keys are digests.
            guard let store, let key = RecordKey(Array(repeating: 0, count: RecordKey.length)) else { continue }
            Task { _ = try? await store.version(at: key) }
        }
    }

    private func fault(of store: any ProbedReplayStore) async -> String? {
        do throws(ReplayStoreError) {
            try await store.probe()
            watches.redemptions.noteAnswer()
            return nil
        } catch {
            watches.redemptions.note(error)
            return error.description
        }
    }

    // MARK: Batches

    /// The place of a running batch, or of another request that is as much work.
    ///
    /// It also measures a batch, whose rows are answered after its response has begun, until the place is released.
    final class BatchPlace: Sendable {
        private let state: ServiceState
        private let start = ContinuousClock.now
        private let endpoint: Endpoint
        private let network: String

        fileprivate init(_ state: ServiceState, for endpoint: Endpoint, from network: String) {
            self.state = state
            self.endpoint = endpoint
            self.network = network
        }

        deinit {
            state.batches.withLock { batches in
                let left = (batches[network] ?? 1) - 1
                batches[network] = left > 0 ? left : nil
            }
            guard endpoint == .verifyBatch else { return }
            state.metrics.end(.verifyBatch, status: 200, duration: start.duration(to: .now))
        }
    }

    /// Takes the place of a batch.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the request.
    ///   - channel: The connection of the request; its other end is the address that places are counted by.
    /// - Returns: The place, which is free again when the object is released.
    /// - Throws: `RequestError.busy` or `.busyForAddress` if all places are taken.
    func takeBatchPlace(for endpoint: Endpoint, on channel: any Channel) throws(RequestError) -> BatchPlace {
        let network = (try? ClientAddress(channel.remoteAddress?.ipAddress ?? ""))?.countedNetwork ?? ""
        let limits = configuration.settings.limits
        let refusal: RequestError? = batches.withLock { batches in
            if batches.values.reduce(0, +) >= limits.batches { return .busy }
            if batches[network, default: 0] >= limits.batchesPerAddress { return .busyForAddress }
            batches[network, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
        return BatchPlace(self, for: endpoint, from: network)
    }
}
#endif
