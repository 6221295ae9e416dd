import EntitlementDates
import EntitlementValues
import Foundation
import Testing

/// Instants and lengths as Foundation has them.
@Suite struct DateTests {
    @Test(arguments: [0, 1, -1, 999, 1_768_498_200_029, 1_489_675_188_001, 253_402_300_799_999, -62_135_596_800_000])
    func `A date gives the same instant back`(_ milliseconds: Int64) {
        let instant = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(instant.date) == instant)
        #expect(abs(instant.date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.000_01)
    }

    @Test func `Every millisecond of a second comes back`() {
        for millisecond in 0..<1000 {
            let instant = Timestamp(milliseconds: 1_768_498_200_000 + Int64(millisecond))
            #expect(Timestamp(instant.date) == instant)
        }
    }

    @Test func `Fractions are cut towards the past`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 0.0019)).milliseconds == 1)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.0011)).milliseconds == -2)
    }

    @Test func `Dates without an instant stop at the ends`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)).milliseconds == .min)
    }

    @Test(
        arguments: [
            (0, 0), (1.5, 1500), (-1.5, -1500), (0.0019, 1), (-0.0019, -1), (0.029, 29), (1e300, .max), (-1e300, .min),
            (.nan, 0), (.infinity, .max),
        ] as [(Double, Int64)])
    func `An interval is cut to milliseconds`(_ interval: Double, _ expected: Int64) {
        #expect(TimeToLive(timeInterval: interval).milliseconds == expected)
    }

    @Test(arguments: [0, 1, 29, -29, 86_400_000] as [Int64])
    func `A length comes back from an interval`(_ milliseconds: Int64) {
        let length = TimeToLive(milliseconds: milliseconds)
        #expect(TimeToLive(timeInterval: length.timeInterval) == length)
    }
}
