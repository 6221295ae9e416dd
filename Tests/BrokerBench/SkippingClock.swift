#if Client
package import EntitlementValues
import Synchronization

/// A clock of which a pause takes no time: it stands at the pause's end at once.
///
/// Waits of five seconds and more are time limits, which other work is expected to outrun. They last until they are
/// cancelled.
///
/// A task that looks for something again and again, with a pause after each look, would make time run away from all
/// others. Where there is one, let the clock ``stand()``.
package final class SkippingClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var uptime: Duration

        package init(uptime: Duration = .zero) { self.uptime = uptime }

        package func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        package func duration(to other: Instant) -> Duration { other.uptime - uptime }
        package static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private let state = Mutex<(latest: Instant, isStanding: Bool)>((Instant(), false))
    private let isHeld = Mutex<(@Sendable () -> Bool)?>(nil)

    package init() {}

    package var now: Instant { state.withLock { $0.latest } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        while let isHeld = isHeld.withLock({ $0 }), isHeld() { try await Task.sleep(for: .microseconds(200)) }
        try Task.checkCancellation()
        let isOver = state.withLock { state in
            if state.latest >= deadline { return true }
            guard !state.isStanding, state.latest.duration(to: deadline) < .seconds(5) else { return false }
            state.latest = deadline
            return true
        }
        if !isOver { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// Lets pauses wait as long as something takes real time, in which no time may pass by this clock.
    package func hold(while isHeld: @escaping @Sendable () -> Bool) { self.isHeld.withLock { $0 = isHeld } }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        state.withLock { $0.latest = $0.latest.advanced(by: duration) }
    }

    /// From now on, all pauses last until they are cancelled.
    package func stand() { state.withLock { $0.isStanding = true } }

    /// A source of time by this clock; the time of day goes with it.
    package func source(from start: Timestamp) -> TimeSource {
        TimeSource(self) { start + TimeToLive(milliseconds: Int64(self.now.uptime / .milliseconds(1))) }
    }

    /// A source of time by such a clock; the time of day goes with it.
    package static func source(from start: Timestamp) -> TimeSource {
        SkippingClock().source(from: start)
    }
}
#endif
