#if Service
import TokenRedemption
import EntitlementValues

/// Passes calls on to a store, and reports to the metrics how long each took and whether it failed.
struct MeteredStore: ReplayStore {
    let store: any ReplayStore
    let metrics: ServiceMetrics

    /// Whether it answers without waiting for a file or a server.
    var isInMemory: Bool { store is InMemoryReplayStore }

    func claim(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> ReplayClaim {
        let start = ContinuousClock.now
        do throws(ReplayStoreError) {
            let claim = try await store.claim(id, until: expiry, at: now)
            metrics.countClaim(taking: start.duration(to: .now), failed: false)
            return claim
        } catch {
            metrics.countClaim(taking: start.duration(to: .now), failed: true)
            throw error
        }
    }
}
#endif
