/// A length of time in milliseconds: a TTL, a leeway, or the distance between two instants.
public struct TimeToLive: Hashable, Comparable, Sendable {
    /// The length in milliseconds; negative for a distance back in time.
    public let milliseconds: Int64

    /// Makes a length from milliseconds.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Makes a length from the standard library's type.
    ///
    /// What is less than a millisecond is cut off: 1.9 ms become 1 ms, and -1.9 ms become -1 ms. A length beyond what
    /// `Int64` milliseconds can say becomes the longest that they can.
    ///
    /// - Parameter duration: The length.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // Both components have the same sign, so the sum can overflow only towards the sign of the length.
        let (sum, isTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        milliseconds = overflow || isTooLong ? (seconds < 0 ? .min : .max) : sum
    }

    /// The same length as the standard library's type.
    public var duration: Duration { .milliseconds(milliseconds) }

    /// A length of 0 milliseconds.
    public static let zero = TimeToLive(milliseconds: 0)

    /// Makes a length from milliseconds.
    ///
    /// - Parameter milliseconds: The number of milliseconds; negative for a distance back in time.
    /// - Returns: The length.
    public static func milliseconds(_ milliseconds: Int64) -> TimeToLive {
        TimeToLive(milliseconds: milliseconds)
    }

    /// Makes a length from whole seconds.
    ///
    /// - Parameter seconds: The number of seconds; negative for a distance back in time.
    /// - Returns: The length, or the longest representable one if it is too long.
    public static func seconds(_ seconds: Int64) -> TimeToLive {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return TimeToLive(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Makes a length from whole minutes.
    ///
    /// - Parameter minutes: The number of minutes; negative for a distance back in time.
    /// - Returns: The length, or the longest representable one if it is too long.
    public static func minutes(_ minutes: Int64) -> TimeToLive {
        let (product, overflow) = minutes.multipliedReportingOverflow(by: 60)
        return seconds(overflow ? (minutes < 0 ? .min : .max) : product)
    }

    /// Makes a length from whole hours.
    ///
    /// - Parameter hours: The number of hours; negative for a distance back in time.
    /// - Returns: The length, or the longest representable one if it is too long.
    public static func hours(_ hours: Int64) -> TimeToLive {
        let (product, overflow) = hours.multipliedReportingOverflow(by: 60)
        return minutes(overflow ? (hours < 0 ? .min : .max) : product)
    }

    /// Makes a length from days of 24 hours.
    ///
    /// - Parameter days: The number of days; negative for a distance back in time.
    /// - Returns: The length, or the longest representable one if it is too long.
    public static func days(_ days: Int64) -> TimeToLive {
        let (product, overflow) = days.multipliedReportingOverflow(by: 24)
        return hours(overflow ? (days < 0 ? .min : .max) : product)
    }

    /// Whether the first length is the shorter one.
    public static func < (one: TimeToLive, other: TimeToLive) -> Bool {
        one.milliseconds < other.milliseconds
    }
}

extension TimeToLive {
    /// Adds two lengths.
    ///
    /// - Returns: The sum, or the longest representable length instead of an overflow.
    public static func + (one: TimeToLive, other: TimeToLive) -> TimeToLive {
        let (sum, overflow) = one.milliseconds.addingReportingOverflow(other.milliseconds)
        return TimeToLive(milliseconds: overflow ? (one.milliseconds < 0 ? .min : .max) : sum)
    }

    /// Subtracts a length from another one.
    ///
    /// - Returns: The difference, or the longest representable length instead of an overflow.
    public static func - (one: TimeToLive, other: TimeToLive) -> TimeToLive {
        let (difference, overflow) = one.milliseconds.subtractingReportingOverflow(other.milliseconds)
        return TimeToLive(milliseconds: overflow ? (one.milliseconds < 0 ? .min : .max) : difference)
    }
}

extension Duration {
    /// The whole seconds, rounded up: what a wait of this length is told as.
    package var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}

extension TimeToLive: CustomStringConvertible {
    /// The length in its two largest units, for people to read: `7 min`, `2 h 5 min`, `1.5 s`, `3 d 4 h`.
    public var description: String {
        let sign = milliseconds < 0 ? "-" : ""
        let total = milliseconds.magnitude
        if total < 1000 { return "\(sign)\(total) ms" }
        let seconds = total / 1000
        if seconds < 60 {
            let tenths = total / 100 % 10
            return tenths == 0 ? "\(sign)\(seconds) s" : "\(sign)\(seconds).\(tenths) s"
        }
        let (large, largeName, small, smallName): (UInt64, String, UInt64, String) =
            switch seconds {
            case ..<3600: (seconds / 60, "min", seconds % 60, "s")
            case ..<86_400: (seconds / 3600, "h", seconds / 60 % 60, "min")
            default: (seconds / 86_400, "d", seconds / 3600 % 24, "h")
            }
        return "\(sign)\(large) \(largeName)" + (small == 0 ? "" : " \(small) \(smallName)")
    }
}
