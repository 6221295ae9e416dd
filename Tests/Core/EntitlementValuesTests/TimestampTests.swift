import EntitlementValues
import Testing

@Suite struct TimestampTests {
    /// 2017-03-16 07:39:48 -0700 as GNU date gives it: `date -d '2017-03-16 07:39:48 -0700' +%s`.
    static let march = Timestamp(milliseconds: 1_489_675_188_000)

    @Test(arguments: [
        "2017-03-16 07:39:48 -0700", "2017-03-16T07:39:48-0700", "2017-03-16T14:39:48Z", "2017-03-16 14:39:48 Z",
        "2017-03-16T14:39:48+00:00", "2017/03/16 07:39:48 GMT -0700", "2017/03/16 07:39:48_GMT -0700",
        "2017-03-16 07:39:48.0 -07:00", "2017-03-16 14:39:48 -0000", "1489675188000", "2017-03-17 04:39:48 +1400",
        "2017-03-16 00:39:48 -1400",
    ])
    func `Every form is read`(_ text: String) {
        #expect(Timestamp(text) == Self.march)
    }

    @Test(arguments: [
        "", "2017-03-16 07:39:48", "2017-03-16 07:39:48 GMT", "2017-03-16 07:39:48 -07", "2017-03-16 07:39:48 -07000",
        "2017-03-16 07:39:48  -0700", " 2017-03-16 07:39:48 -0700", "2017-03-16 07:39:48 -0700 ",
        "2017/03-16 07:39:48 -0700", "17-03-16 07:39:48 -0700", "12017-03-16 07:39:48 -0700",
        "2017-3-16 07:39:48 -0700",
        "2017-02-29 07:39:48 -0700", "2100-02-29 07:39:48 -0700", "2017-13-16 07:39:48 -0700",
        "2017-00-16 07:39:48 -0700",
        "2017-03-32 07:39:48 -0700", "2017-03-00 07:39:48 -0700", "2017-03-16 24:00:00 -0700",
        "2017-03-16 07:60:48 -0700",
        "2016-12-31 23:59:60 +0000", "2017-03-16 07:39:48 -1401", "2017-03-16 07:39:48 +1500",
        "2017-03-16 07:39:48 -0760",
        "2017-03-16t07:39:48Z", "2017-03-16 07:39:48. -0700", "2017-03-16 07:39:48.1234567890 -0700",
        "2017-03-16 07:39:48,5 -0700", "0000-03-16 07:39:48 -0700", "２０１７-03-16 07:39:48 -0700", "1489675188",
        "14896751880000", "+489675188000", "2017-03-16 07:39:48 gmt -0700", "2017-03-16 07:39:48GMT -0700",
        "2017-03-16 07:39:48 GMT-0700", "2017-03-16 07:39:48 GMT Z", "2017-03-16 07:39:48 UTC",
        "2017-03-16\u{0}07:39:48 -0700",
    ])
    func `Everything else is refused`(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `Wire only reads no other form`() {
        #expect(Timestamp("2017-03-16 07:39:48 -0700", forms: .wireOnly) == Self.march)
        for text in [
            "2017-03-16T07:39:48 -0700", "2017-03-16 14:39:48 Z", "1489675188000", "2017/03/16 07:39:48 -0700",
        ] {
            #expect(Timestamp(text, forms: .wireOnly) == nil)
        }
    }

    @Test func `Fractions are cut to milliseconds`() {
        #expect(Timestamp("1970-01-01T00:00:00.5Z")?.milliseconds == 500)
        #expect(Timestamp("1970-01-01T00:00:00.0019Z")?.milliseconds == 1)
        #expect(Timestamp("1970-01-01T00:00:00.123456789Z")?.milliseconds == 123)
    }

    /// Days of all relevant years, and the limits of the calendar, converted there and back.
    @Test func `Dates come back as they went`() {
        for day in stride(from: -719_162, through: 2_932_896, by: 97) {
            let instant = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64(day & 0xFFFF) * 1000)
            #expect(Timestamp(instant.description) == instant)
        }
        let corners = [
            "0001-01-01T00:00:00Z", "1600-02-29T23:59:59Z", "1900-02-28T00:00:00Z", "2000-02-29T12:00:00Z",
            "9999-12-31T23:59:59.999Z",
        ]
        for text in corners { #expect(Timestamp(text)?.description == text) }
    }

    @Test func `Arithmetic stops at the ends`() {
        let last = Timestamp(milliseconds: .max)
        let first = Timestamp(milliseconds: .min)
        #expect(last + .seconds(1) == last)
        #expect(first - .seconds(1) == first)
        #expect(first + TimeToLive(milliseconds: -1) == first)
        #expect(last - TimeToLive(milliseconds: .min) == last)
        #expect(last.since(first).milliseconds == .max)
        #expect(first.since(last).milliseconds == .min)
        #expect(TimeToLive.hours(.max).milliseconds == .max)
        #expect(TimeToLive.hours(.min).milliseconds == .min)
        #expect(last.description == "epoch ms \(Int64.max)")
    }

    @Test(
        arguments: [
            (0, "0 ms"), (999, "999 ms"), (1500, "1.5 s"), (42_000, "42 s"), (420_000, "7 min"),
            (445_000, "7 min 25 s"),
            (7_500_000, "2 h 5 min"), (273_600_000, "3 d 4 h"), (-420_000, "-7 min"),
        ] as [(Int64, String)])
    func `Lengths read well`(_ milliseconds: Int64, _ text: String) {
        #expect(TimeToLive(milliseconds: milliseconds).description == text)
    }
}

@Suite struct EntitlementIdentifierTests {
    /// Pairs that Swift's strings call equal.
    @Test(arguments: [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), (";", "\u{37E}")])
    func `Look-alikes differ`(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(ResourceID(one) != ResourceID(other))
        #expect(Set([RequestorID(one), RequestorID(other)]).count == 2)
    }

    @Test func `Same bytes are equal`() {
        #expect(MVPDID("TestMVPD") == "TestMVPD")
        #expect(MVPDID("TestMVPD").hashValue == MVPDID("TestMVPD").hashValue)
        #expect(ResourceID("a") != ResourceID("A"))
        #expect(ResourceID("a") != ResourceID("a "))
    }
}
