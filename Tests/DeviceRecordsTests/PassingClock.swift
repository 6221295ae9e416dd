import Synchronization

/// A clock by which waits take no time: it moves to the end of each.
final class PassingClock: Clock {
    struct Instant: InstantProtocol {
        let uptime: Duration

        func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        func duration(to other: Instant) -> Duration { other.uptime - uptime }
        static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private let uptime = Mutex(Duration.zero)

    var now: Instant { Instant(uptime: uptime.withLock { $0 }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        uptime.withLock { $0 = max($0, deadline.uptime) }
    }
}
