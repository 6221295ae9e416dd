/// A date and time of day in UTC, converted from and to an instant.
///
/// The calendar is the proleptic Gregorian one, years 1 to 9999, without leap seconds, locale or time zone database. Days
/// are counted in cycles of 400 years that start in March, so that the leap day comes last and one linear formula gives
/// the lengths of the months.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    /// Seconds since midnight, 0 to 86,399.
    package let secondOfDay: Int
    package let millisecond: Int

    /// Makes a date from its parts; `nil` if the calendar has no such date, or the day no such time.
    ///
    /// The years are 1 to 9999. Leap seconds do not exist here.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999).contains(millisecond)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.secondOfDay = hour * 3600 + minute * 60 + second
        self.millisecond = millisecond
    }

    /// Splits an instant into its parts; `nil` if it is outside the years 1 to 9999.
    package init?(of instant: Timestamp) {
        // The first instant of the year 1.
        guard (-62_135_596_800_000...Timestamp.lastPlausible.milliseconds).contains(instant.milliseconds) else {
            return nil
        }
        let milliseconds = Int(instant.milliseconds)
        let days = milliseconds.flooredQuotient(by: 86_400_000)
        let inDay = milliseconds - days * 86_400_000
        // Days since 0000-03-01, the start of a cycle.
        let shifted = days + 719_468
        let cycle = shifted.flooredQuotient(by: 146_097)
        let inCycle = shifted - cycle * 146_097
        let yearOfCycle = (inCycle - inCycle / 1460 + inCycle / 36_524 - inCycle / 146_096) / 365
        let dayOfYear = inCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        self.year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        self.month = month
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        self.secondOfDay = inDay / 1000
        self.millisecond = inDay % 1000
    }

    /// The instant at which this is the date and time in UTC.
    package var timestamp: Timestamp {
        let shiftedYear = month <= 2 ? year - 1 : year
        let cycle = shiftedYear / 400
        let yearOfCycle = shiftedYear - cycle * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        let days = cycle * 146_097 + dayOfCycle - 719_468
        return Timestamp(milliseconds: Int64((days * 86_400 + secondOfDay) * 1000 + millisecond))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// Divides rounding down, so that instants before 1970 fall into the right day.
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
