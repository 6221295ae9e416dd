#if Client
package import EntitlementValues

/// A clock that runs faster than the world, so that tests of several processes need not wait as long as servers do.
///
/// Processes that are given the same start and factor agree about the time.
package struct ScaledClock: Clock {
    package struct Instant: InstantProtocol {
        package var uptime: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        package func duration(to other: Instant) -> Duration { other.uptime - uptime }
        package static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private let factor: Int
    private let origin = ContinuousClock.now

    package init(factor: Int) { self.factor = factor }

    package var now: Instant { Instant(uptime: origin.duration(to: .now) * factor) }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: max(.zero, now.duration(to: deadline) / factor))
    }

    /// A source of time by such a clock.
    ///
    /// - Parameters:
    ///   - start: The instant at which it agrees with the world.
    ///   - factor: How much faster it runs from then on.
    /// - Returns: The source.
    package static func source(from start: Timestamp, factor: Int) -> TimeSource {
        TimeSource(ScaledClock(factor: factor)) {
            start + TimeToLive(milliseconds: Timestamp.now.since(start).milliseconds * Int64(factor))
        }
    }
}
#endif
