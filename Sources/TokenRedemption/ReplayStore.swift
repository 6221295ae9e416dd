public import EntitlementValues

/// Remembers which tokens were spent.
///
/// A store of your own must answer `.first` to one redemption of an ID only, among all processes that share it, and remember
/// that at least until the given instant has passed by every clock that verifies. Where it cannot tell, it throws: a store
/// that guesses lets tokens pass twice.
public protocol ReplayStore: Sendable {
    /// Redeems an ID, atomically: of all callers anywhere that share the store, one is the first.
    ///
    /// - Parameters:
    ///   - id: What is redeemed.
    ///   - expiry: The instant until which the redemption must be remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification; in an archive long ago. A redemption must be
    ///     remembered for the time between the two at least, whatever the store's own clock says.
    /// - Returns: Whether this was the first redemption.
    /// - Throws: `ReplayStoreError` where the store cannot say; the redemption then counts as refused.
    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption
}

/// What a store says of a redemption.
public enum Redemption: Sendable, Hashable {
    /// Nobody redeemed the ID before.
    case first
    /// Somebody did.
    case seen
}

/// Says why a store could not answer.
@nonexhaustive
public enum ReplayStoreError: Error, Sendable, Hashable {
    /// The store holds as many live redemptions as it may.
    case full(capacity: Int)
    /// The store may have known the ID and forgotten it: redemptions that ended later than this one are dropped already, so the
    /// clock went back, or the redemption is an old one.
    case forgotten(until: Timestamp, forgottenThrough: Timestamp)
    /// The store did not answer, or not in a way that can be trusted; in words for people, without addresses' secrets.
    case unavailable(reason: String)
}

extension ReplayStoreError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .full(let capacity):
            "the store is full with \(capacity) live redemptions; give it a larger capacity"
        case .forgotten(let end, let through):
            "redemptions that ended up to \(through) are dropped, and this one ends at \(end); look at the clocks"
        case .unavailable(let reason): reason
        }
    }
}
