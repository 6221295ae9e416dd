#if Service
import EntitlementValues
import TokenRedemption

/// Passes calls on to a store, and reports how long each took and whether it failed.
///
/// Why the store did not answer is for the log alone: errors of requests go on to clients.
struct MeteredStore: ReplayStore {
    let store: any ReplayStore
    let metrics: ServiceMetrics
    let watch: StoreWatch

    /// Whether it answers without waiting for a file or a server.
    var isInMemory: Bool { store is InMemoryReplayStore }

    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        let start = ContinuousClock.now
        do throws(ReplayStoreError) {
            let redemption = try await store.redeem(id, until: expiry, at: now)
            metrics.countRedemption(taking: start.duration(to: .now), failed: false)
            watch.noteAnswer()
            return redemption
        } catch {
            metrics.countRedemption(taking: start.duration(to: .now), failed: true)
            watch.note(error)
            throw error.withoutCause
        }
    }
}
#endif
