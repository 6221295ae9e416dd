#if Service
import EntitlementKeys
import EntitlementValues
import Instrumentation
import Logging
import MediaTokens
import Synchronization
import TokenRedemption

/// The state that both listeners share: configuration, store, metrics, readiness, and the places of batches.
final class ServiceState: Sendable {
    let source: SettingsSource?
    let store: MeteredStore?
    let metrics: ServiceMetrics
    let history = StatusHistory()
    let logger: Logger
    let time: TimeSource
    let started: Timestamp
    /// Whether a tracer is installed; the application must install it before it makes the service.
    let isTraced: Bool

    /// The unmetered store, for readiness probes.
    let probed: (any ReplayStore)?
    let current: Mutex<ActiveConfiguration>
    private let draining = Atomic(false)
    private let batches = Atomic(0)
    private let storeProbe = Mutex(StoreProbe())
    /// Whether the last attempt to read the secrets of the store again failed.
    let storeSecretsFailed = Atomic(false)
    /// The last reload, which may still be running.
    let lastReload = Mutex<Task<Void, Never>?>(nil)

    init(
        _ configuration: ActiveConfiguration,
        source: SettingsSource?,
        store: (any ReplayStore)?,
        metrics: ServiceMetrics,
        logger: Logger,
        time: TimeSource
    ) {
        current = Mutex(configuration)
        self.source = source
        probed = store
        self.store = store.map { MeteredStore(store: $0, metrics: metrics) }
        self.metrics = metrics
        self.logger = logger
        self.time = time
        started = time.now
        isTraced = !(InstrumentationSystem.instrument is NoOpInstrument)
    }

    /// The keys and rules in use; a request keeps those it began with.
    var configuration: ActiveConfiguration { current.withLock { $0 } }

    var isDraining: Bool { draining.load(ordering: .relaxed) }
    func startDraining() { draining.store(true, ordering: .relaxed) }

    // MARK: Verdicts

    /// Counts and logs an outcome; only the digest of what was presented is logged.
    func note(_ outcome: Outcome, at now: Timestamp) {
        metrics.count(outcome)
        history.count(outcome.status)
        guard outcome.grant == nil || logger.logLevel <= .debug else { return }
        let digest = outcome.digest
        // Computed, so that it is made only if the event is logged.
        var metadata: Logger.Metadata {
            [
                "status": "\(outcome.status.rawValue)", "code": "\(outcome.code)",
                "credential": "\(outcome.credential.rawValue)", "token": "\(digest ?? "none")",
            ]
        }
        if outcome.grant != nil {
            logger.debug("passed", metadata: metadata)
        } else {
            logger.info("refused", metadata: metadata)
            history.add(StatusHistory.Refusal(at: now, status: outcome.status, code: outcome.code, digest: digest))
        }
    }

    // MARK: Readiness

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
        if isDraining { reasons.append(("draining", "the service is stopping")) }
        if !configuration.hasCurrentKey(at: time.now) {
            reasons.append(("keys_expired", "the certificates of all keys are expired"))
        }
        if let fault = await storeFault(counting: readiness) { reasons.append(("store_unavailable", fault)) }
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
        guard let probed else { return nil }
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
    private func probe(_ store: any ReplayStore) -> StoreProbe {
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

    private func fault(of store: any ReplayStore) async -> String? {
        do throws(ReplayStoreError) {
            try await store.probe(at: time.now)
            return nil
        } catch {
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

        fileprivate init(_ state: ServiceState, for endpoint: Endpoint) {
            self.state = state
            self.endpoint = endpoint
        }

        deinit {
            state.batches.subtract(1, ordering: .relaxed)
            guard endpoint == .verifyBatch else { return }
            state.metrics.end(.verifyBatch, status: 200, duration: start.duration(to: .now))
        }
    }

    /// Takes the place of a batch.
    ///
    /// - Parameter endpoint: The endpoint of the request.
    /// - Returns: The place, which is free again when the object is released; `nil` if all are taken.
    func takeBatchPlace(for endpoint: Endpoint) -> BatchPlace? {
        guard batches.add(1, ordering: .relaxed).newValue <= configuration.settings.limits.batches else {
            batches.subtract(1, ordering: .relaxed)
            return nil
        }
        return BatchPlace(self, for: endpoint)
    }
}
#endif
