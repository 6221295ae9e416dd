#if Client
import EntitlementValues

/// The time zone in which the broker writes issue times: US Pacific, with daylight saving since 2007's rule.
enum PacificTime {
    /// Minutes east of Greenwich at an instant.
    ///
    /// They are −480, or −420 from the second Sunday of March to the first of November.
    static func offset(at instant: Timestamp) -> Int {
        guard let year = CivilDate(of: instant - .hours(8))?.year,
            // 02:00 standard time, and 02:00 daylight time.
            let start = sunday(2, of: 3, in: year, atUTCHour: 10),
            let end = sunday(1, of: 11, in: year, atUTCHour: 9)
        else { return -480 }
        return start <= instant && instant < end ? -420 : -480
    }

    private static func sunday(_ number: Int, of month: Int, in year: Int, atUTCHour hour: Int) -> Timestamp? {
        guard
            let first = CivilDate(
                year: year, month: month, day: 1, hour: hour, minute: 0, second: 0, millisecond: 0)
        else { return nil }
        // 1970-01-01 was a Thursday, so day 3 was a Sunday.
        let day = first.timestamp.milliseconds / 86_400_000
        let untilSunday = ((3 - day) % 7 + 7) % 7
        return first.timestamp + .hours(24 * (untilSunday + Int64(7 * (number - 1))))
    }
}
#endif
