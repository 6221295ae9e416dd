import EntitlementValues
import TVETesting
import Testing
import TokenLifetimes

@Suite struct LedgerSnapshotTests {
    private static let start: Int64 = 1_768_498_200_000
    private static let channel = Entitlement.authorization(
        requestor: "REF30", mvpd: "M\"\u{0}", resource: "<rss>\n</rss>")

    private static func ledger(_ time: ManualTime) throws -> EntitlementLedger {
        let ledger = EntitlementLedger(time: time.source)
        try ledger.bind(to: "D1")
        try ledger.select("M\"\u{0}", for: "REF30")
        ledger.allow(issuers: ["M\"\u{0}", "Apple"], for: "REF30")
        let (begin, end) = (Timestamp(milliseconds: start), Timestamp(milliseconds: start + 3_600_000))
        try ledger.record(channel, EntitlementPeriod(notBefore: begin, notAfter: end))
        let authentication = Entitlement.authentication(requestor: "REF30", mvpd: "M\"\u{0}")
        try ledger.record(authentication, .unreadable, issuer: "Apple")
        return ledger
    }

    @Test func `A snapshot holds everything in one order`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let text = try Self.ledger(time).snapshot
        let again = try EntitlementLedger(snapshot: "\n \(text)\r\n", time: time.source)
        #expect(again.snapshot == text)
        #expect(again.device == "D1")
        #expect(again.selection(for: "REF30") == "M\"\u{0}")
        #expect(again.status(of: Self.channel) == .valid(for: .hours(1)))
        #expect(try again.record(Self.channel, .unreadable, issuer: "Other") == .issuerNotAllowed)
        #expect(
            text == """
                {"version":1,"latest":1768498200000,"device":"D1",\
                "selections":[{"requestor":"REF30","mvpd":"M\\"\\u0000"}],\
                "issuers":[{"requestor":"REF30","allowed":["Apple","M\\"\\u0000"]}],\
                "entries":[{"requestor":"REF30","mvpd":"M\\"\\u0000","issuer":"Apple","recorded":1768498200000,\
                "expired":true},\
                {"requestor":"REF30","mvpd":"M\\"\\u0000","resource":"<rss>\\n</rss>","notBefore":1768498200000,\
                "notAfter":1768501800000,"issuer":"M\\"\\u0000","recorded":1768498200000}],\
                "checksum":"\(text.suffix(18).prefix(16))"}
                """)
    }

    @Test func `What had expired stays so and an earlier clock is reported`() async throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let ledger = try Self.ledger(time)
        time.set(Timestamp(milliseconds: Self.start + 3_600_000))
        let text = ledger.snapshot
        time.set(Timestamp(milliseconds: Self.start))
        await confirmation { reported in
            do {
                let again = try EntitlementLedger(snapshot: text, time: time.source) { report in
                    #expect(report.code == "clock_jumped_back")
                    reported()
                }
                #expect(again.status(of: Self.channel).code == "expired")
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func `Every cut and every changed byte is noticed`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let text = Array(try Self.ledger(time).snapshot.utf8)
        for length in 0..<text.count {
            #expect(throws: LedgerError.self) {
                _ = try EntitlementLedger(snapshot: String(decoding: text[..<length], as: UTF8.self), time: time.source)
            }
        }
        for index in text.indices {
            var changed = text
            changed[index] ^= 1
            #expect(throws: LedgerError.self) {
                _ = try EntitlementLedger(snapshot: String(decoding: changed, as: UTF8.self), time: time.source)
            }
        }
    }

    @Test(arguments: [
        ("", "snapshot_unreadable"), ("{", "snapshot_unreadable"), ("[]", "snapshot_unreadable"),
        ("{}", "snapshot_field"), ("{\"version\":\"1\"}", "snapshot_field"), ("{\"version\":2}", "snapshot_version"),
        ("{\"version\":0,\"checksum\":\"\"}", "snapshot_version"), ("{\"version\":1}", "snapshot_edited"),
        ("{\"version\":1,\"version\":1}", "snapshot_unreadable"),
    ])
    func `What is no snapshot is named`(text: String, code: String) {
        #expect(Self.code(text) == code)
    }

    /// With a good checksum, so that the fields themselves are checked.
    @Test(arguments: [
        "\"entries\":[]", "\"selections\":[],\"issuers\":[]", "\"selections\":{},\"issuers\":[],\"entries\":[]",
        "\"selections\":[],\"issuers\":[],\"entries\":[],\"more\":1",
        "\"latest\":1.5,\"selections\":[],\"issuers\":[],\"entries\":[]",
        "\"latest\":9223372036854775808,\"selections\":[],\"issuers\":[],\"entries\":[]",
        "\"device\":\"\",\"selections\":[],\"issuers\":[],\"entries\":[]",
        "\"selections\":[{\"requestor\":\"R\"}],\"issuers\":[],\"entries\":[]",
        "\"selections\":[{\"requestor\":\"R\",\"mvpd\":\"M\"},{\"requestor\":\"R\",\"mvpd\":\"N\"}],\"issuers\":[],"
            + "\"entries\":[]",
        "\"selections\":[],\"issuers\":[{\"requestor\":\"R\",\"allowed\":[\"M\",\"M\"]}],\"entries\":[]",
        "\"selections\":[],\"issuers\":[],\"entries\":[{\"requestor\":\"R\",\"mvpd\":\"M\",\"issuer\":\"M\"}]",
        "\"selections\":[],\"issuers\":[],\"entries\":[{\"requestor\":\"R\",\"mvpd\":\"M\",\"issuer\":\"M\","
            + "\"recorded\":1,\"expired\":false}]",
    ])
    func `A field that no ledger writes is refused`(members: String) {
        #expect(Self.code(Self.summed("{\"version\":1,\(members)")) == "snapshot_field")
    }

    @Test func `A line that occurs twice is refused`() {
        let line = "{\"requestor\":\"R\",\"mvpd\":\"M\",\"issuer\":\"M\",\"recorded\":1}"
        let start = "{\"version\":1,\"selections\":[],\"issuers\":[],\"entries\":["
        #expect(Self.code(Self.summed("\(start)\(line)]")) == nil)
        #expect(Self.code(Self.summed("\(start)\(line),\(line)]")) == "snapshot_field")
    }

    @Test func `More lines than the capacity are refused`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let text = try Self.ledger(time).snapshot
        #expect(throws: LedgerError.full(capacity: 1)) {
            _ = try EntitlementLedger(snapshot: text, policy: LedgerPolicy(capacity: 1), time: time.source)
        }
    }

    private static func code(_ text: String) -> String? {
        do throws(LedgerError) {
            _ = try EntitlementLedger(snapshot: text, time: ManualTime(at: Timestamp(milliseconds: start)).source)
            return nil
        } catch {
            return error.code
        }
    }

    /// Adds the last member, as the format defines it: FNV-1a of everything before.
    private static func summed(_ text: String) -> String {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(sum, radix: 16)
        return "\(text),\"checksum\":\"\(String(repeating: "0", count: 16 - digits.count))\(digits)\"}"
    }
}
