#if Service
import TokenRedemption
import EntitlementValues

/// A store whose redemptions are timed.
struct MeteredStore: ReplayStore {
    let store: any ReplayStore
    let metrics: ServiceMetrics

    /// Whether nobody waits for it.
    var isInMemory: Bool { store is InMemoryReplayStore }

    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        let start = ContinuousClock.now
        do throws(ReplayStoreError) {
            let redemption = try await store.redeem(id, until: expiry, at: now)
            metrics.countRedemption(start.duration(to: .now), failed: false)
            return redemption
        } catch {
            metrics.countRedemption(start.duration(to: .now), failed: true)
            throw error
        }
    }
}
#endif
