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
    func `A duration is cut to milliseconds`(_ duration: Duration, _ expected: Int64) {
        #expect(TimeToLive(duration).milliseconds == expected)
    }

    @Test func `A duration that is too long stops at the end`() {
        #expect(TimeToLive(.seconds(Int64.max)) == Self.longest)
        #expect(TimeToLive(.seconds(Int64.min)) == Self.mostNegative)
        #expect(TimeToLive(.milliseconds(Int64.max)) == Self.longest)
        #expect(TimeToLive(.milliseconds(Int64.min)) == Self.mostNegative)
        #expect(TimeToLive(.milliseconds(Int64.max) + .milliseconds(1)) == Self.longest)
    }

    @Test(arguments: [0, 1, -1, 86_400_000, .max, .min] as [Int64])
    func `A length comes back from a duration`(_ milliseconds: Int64) {
        #expect(TimeToLive(TimeToLive(milliseconds: milliseconds).duration).milliseconds == milliseconds)
    }

    @Test func `Units are milliseconds`() {
        #expect(TimeToLive.milliseconds(7).milliseconds == 7)
        #expect(TimeToLive.days(2) == .hours(48))
        #expect(TimeToLive.days(-1).milliseconds == -86_400_000)
        #expect(TimeToLive.days(.max) == Self.longest)
        #expect(TimeToLive.days(.min) == Self.mostNegative)
    }

    @Test func `Sums and differences stop at the ends`() {
        #expect(TimeToLive.hours(1) + .minutes(30) == .minutes(90))
        #expect(TimeToLive.hours(1) - .minutes(90) == .minutes(-30))
        #expect(Self.longest + .milliseconds(1) == Self.longest)
        #expect(Self.mostNegative + .milliseconds(-1) == Self.mostNegative)
        #expect(Self.longest - .milliseconds(-1) == Self.longest)
        #expect(Self.mostNegative - .milliseconds(1) == Self.mostNegative)
        #expect(.zero - Self.mostNegative == Self.longest)
    }

    @Test func `The difference of instants is a length`() {
        let start = Timestamp(milliseconds: 1_768_498_200_000)
        #expect((start + .days(1)) - start == .hours(24))
        #expect(start - (start + .seconds(2)) == .seconds(-2))
        #expect(Timestamp(milliseconds: .max) - Timestamp(milliseconds: -1) == Self.longest)
    }
}
