#if Redis
public import EntitlementKeys
public import EntitlementValues
import Synchronization
import TextCodecs
public import TokenRedemption

/// Remembers redeemed tokens in a Redis or Valkey server, for all hosts that share it.
///
/// A redemption is one command, `SET key 1 NX PX milliseconds`, so of all callers on all hosts exactly one is the
/// first. If anything fails, the token is refused: nothing is retried, and nothing is remembered in this process
/// instead. A redemption that was not answered may still have reached the server, and then its token is used.
///
/// The server measures the time of a redemption by its own clock, from the moment it arrives. If the clock of this
/// process goes back, a redemption that had ended before is refused for as long as this store exists.
///
/// Connections open with the first redemption, and again after they broke. After `fork`, a child needs a store of its
/// own.
public struct RedisReplayStore: ReplayStore, ProbedReplayStore {
    private let pool: RedisPool
    private let command: RedeemCommand
    private let clock: StoreClock
    private let process = ProcessGuard(isInUse: false)
    private let latest = LatestInstant()

    /// The longest time a redemption is remembered; tokens live for hours.
    public static let maximumLifetime = TimeToLive.hours(24 * 366)

    /// By how much a redemption is remembered longer, in case that the time of day is wrong: the maximum TTL of the
    /// standard policy, and the tolerances.
    private static let longestLeap = TimeToLive.hours(25)

    /// How many bytes a reply may have: far more than a section of INFO.
    private static let maximumReply = 65_536

    /// Makes a store; connections open with the first redemption.
    ///
    /// - Parameters:
    ///   - address: The address of the server.
    ///   - password: The password of the address's user, or of the server's default user; `nil` for none.
    ///   - encryption: The files that an address of `rediss://` uses; they are read now.
    ///   - settings: How the server is used.
    ///   - time: Says how long a redemption lasts that is made as of another time, and measures the time limit.
    ///   - onWarning: Receives what about the server could let a used token pass again: after the first connection, and
    ///     again after the server was restarted. It runs on a thread of the store and should return soon.
    /// - Throws: `RedisConfigurationError.badFile`, only if the address asks for encryption.
    public init(
        _ address: RedisAddress,
        password: KeyPassword? = nil,
        encryption: RedisEncryption = .system,
        settings: RedisPoolSettings = .standard,
        time: TimeSource = .system,
        onWarning: @escaping @Sendable (RedisWarning) -> Void = { _ in }
    ) throws(RedisConfigurationError) {
        pool = RedisPool(
            address, access: try RedisAccess(password: password, encryption: encryption, for: address),
            settings: settings, maximumReply: Self.maximumReply, time: time, onWarning: onWarning)
        command = RedeemCommand(prefix: settings.prefix)
        clock = StoreClock(time)
    }

