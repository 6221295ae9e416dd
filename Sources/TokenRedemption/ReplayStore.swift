public import EntitlementValues

/// Remembers which tokens were spent.
///
/// A store of your own must answer `.first` to one claim of an ID only, among all processes that share it, and remember
/// that at least until the given instant has passed by every clock that verifies. Where it cannot tell, it throws: a store
/// that guesses lets tokens pass twice.
public protocol ReplayStore: Sendable {
    /// Claims an ID, atomically: of all callers anywhere that share the store, one is the first.
    ///
    /// - Parameters:
    ///   - id: What is claimed.
    ///   - expiry: The instant until which the claim must be remembered at least.
    ///   - now: The instant of the claim, by the clock of the verification; in an archive long ago. A claim must be
    ///     remembered for the time between the two at least, whatever the store's own clock says.
    /// - Returns: Whether this was the first claim.
    /// - Throws: `ReplayStoreError` where the store cannot say; the claim then counts as refused.
    func claim(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> ReplayClaim
}

/// What a store says of a claim.
public enum ReplayClaim: Sendable, Hashable {
    /// Nobody claimed the ID before.
    case first
    /// Somebody did.
    case seen
}

/// Says why a store could not answer.
@nonexhaustive
public enum ReplayStoreError: Error, Sendable, Hashable {
    /// The store holds as many live claims as it may.
    case full(capacity: Int)
    /// The store may have known the ID and forgotten it: claims that ended later than this one are dropped already, so the
    /// clock went back, or the claim is an old one.
    case forgotten(until: Timestamp, forgottenThrough: Timestamp)
    /// The store did not answer, or not in a way that can be trusted; in words for people, without addresses' secrets.
    case unavailable(reason: String)
}

extension ReplayStoreError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .full(let capacity):
            "the store is full with \(capacity) live claims; give it a larger capacity"
        case .forgotten(let end, let through):
            "claims that ended up to \(through) are dropped, and this one ends at \(end); look at the clocks"
        case .unavailable(let reason): reason
        }
    }
}
