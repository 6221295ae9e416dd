import HostSystem
import TextCodecs

/// Marks an instant in milliseconds since the Unix epoch.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let milliseconds: Int64

    /// Makes an instant from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by time.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// Adds, stopping at the last representable instant instead of overflowing.
    public static func + (instant: Timestamp, duration: TimeToLive) -> Timestamp {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.milliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: duration.milliseconds < 0 ? .min : .max)
    }

    /// Subtracts, stopping at the first representable instant instead of overflowing.
    public static func - (instant: Timestamp, duration: TimeToLive) -> Timestamp {
        let (difference, overflow) = instant.milliseconds.subtractingReportingOverflow(duration.milliseconds)
        guard overflow else { return Timestamp(milliseconds: difference) }
        return Timestamp(milliseconds: duration.milliseconds < 0 ? .max : .min)
    }

    /// Tells how long it is from one instant to this one, stopping at the ends of what is representable.
    public func since(_ earlier: Timestamp) -> TimeToLive {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return TimeToLive(milliseconds: difference) }
        return TimeToLive(milliseconds: milliseconds < 0 ? .min : .max)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, to the second, with milliseconds where there are any: `2017-03-16T14:39:48Z`.
    ///
    /// Instants outside the years 1 to 9999 print as `epoch ms` followed by the number.
    public var description: String {
        guard let date = CivilDate(of: self) else { return "epoch ms \(milliseconds)" }
        let clock = date.secondOfDay
        let day = "\(date.year.zeroPadded(to: 4))-\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))"
        let time = [clock / 3600, clock / 60 % 60, clock % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        let fraction = date.millisecond == 0 ? "" : ".\(date.millisecond.zeroPadded(to: 3))"
        return "\(day)T\(time)\(fraction)Z"
    }
}

extension Timestamp {
    /// Reads the system's wall clock.
    ///
    /// The one place where this package asks for the time of day; everywhere else it is an argument.
    public static var now: Timestamp { Timestamp(milliseconds: SystemClock.epochMilliseconds) }
}
