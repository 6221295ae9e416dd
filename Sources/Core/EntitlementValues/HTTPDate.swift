import TextCodecs

// Dates as HTTP writes them today: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, IMF-fixdate).
extension Timestamp {
    /// Reads a date as HTTP writes it today; `nil` if it has another form, or the calendar does not have it.
    ///
    /// The day of the week is not compared with the date. The two obsolete forms are not read, since no sender may make
    /// them.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[0].utf8.count == 4,
            parts[0].utf8.last == UInt8(ascii: ","),
            Self.dayNames.contains(String(parts[0].dropLast())),
            let month = Self.monthNames.firstIndex(of: String(parts[2])),
            let day = Self.number(parts[1], digits: 2), let year = Self.number(parts[3], digits: 4), parts[5] == "GMT"
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = Self.number(clock[0], digits: 2),
            let minute = Self.number(clock[1], digits: 2), let second = Self.number(clock[2], digits: 2),
            // A leap second, 60, is read as the second before it.
            let date = CivilDate(
                year: year, month: month + 1, day: day, hour: hour, minute: minute,
                second: second == 60 ? 59 : second, millisecond: 0)
        else { return nil }
        self = date.timestamp
    }

    /// The instant as HTTP writes it, without its milliseconds; `nil` outside the years 1 to 9999.
    package var httpDate: String? {
        guard let date = CivilDate(of: self) else { return nil }
        let second = date.secondOfDay
        // Days since 1970-01-01; those of a negative number count back.
        let day = Int((wholeSecond.milliseconds - Int64(second) * 1000) / 86_400_000)
        let name = Self.dayNames[(day % 7 + 7) % 7]
        let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        let month = Self.monthNames[date.month - 1]
        return "\(name), \(date.day.zeroPadded(to: 2)) \(month) \(date.year.zeroPadded(to: 4)) \(clock) GMT"
    }

    /// The days of the week from that of 1970-01-01 on.
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits && text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }
}
