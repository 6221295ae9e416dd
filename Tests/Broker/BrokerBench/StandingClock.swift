#if Client
package import EntitlementValues

/// A clock by which no time passes, however slow the machine is.
///
/// Who waits by it waits in real time.
package struct StandingClock: Clock {
    package struct Instant: InstantProtocol {
        private var uptime = Duration.zero

        package init() {}

        package func advanced(by duration: Duration) -> Instant {
            var instant = self
            instant.uptime += duration
            return instant
        }

        package func duration(to other: Instant) -> Duration { other.uptime - uptime }
        package static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    package init() {}

    package var now: Instant { Instant() }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: now.duration(to: deadline))
    }

    /// A source of time by such a clock.
    ///
    /// - Parameter now: Reads the time of day.
    /// - Returns: The source.
    package static func source(now: @escaping @Sendable () -> Timestamp) -> TimeSource {
        TimeSource(StandingClock(), now: now)
    }
}
#endif
