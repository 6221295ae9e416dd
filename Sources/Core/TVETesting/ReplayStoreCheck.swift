public import EntitlementValues
import OpenSSLBridge
public import TokenRedemption

/// Checks that a store of your own keeps the promises of `ReplayStore`.
///
/// ```swift
/// let faults = try await ReplayStoreCheck().faults(of: store, sharedWith: [sameStoreOfAnotherProcess])
/// assert(faults.isEmpty, "\(faults)")
/// ```
///
/// It redeems some hundred random IDs that no token has, of which the last ends after a minute. What it cannot check is
/// what the store remembers after a crash, a failover, or an error of its clock.
public struct ReplayStoreCheck: Sendable {
    private let now: Timestamp
    private let callers: Int

    /// Prepares a check.
    ///
    /// - Parameters:
    ///   - now: The time of day, as the store sees it.
    ///   - callers: How many callers redeem one ID at the same time; at least 2.
    public init(at now: Timestamp = .now, callers: Int = 64) {
        self.now = now
        self.callers = max(2, callers)
    }

    /// Checks a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - others: Other ways to the same store, such as connections of other processes.
    /// - Returns: The promises that the store broke, each once; none if it kept all.
    /// - Throws: `ReplayStoreError` if the store does not answer.
    public func faults(
        of store: some ReplayStore,
        sharedWith others: [any ReplayStore] = []
    ) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        let stores: [any ReplayStore] = [store] + others
        var faults: [ReplayStoreFault] = []
        try await faults += redeemingInTurn(stores)
        try await faults += redeemingSimilarIDs(store)
        try await faults += redeemingForLonger(store)
        try await faults += redeemingOfLongAgo(store)
        try await faults += redeemingAtOnce(stores)
        return ReplayStoreFault.allCases.filter(faults.contains)
    }

    /// Redeems IDs in one of the stores first, and then in all of them.
    private func redeemingInTurn(_ stores: [any ReplayStore]) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        var faults: [ReplayStoreFault] = []
        for (first, store) in stores.enumerated() {
            let id = try randomID()
            if try await redeem(id, store) == .seen { faults.append(.newIDIsSeen) }
            for (second, store) in stores.enumerated() {
                guard try await redeem(id, store) == .first else { continue }
                faults.append(first == second ? .secondIsFirst : .notShared)
            }
        }
        return faults
    }

    /// Redeems IDs that differ from a used one in one byte, at every place.
    private func redeemingSimilarIDs(_ store: some ReplayStore) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        let used = try randomBytes()
        _ = try await redeem(try id(of: used), store)
        for place in used.indices {
            var similar = used
            similar[place] ^= 0x20
            if try await redeem(try id(of: similar), store) == .seen { return [.similarIDIsSeen] }
        }
        return []
    }

    /// Redeems an ID again, for a time that ends later, and once more for one that ends earlier.
    private func redeemingForLonger(_ store: some ReplayStore) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        let id = try randomID()
        let ends: [TimeToLive] = [.seconds(30), .seconds(60), .seconds(10)]
        for (index, end) in ends.enumerated() {
            let isFirst = try await store.redeem(id, until: now + end, at: now) == .first
            if isFirst != (index == 0) { return [isFirst ? .otherEndIsFirst : .newIDIsSeen] }
        }
        return []
    }

    /// Redeems an ID of an archive: its end has passed, and it must be remembered all the same.
    private func redeemingOfLongAgo(_ store: some ReplayStore) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        let id = try randomID()
        let past = now - .days(400)
        do throws(ReplayStoreError) {
            _ = try await store.redeem(id, until: past + .minutes(22), at: past)
            let second = try await store.redeem(id, until: past + .minutes(22), at: past)
            return second == .first ? [.archiveIsForgotten] : []
        } catch {
            // A store may say that it can have forgotten the ID.
            guard case .forgotten = error else { throw error }
            return []
        }
    }

    /// Redeems IDs by many callers at the same time.
    private func redeemingAtOnce(_ stores: [any ReplayStore]) async throws(ReplayStoreError) -> [ReplayStoreFault] {
        for _ in 0..<4 {
            let id = try randomID()
            let answers = await withTaskGroup(of: Result<Redemption, ReplayStoreError>.self) { group in
                for caller in 0..<callers {
                    let store = stores[caller % stores.count]
                    group.addTask { await answer(id, store) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var firsts = 0
            for answer in answers where try answer.get() == .first { firsts += 1 }
            if firsts != 1 { return [firsts == 0 ? .noneIsFirst : .severalAreFirst] }
        }
        return []
    }

    // MARK: Steps

    private func redeem(_ id: ReplayID, _ store: some ReplayStore) async throws(ReplayStoreError) -> Redemption {
        try await store.redeem(id, until: now + .seconds(60), at: now)
    }

    private func answer(_ id: ReplayID, _ store: some ReplayStore) async -> Result<Redemption, ReplayStoreError> {
        do throws(ReplayStoreError) {
            return .success(try await redeem(id, store))
        } catch {
            return .failure(error)
        }
    }

    private func randomID() throws(ReplayStoreError) -> ReplayID { try id(of: randomBytes()) }

    private func randomBytes() throws(ReplayStoreError) -> [UInt8] {
        guard let bytes = try? OpenSSLBridge.randomBytes(32) else {
            throw .unavailable(reason: "libcrypto gave no random bytes")
        }
        return bytes
    }

    private func id(of bytes: [UInt8]) throws(ReplayStoreError) -> ReplayID {
        guard let id = ReplayID(digest: bytes) else { throw .unavailable(reason: "libcrypto gave too few bytes") }
        return id
    }
}

/// A promise of `ReplayStore` that a store broke.
@nonexhaustive
public enum ReplayStoreFault: String, Sendable, Hashable, CaseIterable {
    /// An ID that was never redeemed is called seen: good tokens are refused.
    case newIDIsSeen = "new_id_is_seen"
    /// An ID that differs from a used one in one bit is called seen: the store does not compare all 32 bytes.
    case similarIDIsSeen = "similar_id_is_seen"
    /// An ID passes a second time.
    case secondIsFirst = "second_is_first"
    /// An ID passes a second time if it is redeemed until another instant: the instant must not be part of the key.
    case otherEndIsFirst = "other_end_is_first"
    /// An ID passes once in each of the stores: they do not share what they know.
    case notShared = "not_shared"
    /// Of many callers at the same time several are the first: looking and noting is not one step.
    case severalAreFirst = "several_are_first"
    /// Of many callers at the same time none is the first.
    case noneIsFirst = "none_is_first"
    /// An ID of an archive passes a second time, because its end has passed already. It must be remembered for as long
    /// as from the instant of the redemption to its end; `RedemptionLifetime` calculates until when.
    case archiveIsForgotten = "archive_is_forgotten"
}
