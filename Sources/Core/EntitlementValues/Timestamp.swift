import HostSystem
import TextCodecs

/// An instant, in milliseconds since the Unix epoch.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let milliseconds: Int64

    /// Makes an instant from milliseconds since the Unix epoch, 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whether the first instant is the earlier one.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// Adds a length of time.
    ///
    /// - Returns: The later instant, or the last representable one instead of an overflow.
    public static func + (instant: Timestamp, duration: TimeToLive) -> Timestamp {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.milliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: duration.milliseconds < 0 ? .min : .max)
    }

    /// Subtracts a length of time.
    ///
    /// - Returns: The earlier instant, or the first representable one instead of an overflow.
    public static func - (instant: Timestamp, duration: TimeToLive) -> Timestamp {
        let (difference, overflow) = instant.milliseconds.subtractingReportingOverflow(duration.milliseconds)
        guard overflow else { return Timestamp(milliseconds: difference) }
        return Timestamp(milliseconds: duration.milliseconds < 0 ? .max : .min)
    }

    /// Measures the time between two instants, as ``since(_:)`` does.
    ///
    /// - Returns: The distance from the second instant to the first; negative if the first is the earlier one.
    public static func - (instant: Timestamp, earlier: Timestamp) -> TimeToLive {
        instant.since(earlier)
    }

    /// Measures the time from an earlier instant to this one, stopping at the ends of what is representable.
    ///
    /// - Parameter earlier: The instant to start from.
    /// - Returns: The distance; negative if `earlier` is the later one.
    public func since(_ earlier: Timestamp) -> TimeToLive {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return TimeToLive(milliseconds: difference) }
        return TimeToLive(milliseconds: milliseconds < 0 ? .min : .max)
    }
}

extension Timestamp {
    /// The beginning of the second that the instant is in: media tokens and playback sessions have no milliseconds.
    package var wholeSecond: Timestamp { self - TimeToLive(milliseconds: (milliseconds % 1000 + 1000) % 1000) }
}

extension Timestamp: CustomStringConvertible {
    /// The instant in the form of RFC 3339, in UTC: `2017-03-16T14:39:48Z`, with milliseconds unless they are 0.
    ///
    /// An instant outside the years 1 to 9999 is `epoch ms` and the number.
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
    /// The current time of the system's wall clock.
    ///
    /// This is the only place of the package that asks for the time of day. Everything else takes it as an argument.
    public static var now: Timestamp { Timestamp(milliseconds: SystemClock.epochMilliseconds) }
}

extension Timestamp {
    /// The first instant that milliseconds from a service can mean: 10^11, in March 1973.
    ///
    /// As seconds, 10^11 is in the year 5138, so no number is plausible in both units.
    package static let firstPlausible = Timestamp(milliseconds: 100_000_000_000)
    /// The last instant that milliseconds from a service can mean: the end of the year 9999.
    package static let lastPlausible = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether a service can mean this instant; if not, it usually sent seconds or microseconds.
    package var isPlausible: Bool { (Self.firstPlausible...Self.lastPlausible).contains(self) }
}
