public import EntitlementValues

/// Tells a ledger the time of day, and waits for it.
///
/// Tests bring one that moves when they say so.
public protocol WallClock: Sendable {
    /// The time of day.
    var now: Timestamp { get }

    /// Waits until an instant.
    ///
    /// May return before it: who waits looks at the clock again.
    ///
    /// - Throws: `CancellationError`, at once, where the task was cancelled.
    func sleep(until deadline: Timestamp) async throws
}

/// The system's wall clock.
public struct SystemWallClock: WallClock {
    /// Needs nothing.
    public init() {}

    /// What the system's clock says.
    public var now: Timestamp { .now }

    /// Waits for half a minute at most: somebody may set the clock meanwhile, or wake a sleeping machine.
    public func sleep(until deadline: Timestamp) async throws {
        let wait = min(deadline.since(now), .seconds(30))
        try await Task.sleep(for: .milliseconds(max(wait.milliseconds, 1)))
    }
}
