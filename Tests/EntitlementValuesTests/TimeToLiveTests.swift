import EntitlementValues
import Testing

/// Lengths of time: where they come from, and their arithmetic at the ends of what is representable.
@Suite struct TimeToLiveTests {
    static let longest = TimeToLive(milliseconds: .max)
    static let mostNegative = TimeToLive(milliseconds: .min)

    @Test(
        arguments: [
            (.zero, 0), (.milliseconds(1), 1), (.seconds(90), 90_000), (.microseconds(1999), 1),
            (.microseconds(-1999), -1), (.nanoseconds(999_999), 0), (.seconds(-5), -5000),
            (.milliseconds(-1500), -1500),
        ] as [(Duration, Int64)])
    func aDurationIsCutToMilliseconds(_ duration: Duration, _ expected: Int64) {
        #expect(TimeToLive(duration).milliseconds == expected)
    }

    @Test func aDurationThatIsTooLongStopsAtTheEnd() {
        #expect(TimeToLive(.seconds(Int64.max)) == Self.longest)
        #expect(TimeToLive(.seconds(Int64.min)) == Self.mostNegative)
        #expect(TimeToLive(.milliseconds(Int64.max)) == Self.longest)
        #expect(TimeToLive(.milliseconds(Int64.min)) == Self.mostNegative)
        #expect(TimeToLive(.milliseconds(Int64.max) + .milliseconds(1)) == Self.longest)
    }

    @Test(arguments: [0, 1, -1, 86_400_000, .max, .min] as [Int64])
    func aLengthComesBackFromADuration(_ milliseconds: Int64) {
        #expect(TimeToLive(TimeToLive(milliseconds: milliseconds).duration).milliseconds == milliseconds)
    }

    @Test func unitsAreMilliseconds() {
        #expect(TimeToLive.milliseconds(7).milliseconds == 7)
        #expect(TimeToLive.days(2) == .hours(48))
        #expect(TimeToLive.days(-1).milliseconds == -86_400_000)
        #expect(TimeToLive.days(.max) == Self.longest)
        #expect(TimeToLive.days(.min) == Self.mostNegative)
    }

    @Test func sumsAndDifferencesStopAtTheEnds() {
        #expect(TimeToLive.hours(1) + .minutes(30) == .minutes(90))
        #expect(TimeToLive.hours(1) - .minutes(90) == .minutes(-30))
        #expect(Self.longest + .milliseconds(1) == Self.longest)
        #expect(Self.mostNegative + .milliseconds(-1) == Self.mostNegative)
        #expect(Self.longest - .milliseconds(-1) == Self.longest)
        #expect(Self.mostNegative - .milliseconds(1) == Self.mostNegative)
        #expect(.zero - Self.mostNegative == Self.longest)
    }

    @Test func theDifferenceOfInstantsIsALength() {
        let start = Timestamp(milliseconds: 1_768_498_200_000)
        #expect((start + .days(1)) - start == .hours(24))
        #expect(start - (start + .seconds(2)) == .seconds(-2))
        #expect(Timestamp(milliseconds: .max) - Timestamp(milliseconds: -1) == Self.longest)
    }
}
