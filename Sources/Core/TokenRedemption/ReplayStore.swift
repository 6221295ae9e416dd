public import EntitlementValues
import OpenSSLBridge

/// Remembers which tokens were redeemed, so that each is accepted once.
///
/// A store of your own must answer `.first` to a single redemption of an ID, among all processes that share the store.
/// It must remember the ID at least until the given instant has passed by every clock that verifies. If it cannot tell
/// whether an ID was redeemed before, it throws: a store that guesses lets tokens pass twice.
public protocol ReplayStore: Sendable {
    /// Redeems an ID, atomically: of all callers that share the store, one is the first.
    ///
    /// - Parameters:
    ///   - id: The ID of the token.
    ///   - expiry: The instant until which the redemption must be remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification; for an archive, an instant long ago.
    ///     The redemption must also be remembered for as long as from `now` to `expiry`, measured by the store's own
    ///     clock.
    /// - Returns: Whether this was the first redemption of the ID.
    /// - Throws: `ReplayStoreError` if the store cannot tell; the token is then refused.
    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption
}

/// What a store answers to a redemption.
public enum Redemption: Sendable, Hashable {
    /// The ID was not redeemed before.
    case first
    /// The ID was redeemed before.
    case seen
}

/// The reason why a store could not answer.
@nonexhaustive
public enum ReplayStoreError: Error, Sendable, Hashable {
    /// The store holds as many live redemptions as it may.
    case full(capacity: Int)
    /// The store may have known the ID and forgotten it: it has dropped redemptions that ended later than this one.
    /// Either the clock went back, or the token is an old one.
    case forgotten(until: Timestamp, forgottenThrough: Timestamp)
    /// The store did not answer, or its answer cannot be trusted. The reason is for people, and holds no password.
    case unavailable(reason: String)
}

extension ReplayStoreError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .full(let capacity):
            "the store is full with \(capacity) live redemptions; give it a larger capacity"
        case .forgotten(let end, let through):
            "redemptions that ended up to \(through) are dropped, and this one ends at \(end); check the clocks"
        case .unavailable(let reason): reason
        }
    }
}

/// A store that can be asked whether it would redeem a token now.
///
/// A probe is not a redemption: it neither changes nor heeds what the store has forgotten. Otherwise probes that are
/// made while a clock is wrong would have redemptions refused once the clock is right again.
package protocol ProbedReplayStore: ReplayStore {
    /// Finds out whether the store would redeem a token now.
    ///
    /// Throws as a redemption would, but never `.forgotten`.
    func probe() async throws(ReplayStoreError)
}

extension ReplayID {
    /// An ID that no token has: 32 random bytes.
    ///
    /// Throws `.unavailable` if libcrypto gave none.
    package static func random() throws(ReplayStoreError) -> ReplayID {
        guard let bytes = try? randomBytes(32), let id = ReplayID(digest: bytes) else {
            throw .unavailable(reason: "libcrypto gave no random bytes")
        }
        return id
    }
}

/// Calculates how long a store with a clock of its own keeps a redemption.
///
/// Two clocks matter, that of the verification and that of the store, and both may be wrong. So a redemption is kept
/// until its end has passed by the store's clock, *and* as much time has passed there as the verification asked for.
/// Once a store drops redemptions, it refuses every unknown ID that ends no later than one of them, since the ID may
/// have been among them.
///
/// A store of your own notes what this returns beside each ID, and drops no ID before that instant.
public enum RedemptionLifetime: Sendable {
    /// An archive is verified as of long ago, in any order, and in less than a day.
    private static let archive = TimeToLive.hours(24)

    /// Finds the instant from which a redemption may be dropped.
    ///
    /// - Parameters:
    ///   - expiry: The end of the redemption, by the clock of the verification.
    ///   - now: The instant of the redemption, by the clock of the verification.
    ///   - clock: The instant of the redemption, by the clock of the store.
    /// - Returns: The instant, by the clock of the store.
    public static func end(until expiry: Timestamp, at now: Timestamp, clock: Timestamp) -> Timestamp {
        let wanted = expiry.since(now)
        let isArchive = expiry <= clock
        return max(expiry, clock + (isArchive ? max(wanted, archive) : wanted))
    }
}
