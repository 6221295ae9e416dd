package import EntitlementValues
import Synchronization

/// The clock of a store, and how much of the time of day is sure.
///
/// A time of day may leap ahead, by the hand of an operator or of a wrong time server, and back again. A store that
/// drops redemptions meanwhile could not tell afterwards which tokens were used, and would refuse good ones until the
/// time has caught up. So redemptions are dropped by the *sure* time, which does not follow at once: it runs evenly, and
/// a time of day that is ahead of it is believed after it has been ahead for one hour, or two at most. A time of day
/// that goes back is followed at once. So redemptions are never dropped sooner than by the time of day alone, and at
/// most two hours later.
///
/// A store that is made during a leap does not know it, and believes the time of day.
package final class StoreClock: Sendable {
    /// What a store's clock shows at one moment.
    package struct Reading: Sendable {
        /// The time of day, by which it is judged whether a token still lives.
        package let wall: Timestamp
        /// The time of day that is sure; never later than ``wall``.
        package let sure: Timestamp
    }

    private let time: TimeSource
    /// The earliest instant of all readings of this hour and of the one before, in milliseconds, reckoned back to the
    /// uptime 0.
    private let current: Atomic<Int64>
    private let former: Atomic<Int64>
    /// The uptime at which the next hour begins, in milliseconds.
    private let nextHour: Atomic<Int64>

    private static let hour = TimeToLive.hours(1).milliseconds

    /// Makes a clock that takes the time of day for right at first.
    ///
    /// The uptime goes on while the machine is suspended.
    package init(_ time: TimeSource) {
        self.time = time
        let uptime = TimeToLive(time.uptime)
        let origin = (time.now - uptime).milliseconds
        current = Atomic(origin)
        former = Atomic(origin)
        nextHour = Atomic(uptime.milliseconds + Self.hour)
    }

    /// Reads the clock.
    ///
    /// If it is not read for hours, a leap in the meantime is noticed by the next reading, and is not believed yet.
    package func read() -> Reading {
        let (wall, uptime) = (time.now, TimeToLive(time.uptime))
        let origin = (wall - uptime).milliseconds
        let next = nextHour.load(ordering: .relaxed)
        if uptime.milliseconds >= next,
            nextHour.compareExchange(
                expected: next, desired: uptime.milliseconds + Self.hour, ordering: .relaxed
            ).exchanged
        {
            former.store(current.load(ordering: .relaxed), ordering: .relaxed)
            current.store(origin, ordering: .relaxed)
        } else if origin < current.load(ordering: .relaxed) {
            current.min(origin, ordering: .relaxed)
        }
        let first = min(current.load(ordering: .relaxed), former.load(ordering: .relaxed))
        return Reading(wall: wall, sure: min(wall, Timestamp(milliseconds: first) + uptime))
    }
}