    /// Redeems an ID: of all callers on all hosts, one is the first.
    ///
    /// - Parameters:
    ///   - id: The ID of the token.
    ///   - expiry: The instant until which the redemption must be remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification.
    /// - Returns: Whether this was the first redemption of the ID.
    /// - Throws: `ReplayStoreError.unavailable` if the server cannot be reached, does not answer within the time limit,
    ///   or answers anything but yes or no; if too many redemptions wait already; if the redemption would last longer
    ///   than 366 days. `ReplayStoreError.forgotten` if the redemption had ended before the clock went back.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        try process.check()
        let time = clock.read()
        // No token lives on during a longer leap, and a clock that was set right must not fill the server.
        let start = time.wall.since(time.sure) <= Self.longestLeap ? time.sure : time.wall
        try latest.check(expiry, at: time.wall, rememberedFrom: start)
        let wanted = RedemptionLifetime.end(until: expiry, at: now, clock: time.wall).since(time.wall)
        let lifetime = max(wanted, expiry.since(start))
        // Not cut down to the maximum: a shorter memory than was asked for would let the token pass again.
        guard lifetime > .zero, lifetime <= Self.maximumLifetime else {
            throw .unavailable(reason: "a redemption cannot be remembered for \(lifetime)")
        }
        return try await set(id, for: lifetime)
    }

    /// Finds out whether the server would redeem a token, by an ID that it keeps for a second.
    ///
    /// Throws `.unavailable`, as a redemption would.
    package func probe() async throws(ReplayStoreError) {
        try process.check()
        _ = try await set(try .random(), for: .seconds(1))
    }

    private func set(_ id: ReplayID, for lifetime: TimeToLive) async throws(ReplayStoreError) -> Redemption {
        let bytes = command.encode(id, milliseconds: lifetime.milliseconds)
        let reply = try await rethrowing(
            awaiting: await pool.ask(bytes, expecting: RedeemCommand.replies), as: unavailable)
        return reply == .okay ? .first : .seen
    }

    /// Connects to the server once and looks for settings that could let a used token pass again.
    ///
    /// Call it when a service starts, or for a check by hand; redemptions do not need it.
    ///
    /// - Returns: What is not as it should be; empty if all is well.
    /// - Throws: `ReplayStoreError.unavailable` if the server would not redeem tokens.
    public func inspect() async throws(ReplayStoreError) -> Set<RedisWarning> {
        try process.check()
        return try await rethrowing(awaiting: await pool.inspect(), as: unavailable)
    }

    /// Takes another password, or other certificates, into use, without losing a redemption.
    ///
    /// The server is asked first. If it accepts them, each connection is replaced before its next redemption. If it
    /// does not, or cannot be reached, the former ones stay in use, and the new ones are tried once the server refuses
    /// those: so a password may be changed on the server before or after it is changed here.
    ///
    /// - Parameters:
    ///   - password: The new password; `nil` for none.
    ///   - encryption: The files that an address of `rediss://` uses; they are read again.
    /// - Throws: `RedisReloadError`: a file that cannot be used, which changes nothing; or the server's refusal.
    public func use(
        password: KeyPassword?,
        encryption: RedisEncryption = .system
    ) async throws(RedisReloadError) {
        try await pool.use(password: password, encryption: encryption)
    }

    private func unavailable(_ failure: RedisFailure) -> ReplayStoreError {
        .unavailable(reason: "\(pool.connector.address) \(failure)")
    }
}

extension RedisReplayStore: CustomStringConvertible, CustomReflectable {
    /// The address, without user and password.
    public var description: String { "\(pool.connector.address)" }
    /// Empty, so that dumps show no more than the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Notices a clock that goes back.
private final class LatestInstant: Sendable {
    private let latest = Atomic(Int64.min)

    /// Refuses a redemption that is live now and had ended before the clock went back: the server may have dropped it.
    ///
    /// The error is `.forgotten`. `start` is the instant from which the server remembers the redemption: the sure time,
    /// or the time of day.
    ///
    /// A redemption that has ended by the time of day comes from an archive and is allowed: the server does not know
    /// either way what it dropped.
    func check(_ expiry: Timestamp, at now: Timestamp, rememberedFrom start: Timestamp) throws(ReplayStoreError) {
        let latest = Timestamp(milliseconds: latest.max(start.milliseconds, ordering: .relaxed).newValue)
        guard expiry <= now || expiry > latest else { throw .forgotten(until: expiry, forgottenThrough: latest) }
    }
}

/// Encodes the command that redeems an ID: `SET prefix:digest 1 NX PX milliseconds`.
struct RedeemCommand: Sendable {
    private let start: [UInt8]
    private static let middle = RedisCommand.lineEnd + ["1", "NX", "PX"].flatMap(RedisCommand.word)
    /// The answers: the key was set, or it exists.
    static let replies: RedisReply.Kinds = [.okay, .null]

    init(prefix: String) {
        start =
            RedisCommand.header("*", 6) + RedisCommand.word("SET")
            + RedisCommand.header("$", prefix.utf8.count + 64) + prefix.utf8
    }

    func encode(_ id: ReplayID, milliseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(start.count + 64 + Self.middle.count + 24)
        bytes += start
        bytes += Hex.encode(id.bytes).utf8
        bytes += Self.middle
        bytes += RedisCommand.word("\(milliseconds)")
        return bytes
    }
}
#endif
