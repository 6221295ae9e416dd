#if Service
import TokenRedemption
import EntitlementValues

/// A store whose claims are timed.
struct MeteredStore: ReplayStore {
    let store: any ReplayStore
    let metrics: ServiceMetrics

    /// Whether nobody waits for it.
    var isInMemory: Bool { store is InMemoryReplayStore }

    func claim(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> ReplayClaim {
        let start = ContinuousClock.now
        do throws(ReplayStoreError) {
            let claim = try await store.claim(id, until: expiry, at: now)
            metrics.countClaim(start.duration(to: .now), failed: false)
            return claim
        } catch {
            metrics.countClaim(start.duration(to: .now), failed: true)
            throw error
        }
    }
}
#endif
