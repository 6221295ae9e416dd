#if CLI
import EntitlementValues
import MediaTokens
import RedisStores
import TokenRedemption

extension RedeemOptions {
    /// Checks that the store answers, by asking it as a redemption would; `nil` if no store was named.
    ///
    /// `form` is how a store that cannot be opened is reported.
    func examine(form: OutputForm) async -> Finding? {
        guard redeem != nil else { return nil }
        do {
            guard let store = try open() else { return nil }
            let warnings = try await warnings(store)
            try await store.probe()
            if isInMemory {
                return Finding(
                    severity: .warning, check: "store", detail: "a store in memory ends with its process",
                    advice: "use sqlite:PATH for several processes, redis:// for several hosts")
            }
            guard warnings.isEmpty else {
                return Finding(severity: .warning, check: "store", detail: warnings.joined(separator: "; "))
            }
            return Finding(severity: .ok, check: "store", detail: "the store of used tokens redeems tokens")
        } catch {
            if let failure = error as? CommandFailure { Console.report(failure, as: form) }
            let reason = (error as? ReplayStoreError)?.description ?? "it cannot be opened (see above)"
            return Finding(
                severity: .problem, check: "store", detail: "the store of used tokens does not answer: \(reason)",
                advice: "until it does, every token is refused")
        }
    }

    private func warnings(_ store: any ReplayStore) async throws -> [String] {
        #if Redis
        if let redis = store as? RedisReplayStore {
            return try await redis.inspect().map(\.description).sorted()
        }
        #endif
        return []
    }
}
#endif
