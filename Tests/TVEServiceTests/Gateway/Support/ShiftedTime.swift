#if Service
import EntitlementValues
import Synchronization

/// A time of day that a test moves on.
///
/// Waits take as long as they say, unless they move along.
final class ShiftedTime: Sendable {
    private let offset = Mutex(TimeToLive.seconds(0))
    private let movesWaits: Bool

    /// Begins at the present instant.
    ///
    /// - Parameter movesWaits: Whether waits end when the time of day jumps over their end.
    init(movingWaits movesWaits: Bool = false) { self.movesWaits = movesWaits }

    /// Lets the time of day jump.
    func advance(by duration: TimeToLive) {
        offset.withLock { $0 = TimeToLive(milliseconds: $0.milliseconds + duration.milliseconds) }
    }

    var now: Timestamp { .now + offset.withLock { $0 } }

    var source: TimeSource {
        movesWaits
            ? TimeSource(JumpingClock { self.offset.withLock { $0 }.duration }) { self.now }
            : TimeSource(ContinuousClock()) { self.now }
    }
}

/// A clock that jumps: those who wait for an instant that it jumps over go on at once.
private struct JumpingClock: Clock {
    struct Instant: InstantProtocol {
        var uptime: Duration

        func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        func duration(to other: Instant) -> Duration { other.uptime - uptime }
        static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private let start = ContinuousClock.now
    private let offset: @Sendable () -> Duration

    init(offset: @escaping @Sendable () -> Duration) { self.offset = offset }

    var now: Instant { Instant(uptime: start.duration(to: .now) + offset()) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        while case let left = now.duration(to: deadline), left > .zero {
            try await Task.sleep(for: min(left, .milliseconds(10)))
        }
        try Task.checkCancellation()
    }
}
#endif
