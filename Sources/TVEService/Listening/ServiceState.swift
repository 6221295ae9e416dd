#if Service
import TokenRedemption
import EntitlementKeys
import EntitlementValues
import Instrumentation
import Logging
import MediaTokens
import Synchronization

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
    private let probed: (any ReplayStore)?
    private let current: Mutex<ActiveConfiguration>
    private let draining = Atomic(false)
    private let batches = Atomic(0)
    private let lastProbe = Mutex<Probe?>(nil)
    /// The last reload, which may still be running.
    private let lastReload = Mutex<Task<Void, Never>?>(nil)

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

    /// The reasons why this instance is not ready; empty if it is.
    func reasons() async -> [(code: String, detail: String)] {
        var reasons: [(code: String, detail: String)] = []
        if isDraining { reasons.append(("draining", "the service is stopping")) }
        if !configuration.hasCurrentKey(at: time.now) {
            reasons.append(("keys_expired", "the certificates of all keys are expired"))
        }
        if let fault = await storeFault() { reasons.append(("store_unavailable", fault)) }
        return reasons
    }

    /// A probe of the store, shared by all requests that ask for it while it runs and shortly after.
    private enum Probe {
        case running(Task<String?, Never>)
        case ended(atUptime: Duration, fault: String?)
    }

    /// Why the store cannot redeem tokens; `nil` if it can.
    ///
    /// The store is probed by one task at a time, and once a second at most.
    private func storeFault() async -> String? {
        guard let probed else { return nil }
        let probe = lastProbe.withLock { probe in
            switch probe {
            case .running: break
            case .ended(let end, _) where self.time.uptime - end < .seconds(1): break
            case .ended, nil:
                probe = .running(
                    Task {
                        let fault = await self.fault(of: probed)
                        self.lastProbe.withLock { $0 = .ended(atUptime: self.time.uptime, fault: fault) }
                        return fault
                    })
            }
            return probe
        }
        return switch probe {
        case .running(let task): await task.value
        case .ended(_, let fault): fault
        case nil: nil
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

    // MARK: Reloading

    /// Reads the configuration and all files again; if anything is wrong with them, the old configuration stays in use.
    ///
    /// Reloads run one after the other, so that a slow one cannot replace the result of a later one.
    func reload() async {
        let reload = lastReload.withLock { last in
            let earlier = last
            let reload = Task {
                await earlier?.value
                await self.readAgain()
            }
            last = reload
            return reload
        }
        await reload.value
    }

    private func readAgain() async {
        let now = time.now
        do throws(ServiceSettingsError) {
            let old = configuration
            let settings = try await source?.read() ?? old.settings
            let new = try ActiveConfiguration(settings, file: source?.file, replacing: old)
            if old.settings.needsRestart(for: settings) {
                logger.warning(
                    "reloaded in part: listeners, store, limits, times and log level change only after a restart")
            }
            current.withLock { $0 = new }
            metrics.countReload(isGood: true)
            history.setLastReload(at: now, faults: [])
            logger.notice("reloaded", metadata: ["keys": "\(new.keys.keys.count)"])
        } catch {
            metrics.countReload(isGood: false)
            history.setLastReload(at: now, faults: error.faults.map(\.description))
            for fault in error.faults {
                logger.error(
                    "not reloaded; the old keys and rules stay in use",
                    metadata: [
                        "setting": "\(fault.setting)", "code": "\(fault.code)", "detail": "\(fault.detail)",
                    ])
            }
        }
    }
}
#endif
