import EntitlementValues
import Testing

/// Dates as HTTP writes them; the instants of the samples are those of GNU date.
@Suite struct HTTPDateTests {
    private static let samples: [(text: String, milliseconds: Int64)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1000), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000_000),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799_000), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800_000),
    ]

    @Test(arguments: samples)
    func `A date is read and written`(text: String, milliseconds: Int64) {
        #expect(Timestamp(httpDate: text) == Timestamp(milliseconds: milliseconds))
        #expect(Timestamp(milliseconds: milliseconds).httpDate == text)
    }

    @Test func `What is written is read again, without its milliseconds`() {
        for milliseconds in stride(from: Int64(-62_135_596_800_000), to: 253_402_300_799_999, by: 86_395_123_457) {
            let instant = Timestamp(milliseconds: milliseconds)
            #expect(instant.httpDate.flatMap(Timestamp.init(httpDate:)) == instant.wholeSecond)
        }
    }

    @Test func `The year ends the range`() {
        #expect(Timestamp(milliseconds: .max).httpDate == nil)
        #expect(Timestamp(milliseconds: .min).httpDate == nil)
    }

    @Test func `A leap second is the second before it`() {
        let leap = Timestamp(httpDate: "Sat, 31 Dec 2016 23:59:60 GMT")
        #expect(leap == Timestamp(httpDate: "Sat, 31 Dec 2016 23:59:59 GMT"))
        #expect(leap != nil)
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +00", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun; 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GM", "Sun,  6 Nov 1994 08:49:37 GMT",
    ])
    func `Another form is refused`(text: String) {
        #expect(Timestamp(httpDate: text) == nil)
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1000), (-1, -1000), (-1000, -1000), (-1001, -2000)] as [(Int64, Int64)])
    func `A second begins at or before the instant`(milliseconds: Int64, begin: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).wholeSecond == Timestamp(milliseconds: begin))
    }
}
