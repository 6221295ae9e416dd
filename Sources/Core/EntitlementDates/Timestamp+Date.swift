public import EntitlementValues
public import Foundation

extension Timestamp {
    /// Makes an instant from a date of Foundation.
    ///
    /// What is less than a millisecond is cut off towards the past, as a clock does that shows milliseconds. A date
    /// beyond what `Int64` milliseconds can say becomes the first or last instant that they can; one that is not a
    /// number becomes the first, so that what ends with it has expired.
    ///
    /// - Parameter date: The date.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).snappedToMilliseconds.rounded(.down)
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
    }

    /// The instant as a date of Foundation.
    ///
    /// A date counts seconds as a `Double`, which is exact to a microsecond in our time and to 0.03 ms in the year 9999.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension TimeToLive {
    /// Makes a length from seconds as Foundation counts them.
    ///
    /// What is less than a millisecond is cut off towards zero. A length beyond what `Int64` milliseconds can say becomes
    /// the longest that they can; one that is not a number becomes zero.
    ///
    /// - Parameter interval: The length in seconds.
    public init(timeInterval interval: TimeInterval) {
        guard !interval.isNaN else {
            self = .zero
            return
        }
        let milliseconds = (interval * 1000).snappedToMilliseconds.rounded(.towardZero)
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
    }

    /// The length in seconds, as Foundation counts them.
    public var timeInterval: TimeInterval { Double(milliseconds) / 1000 }
}

extension Double {
    /// The nearest whole number if this number of milliseconds is one but for the error of a `Double`.
    ///
    /// A date is a number of seconds since 2001, and most milliseconds cannot be written as such a number. The error grows
    /// with the distance: in the year 9999 it is 0.03 ms.
    fileprivate var snappedToMilliseconds: Double {
        let nearest = rounded()
        return abs(self - nearest) < 0.05 ? nearest : self
    }
}
