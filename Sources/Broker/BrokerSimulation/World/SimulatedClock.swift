#if Client
public import EntitlementValues

/// The time of day in a simulation: the real one, moved or standing still.
public struct SimulatedClock: Sendable, Hashable {
    /// How far the simulation's time is from the real one; negative if it is in the past.
    public private(set) var offset = TimeToLive.zero
    /// When the simulation's time stands still; `nil` if it runs.
    public private(set) var frozen: Timestamp?
    /// How far the issue time of media tokens is from the simulation's time, as on a server whose clock is wrong.
    public var issueTimeOffset = TimeToLive.zero

    /// Makes a clock that shows the real time.
    public init() {}

    /// Makes a clock as an earlier one was.
    init(offset: TimeToLive, frozen: Timestamp?) { (self.offset, self.frozen) = (offset, frozen) }

    /// The simulation's time.
    ///
    /// - Parameter real: The real time.
    /// - Returns: The time in the simulation.
    public func now(at real: Timestamp) -> Timestamp { frozen ?? (real + offset) }

    /// Sets the time; a clock that runs goes on from there.
    ///
    /// - Parameters:
    ///   - instant: The time in the simulation.
    ///   - real: The real time.
    public mutating func set(to instant: Timestamp, at real: Timestamp) {
        if frozen != nil {
            frozen = instant
        } else {
            offset = instant.since(real)
        }
    }

    /// Moves the time.
    ///
    /// - Parameter duration: How far; negative for back.
    public mutating func advance(by duration: TimeToLive) {
        if let instant = frozen {
            frozen = instant + duration
        } else {
            offset = Timestamp(milliseconds: offset.milliseconds).advanced(by: duration)
        }
    }

    /// Stops the time where it is.
    ///
    /// - Parameter real: The real time.
    public mutating func freeze(at real: Timestamp) { frozen = now(at: real) }

    /// Lets the time run on from where it stopped.
    ///
    /// - Parameter real: The real time.
    public mutating func run(at real: Timestamp) {
        guard let instant = frozen else { return }
        frozen = nil
        offset = instant.since(real)
    }
}

extension Timestamp {
    /// Adds to a distance, and stops at the ends of what is representable.
    fileprivate func advanced(by duration: TimeToLive) -> TimeToLive {
        TimeToLive(milliseconds: (self + duration).milliseconds)
    }
}
#endif
