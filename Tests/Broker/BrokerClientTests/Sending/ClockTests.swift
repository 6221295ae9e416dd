#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import Testing

struct ClockTests {
    private static let now = Timestamp(milliseconds: 784_111_777_000)

    private static func answer(dated date: String?) -> HTTPAnswer {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.date] = date
        return HTTPAnswer(head)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", Int64(0)), ("Sun, 06 Nov 1994 08:50:38 GMT", 61_000),
        ("Sun, 06 Nov 1994 08:48:36 GMT", -61_000),
    ])
    func `The date of an answer is compared with the time of day`(date: String, offset: Int64) {
        let clock = BrokerClock()
        #expect(clock.offset == nil)
        clock.note(Self.answer(dated: date), at: Self.now)
        #expect(clock.offset == TimeToLive(milliseconds: offset))
    }

    @Test(arguments: [nil, "", "yesterday", "Sunday, 06-Nov-94 08:49:37 GMT"])
    func `An answer without a date changes nothing`(date: String?) {
        let clock = BrokerClock()
        clock.note(Self.answer(dated: "Sun, 06 Nov 1994 08:49:47 GMT"), at: Self.now)
        clock.note(Self.answer(dated: date), at: Self.now)
        #expect(clock.offset == .seconds(10))
    }
}
#endif
