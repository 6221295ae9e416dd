#if Client
import EntitlementValues
import Synchronization

/// A clock of which a pause takes no time: it stands at the pause's end at once.
///
/// Waits of five seconds and more are time limits, which other work is expected to outrun. They last until they are
/// cancelled.
final class SkippingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var uptime = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        func duration(to other: Instant) -> Duration { other.uptime - uptime }
        static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private let latest = Mutex(Instant())

    var now: Instant { latest.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) < .seconds(5) else { return try await Task.sleep(for: .seconds(86_400)) }
        try Task.checkCancellation()
        latest.withLock { $0 = max($0, deadline) }
    }

    /// A source of time by such a clock; the time of day goes with it.
    static func source(from start: Timestamp) -> TimeSource {
        let clock = SkippingClock()
        return TimeSource(clock) { start + TimeToLive(milliseconds: Int64(clock.now.uptime / .milliseconds(1))) }
    }
}
#endif
