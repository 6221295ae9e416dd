#if Redis
public import EntitlementKeys
public import EntitlementValues
import Synchronization
public import TokenRedemption

/// Remembers redeemed tokens in a Redis or Valkey server, for all hosts that share it.
///
/// A redemption is one command, `SET key 1 NX PX milliseconds`, so of all callers on all hosts exactly one is the
/// first. If anything fails, the token is refused: nothing is retried, and nothing is remembered in this process
/// instead. A redemption that was not answered may still have reached the server, and then its token is used.
///
/// The server measures the time of a redemption by its own clock, from the moment it arrives. If the clock of this
/// process goes back, a redemption that the server may have dropped by then is refused for as long as this store exists.
///
/// Connections open with the first redemption, and again after they broke. After `fork`, a child needs a store of its
/// own.
public struct RedisReplayStore: ReplayStore, ProbedReplayStore {
    private let pool: RedisPool
    private let command: RedeemCommand
    private let clock: StoreClock
    private let process = ProcessGuard(isInUse: false)
    private let past = PastClocks()

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
    ///   than 366 days. `ReplayStoreError.forgotten` if the clock went back, and the server may have dropped the redemption.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        try process.check()
        let time = clock.read()
        // No token lives on during a longer leap, and a clock that was set right must not fill the server.
        let start = time.wall.since(time.sure) <= Self.longestLeap ? time.sure : time.wall
        try past.check(expiry, at: time, measuredFrom: start)
        let lifetime = time.lifetime(until: expiry, at: now, from: start)
        // Not cut down to the maximum: a shorter memory than was asked for would let the token pass again.
        guard lifetime > .zero, lifetime <= Self.maximumLifetime else {
            throw .unavailable(reason: "a redemption cannot be remembered for \(lifetime)")
        }
        return try await set(id, for: lifetime)
    }

    /// Finds out whether the server would redeem a token, by an ID that it keeps for a second.
    ///
    /// - Throws: `ReplayStoreError.unavailable`, as a redemption would.
    package func probe() async throws(ReplayStoreError) {
        try process.check()
        _ = try await set(try .random(), for: .seconds(1))
    }

    private func set(_ id: ReplayID, for lifetime: TimeToLive) async throws(ReplayStoreError) -> Redemption {
        let bytes = command.encode(id, milliseconds: lifetime.milliseconds)
        do throws(RedisFailure) {
            return try await pool.ask(bytes, expecting: RedeemCommand.replies) == .okay ? .first : .seen
        } catch {
            throw unavailable(error)
        }
    }

    /// Connects to the server once and looks for settings that could let a used token pass again.
    ///
    /// Call it when a service starts, or for a check by hand; redemptions do not need it.
    ///
    /// - Returns: What is not as it should be; empty if all is well.
    /// - Throws: `ReplayStoreError.unavailable` if the server would not redeem tokens.
    public func inspect() async throws(ReplayStoreError) -> Set<RedisWarning> {
        try process.check()
        do throws(RedisFailure) {
            return try await pool.inspect()
        } catch {
            throw unavailable(error)
        }
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

/// Knows which redemptions the server may have dropped although, by the time of day now, they have not ended.
///
/// The server counts by its own clock for how long it was told. So these are redemptions that were measured by a time of
/// day, or a sure time, which was ahead of the time of day now.
private final class PastClocks: Sendable {
    /// A clock by which this process measured redemptions.
    fileprivate struct Measure {
        /// What it showed, reckoned back to the uptime 0; the latest, if it was set by less than a minute.
        var origin: Timestamp
        /// The last end of the redemptions that were measured by it, and of those that others may have measured so.
        var lastEnd: Timestamp
    }

    /// A time of day that was ahead of the sure time.
    fileprivate struct Leap {
        /// What it showed, reckoned back to the uptime 0.
        let origin: Timestamp
        /// What it showed while redemptions were made.
        var shown: ClosedRange<Timestamp>
    }

    fileprivate struct State {
        var measures: [Measure] = []
        var leaps: [Leap] = []
        /// Whether the last leap goes on.
        var isLeaping = false
    }

    private let state = Mutex(State())

    /// Refuses a redemption that the server may have dropped, and notes by which clock this one is measured.
    ///
    /// A redemption that has ended by the time of day comes from an archive and is allowed: the server does not know
    /// either way what it dropped.
    ///
    /// - Parameters:
    ///   - expiry: The end of the redemption.
    ///   - time: What the clock shows.
    ///   - start: The instant of the redemption by which it is measured: the sure time, or the time of day.
    /// - Throws: `ReplayStoreError.forgotten` if the server may have dropped it.
    func check(
        _ expiry: Timestamp,
        at time: StoreClock.Reading,
        measuredFrom start: Timestamp
    ) throws(ReplayStoreError) {
        let through = state.withLock { state in
            state.noteMeasure(Measure(origin: start - time.uptime, lastEnd: max(start, expiry)))
            state.noteLeap(at: time, measuredFrom: start)
            return state.passed(expiry, at: time.uptime)
        }
        if let through, expiry > time.wall { throw .forgotten(until: expiry, forgottenThrough: through) }
    }
}

extension PastClocks.State {
    private static let maximumCount = 16

    /// Up to which end the server may have dropped what ends at an instant; `nil` if it has not.
    fileprivate func passed(_ expiry: Timestamp, at uptime: TimeToLive) -> Timestamp? {
        var through: Timestamp?
        for measure in measures {
            let passed = min(measure.lastEnd, measure.origin + uptime)
            if expiry <= passed { through = max(through ?? passed, passed) }
        }
        for leap in leaps where leap.shown.contains(expiry) {
            through = max(through ?? expiry, leap.shown.upperBound)
        }
        return through
    }

    fileprivate mutating func noteMeasure(_ new: PastClocks.Measure) {
        if let place = measures.firstIndex(where: { isAlike($0.origin, new.origin) }) {
            measures[place].origin = max(measures[place].origin, new.origin)
            measures[place].lastEnd = max(measures[place].lastEnd, new.lastEnd)
            return
        }
        measures.append(new)
        guard measures.count > Self.maximumCount else { return }
        // The two whose redemptions are over first become one, which refuses what either does.
        measures.sort { $0.lastEnd < $1.lastEnd }
        let first = measures.removeFirst()
        measures[0].origin = max(measures[0].origin, first.origin)
    }

    /// Notes a leap: a process that began during it takes the time of day for sure, and measures by it.
    fileprivate mutating func noteLeap(at time: StoreClock.Reading, measuredFrom start: Timestamp) {
        let origin = time.wall - time.uptime
        let goesOn = isLeaping && leaps.last.map { isAlike($0.origin, origin) } ?? false
        isLeaping = time.wall.since(start) > .minutes(1)
        guard isLeaping else { return }
        if goesOn, let last = leaps.popLast() {
            leaps.append(PastClocks.Leap(origin: last.origin, shown: hull(last.shown, time.wall...time.wall)))
        } else {
            leaps.append(PastClocks.Leap(origin: origin, shown: time.wall...time.wall))
        }
        // What the sure time has passed is over by its measure, too.
        leaps.removeAll { $0.shown.upperBound < start }
        guard leaps.count > Self.maximumCount else { return }
        let first = leaps.removeFirst()
        leaps[0].shown = hull(first.shown, leaps[0].shown)
    }

    private func hull(_ one: ClosedRange<Timestamp>, _ other: ClosedRange<Timestamp>) -> ClosedRange<Timestamp> {
        min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound)
    }

    private func isAlike(_ one: Timestamp, _ other: Timestamp) -> Bool {
        max(one.since(other), other.since(one)) <= .minutes(1)
    }
}
#endif
