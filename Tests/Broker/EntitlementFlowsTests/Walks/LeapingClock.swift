#if Client
import Synchronization

/// A clock by which an hour has passed whenever it is looked at: who counts requests by it lets each of them pass.
struct LeapingClock: Clock {
    struct Instant: InstantProtocol {
        let uptime: Duration

        func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        func duration(to other: Instant) -> Duration { other.uptime - uptime }
        static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private final class Hours: Sendable { let count = Mutex<Int64>(0) }

    private let hours = Hours()

    var now: Instant {
        Instant(
            uptime: .seconds(
                3600
                    * hours.count.withLock {
                        $0 += 1; return $0
                    }))
    }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
#endif
