#if Client
import EntitlementValues
import HTTPTypes
import TextCodecs

extension HTTPAnswer {
    /// More is not believed: it would be a defect, or an attempt to switch the client off.
    private static let longestRetryAfter: Duration = .seconds(3600)
    private static let maximumDigits = 9

    /// How long the server wants the client to wait: a number of seconds, or a date (RFC 9110 §10.2.3).
    ///
    /// A date is compared with the date of the answer, so that the clocks need not agree.
    ///
    /// - Parameter now: The time of day, for an answer without a date.
    /// - Returns: The wait; `nil` if the field is missing, malformed, or asks for more than an hour.
    func retryAfter(at now: Timestamp) -> Duration? {
        guard let field = head.headerFields[Self.retryAfterName] else { return nil }
        let wait: Duration
        if !field.isEmpty, field.utf8.count <= Self.maximumDigits, field.utf8.allSatisfy(\.isASCIIDigit),
            let seconds = Int64(field)
        {
            wait = .seconds(seconds)
        } else if let date = Timestamp(httpDate: field) {
            wait = max(.zero, date.since(self.date ?? now).duration)
        } else {
            return nil
        }
        return wait <= Self.longestRetryAfter ? wait : nil
    }

    /// The server's time of day when it made the answer; `nil` if it did not say.
    var date: Timestamp? { head.headerFields[.date].flatMap(Timestamp.init(httpDate:)) }

    private static let retryAfterName = HTTPField.Name.retryAfter
}

extension Timestamp {
    /// Reads a date as HTTP writes it today: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, IMF-fixdate).
    ///
    /// The two obsolete forms are not read, since no sender may make them.
    ///
    /// - Parameter text: The date; `nil` is returned if it has another form, or the calendar does not have it. The day
    ///   of the week is not compared with the date.
    init?(httpDate text: String) {
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

    private static let dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits && text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }
}
#endif
