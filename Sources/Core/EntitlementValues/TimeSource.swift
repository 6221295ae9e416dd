/// Tells the time and waits for it.
///
/// A time source has two clocks. ``now`` is the time of day, in which lifetimes are stated; an operator or a time
/// server may set it forward or back at any moment. ``uptime`` runs evenly and never goes back; it measures waits and
/// deadlines.
///
/// For most uses, leave the default, ``system``. A test brings clocks that move when the test says so: the module
/// `TVETesting` has `ManualTime`.
public struct TimeSource: Sendable {
    private let readWall: @Sendable () -> Timestamp
    private let readUptime: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// The clocks of the system.
    ///
    /// ``uptime`` goes on while the machine is suspended.
    public static let system = TimeSource(ContinuousClock())

    /// Makes a time source from an even clock and a time of day.
    ///
    /// The type of the clock is not kept, so types that hold a time source need not be generic.
    ///
    /// - Parameters:
    ///   - clock: Measures ``uptime``, and waits.
    ///   - now: Reads the time of day; the system's if none is given.
    public init<C: Clock>(_ clock: C, now: @escaping @Sendable () -> Timestamp = { .now })
    where C.Duration == Duration {
        let origin = clock.now
        readWall = now
        readUptime = { origin.duration(to: clock.now) }
        wait = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    }

    /// A time of day that stands still, with the system's ``uptime``: for work that is done as of one instant.
    ///
    /// - Parameter now: The time of day.
    /// - Returns: A source whose ``sleep(until:)`` returns only for instants up to `now`, or when its task is
    ///   cancelled.
    public static func fixed(at now: Timestamp) -> TimeSource {
        TimeSource(ContinuousClock()) { now }
    }

    /// The time of day.
    public var now: Timestamp { readWall() }

    /// The time since an instant of this source's own choice: only the difference of two values means something.
    public var uptime: Duration { readUptime() }

    /// Waits until ``uptime`` reaches a value.
    ///
    /// - Parameter deadline: A value of this source's ``uptime``; one that has passed returns at once.
    /// - Throws: `CancellationError`, at once, if the task is cancelled.
    public func sleep(untilUptime deadline: Duration) async throws(CancellationError) {
        do {
            try await wait(deadline)
        } catch {
            throw CancellationError()
        }
    }

    /// Waits until the time of day reaches an instant.
    ///
    /// The time of day may be set during the wait, and the machine may be suspended. So the wait is cut into pieces of
    /// at most 30 seconds, and after each of them the time of day is read again.
    ///
    /// - Parameter deadline: The instant.
    /// - Throws: `CancellationError`, at once, if the task is cancelled.
    public func sleep(until deadline: Timestamp) async throws(CancellationError) {
        while true {
            let left = deadline.since(now)
            guard left > .zero else { return }
            try await sleep(untilUptime: uptime + min(left, .seconds(30)).duration)
        }
    }
}
