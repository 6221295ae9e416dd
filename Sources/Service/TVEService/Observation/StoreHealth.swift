#if Service
import EntitlementValues
import SealedRecords
import Synchronization
import TokenRedemption

/// Asks the stores of a service whether they answer.
final class StoreHealth: Sendable {
    /// When a store that fails counts as a reason why an instance is not ready.
    enum Readiness {
        /// Once it has failed for the grace time of the settings: a short stall would otherwise take down what needs no
        /// store, such as playback sessions, on all replicas at once.
        case afterGrace
        /// At once.
        case now
    }

    /// What is known of the store, shared by all requests that ask for it.
    private struct Probe {
        /// The probe that runs, or the last one.
        var task: Task<String?, Never>?
        /// When the last probe ended, as uptime; `nil` while one runs.
        var end: Duration?
        /// When the first of the probes that have failed without a good one in between began, as uptime.
        var failingSince: Duration?
    }

    /// Notice when stores fail.
    let watches: StoreWatches
    private let stores: OpenedStores
    private let time: TimeSource
    private let lastProbe = Mutex(Probe())

    init(of stores: OpenedStores, watches: StoreWatches, time: TimeSource) {
        (self.stores, self.watches, self.time) = (stores, watches.over(stores), time)
    }

    /// Why the store cannot redeem tokens, if that counts; `nil` if the store can.
    ///
    /// A probe is waited for only if its result matters, so a store that stalls does not slow down a balancer's question
    /// during the grace time.
    ///
    /// `readiness` says when a store that fails counts. `grace` is how long it may fail until it counts `afterGrace`;
    /// `nil` if it never does. The text says what is wrong, for people.
    func fault(counting readiness: Readiness, grace: Duration?) async -> String? {
        guard let probed = stores.redemptions else { return nil }
        switch readiness {
        case .now:
            return await probe(probed).task?.value
        case .afterGrace:
            guard let grace else { return nil }
            let probe = probe(probed)
            let hasLasted = probe.failingSince.map { time.uptime - $0 >= grace } ?? false
            guard hasLasted || grace == .zero else { return nil }
            return await probe.task?.value
        }
    }

    /// Begins a probe of the store unless one is running or has just ended: there is one at a time, and one a second.
    private func probe(_ store: any ProbedReplayStore) -> Probe {
        lastProbe.withLock { probe in
            let start = time.uptime
            if probe.task != nil, probe.end.map({ start - $0 < .seconds(1) }) ?? true { return probe }
            probe.end = nil
            probe.task = Task {
                let fault = await self.fault(of: store)
                self.lastProbe.withLock { probe in
                    probe.end = self.time.uptime
                    probe.failingSince = fault == nil ? nil : probe.failingSince ?? start
                }
                return fault
            }
            return probe
        }
    }

    /// Asks the store of used tokens, so that an outage and its end are noticed also while no request uses it.
    ///
    /// Stores of records are asked only while they fail: what uses them notices the beginning.
    func watch() {
        if let store = stores.redemptions { _ = probe(store) }
        let records = [(watches.sessions, stores.records), (watches.devices, stores.devices)]
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
}
#endif
