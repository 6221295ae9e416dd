#if Redis
public import TokenRedemption
public import EntitlementKeys
public import EntitlementValues
import Synchronization

/// Remembers spent tokens in a Redis or Valkey server, for all hosts that share it.
///
/// A redemption is one `SET key 1 NX PX milliseconds`, so of all callers anywhere exactly one is the first. Whatever goes
/// wrong, the redemption counts as refused: nothing is retried, and nothing is remembered in this process instead. A redemption
/// that got no answer may still have reached the server, and then its token is spent.
///
/// The server counts the time of a redemption by its own clock, from the moment it comes in. Where the clock of this process
/// goes back, a redemption that was over before is refused for as long as this store exists.
///
/// Connections open with the first redemption and again after they broke. After `fork`, a child needs a store of its own.
public struct RedisReplayStore: ReplayStore {
    private let pool: RedisPool
    private let clock: @Sendable () -> Timestamp
    private let process = ProcessGuard(isInUse: false)
    private let latest = LatestInstant()

    /// The longest time a redemption is remembered; tokens live for hours.
    public static let maximumLifetime = TimeToLive.hours(24 * 366)

    /// Describes a store; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - password: The password of the address's user, or of the server's default user; `nil` for none.
    ///   - settings: How the server is used.
    ///   - clock: What time it is, to see how long a redemption lasts that is made as of another time.
    ///   - onWarning: Is told what about the server could let a spent token pass again: at the first connection, and
    ///     once more when the server was started again. It runs on a thread of the store and should return soon.
    public init(
        _ address: RedisAddress,
        password: KeyPassword? = nil,
        settings: RedisPoolSettings = .standard,
        clock: @escaping @Sendable () -> Timestamp = { .now },
        onWarning: @escaping @Sendable (RedisWarning) -> Void = { _ in }
    ) {
        pool = RedisPool(address, password: password, settings: settings, onWarning: onWarning)
        self.clock = clock
    }

    /// Redeems an ID; see `ReplayStore`.
    ///
    /// - Parameters:
    ///   - id: What is redeemed.
    ///   - expiry: The instant until which the redemption is remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification.
    /// - Returns: Whether this was the first redemption.
    /// - Throws: `ReplayStoreError.unavailable` where the server cannot be reached, does not answer within the time
    ///   limit, or answers anything but yes or no; where too many redemptions wait already; where the redemption would last
    ///   longer than 366 days. `ReplayStoreError.forgotten` where the redemption was over before the clock went back.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        try process.check()
        let time = clock()
        try latest.check(time, expiry)
        let lifetime = RedemptionLifetime.end(until: expiry, at: now, clock: time).since(time)
        // A shorter memory than was asked for would let the token pass again, so there is no cutting down.
        guard lifetime > .zero, lifetime <= Self.maximumLifetime else {
            throw .unavailable(reason: "a redemption cannot be remembered for \(lifetime)")
        }
        let deadline = ContinuousClock.now + pool.settings.timeLimit.duration
        let answer = await withCheckedContinuation { continuation in
            pool.enqueue(
                PendingRedemption(
                    id: id, milliseconds: lifetime.milliseconds, deadline: deadline,
                    waiting: OneAnswer(continuation)))
        }
        return try answer.get()
    }

    /// Connects to the server once and looks for what could let a spent token pass again.
    ///
    /// For the start of a service, and for checks by hand; redemptions need no such call.
    ///
    /// - Returns: What is not as it should be; empty where all is well.
    /// - Throws: `ReplayStoreError.unavailable` where the server would not take redemptions.
    public func inspect() async throws(ReplayStoreError) -> Set<RedisWarning> {
        try process.check()
        return try await withCheckedContinuation { pool.inspect(OneAnswer($0)) }.get()
    }
}

extension RedisReplayStore: CustomStringConvertible, CustomReflectable {
    /// The address, without user and password.
    public var description: String { "\(pool.address)" }
    /// Empty: dumps show no more than the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Notices a clock that goes back, after which a store must not answer as before.
private final class LatestInstant: Sendable {
    private let latest = Atomic(Int64.min)

    /// Refuses what is live by the clock now and was over by the clock before: the server may have dropped it.
    ///
    /// What is over by the clock is an archive's, and is taken: the server does not remember what it dropped.
    func check(_ time: Timestamp, _ expiry: Timestamp) throws(ReplayStoreError) {
        let latest = Timestamp(milliseconds: latest.max(time.milliseconds, ordering: .relaxed).newValue)
        guard expiry <= time || expiry > latest else { throw .forgotten(until: expiry, forgottenThrough: latest) }
    }
}
#endif
