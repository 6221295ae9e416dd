import EntitlementValues
import Synchronization
import TVETesting
import Testing
import TokenLifetimes

/// What the vectors and the model do not cover: refusals, descriptions, threads.
@Suite struct EntitlementLedgerTests {
    private static let start: Int64 = 1_768_498_200_000
    private static let channel = Entitlement.authorization(requestor: "R", mvpd: "M", resource: "X")
    private static let period = EntitlementPeriod(notAfter: Timestamp(milliseconds: start + 3_600_000))

    @Test(arguments: [
        (Entitlement.authentication(requestor: "", mvpd: "M"), "M", "D", "requestor"),
        (.authentication(requestor: "R", mvpd: ""), "M", "D", "mvpd"),
        (.authorization(requestor: "R", mvpd: "M", resource: ""), "M", "D", "resource"),
        (channel, "", "D", "issuer"), (channel, "M", "", "device"),
    ])
    func `An empty name is refused`(_ entitlement: Entitlement, issuer: String, device: String, field: String) {
        let ledger = EntitlementLedger(time: ManualTime(at: Timestamp(milliseconds: Self.start)).source)
        #expect(throws: LedgerError.emptyIdentifier(field)) {
            try ledger.record(entitlement, Self.period, issuer: MVPDID(issuer), device: DeviceID(device))
        }
        #expect(ledger.count == 0 && ledger.device == nil)
    }

    @Test func `A full ledger refuses what is new and takes what replaces`() throws {
        let policy = try LedgerPolicy(capacity: 1)
        let ledger = EntitlementLedger(policy: policy, time: ManualTime(at: Timestamp(milliseconds: Self.start)).source)
        try ledger.record(Self.channel, Self.period)
        #expect(throws: LedgerError.full(capacity: 1)) {
            try ledger.record(.authentication(requestor: "R", mvpd: "M"), Self.period)
        }
        #expect(try ledger.record(Self.channel, Self.period) == .recorded)
    }

    @Test func `A policy that cannot be meant is refused`() {
        let negative = TimeToLive(milliseconds: -1)
        #expect(throws: LedgerError.self) { try LedgerPolicy(refreshMargin: negative) }
        #expect(throws: LedgerError.self) { try LedgerPolicy(clockMargin: negative) }
        #expect(throws: LedgerError.self) { try LedgerPolicy(capacity: 0) }
    }

    @Test(
        arguments: [
            (nil, 1_768_498_200, ["not_milliseconds"]), (1_768_498_200, 1_768_501_800_000, ["not_milliseconds"]),
            (nil, 0, ["not_milliseconds"]), (nil, -1, ["not_milliseconds"]), (nil, .max, ["not_milliseconds"]),
            (nil, 1_768_498_200_000_000, ["not_milliseconds"]), (nil, nil, ["unreadable_date"]),
            (1_768_501_800_000, 1_768_501_799_999, ["ends_before_it_begins"]), (nil, 1_768_501_800_000, []),
        ] as [(Int64?, Int64?, [String])])
    func `Odd instants are taken as they are and reported`(begin: Int64?, end: Int64?, codes: [String]) throws {
        let told = Mutex<[String]>([])
        let ledger = EntitlementLedger(time: ManualTime(at: Timestamp(milliseconds: Self.start)).source) { report in
            told.withLock { $0.append(report.code) }
        }
        let period = EntitlementPeriod(
            notBefore: begin.map { Timestamp(milliseconds: $0) }, notAfter: end.map { Timestamp(milliseconds: $0) })
        #expect(try ledger.record(Self.channel, period) == .recorded)
        #expect(told.withLock { $0 } == codes)
        #expect(ledger.expiry(of: Self.channel)?.milliseconds == end)
    }

    /// At both ends of what is representable, every question has an answer, whichever time it is.
    @Test func `No instant overflows`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: .min))
        let ledger = EntitlementLedger(time: time.source)
        for begin in [Int64.min, 0, .max] {
            for end in [Int64.min, 0, .max] {
                let period = EntitlementPeriod(
                    notBefore: Timestamp(milliseconds: begin), notAfter: Timestamp(milliseconds: end))
                ledger.invalidate(Self.channel)
                try ledger.record(Self.channel, period)
                for now in [Int64.min, 0, .max] {
                    time.set(Timestamp(milliseconds: now))
                    #expect(!ledger.status(of: Self.channel).description.isEmpty)
                }
            }
        }
    }

    @Test func `A clock that only goes back never revives`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let ledger = EntitlementLedger(time: time.source)
        let entitlements = (0..<50).map { number in
            Entitlement.authorization(requestor: "R", mvpd: "M", resource: ResourceID("X\(number)"))
        }
        for (number, entitlement) in entitlements.enumerated() {
            // Each expires at the instant that the clock shows at its recording.
            time.set(Timestamp(milliseconds: Self.start - Int64(number)))
            try ledger.record(entitlement, EntitlementPeriod(notAfter: time.now + TimeToLive(milliseconds: 1)))
        }
        time.set(Timestamp(milliseconds: Self.start + 1))
        time.set(Timestamp(milliseconds: Self.start - 1000))
        #expect(ledger.expired.isEmpty, "the ledger never saw the instant in between")
        time.set(Timestamp(milliseconds: Self.start + 1))
        #expect(ledger.expired.count == 50)
        time.set(Timestamp(milliseconds: Self.start - 1000))
        #expect(ledger.expired.count == 50)
    }

    /// A clock that goes back at every look is measured more strictly, never more leniently.
    @Test func `Many steps back revive nothing either`() throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let ledger = EntitlementLedger(time: time.source)
        for step in 0..<300 {
            time.set(Timestamp(milliseconds: Self.start - Int64(step)))
            let resource = ResourceID("X\(step)")
            try ledger.record(
                .authorization(requestor: "R", mvpd: "M", resource: resource), EntitlementPeriod(notAfter: time.now))
        }
        #expect(ledger.expired.count == 300)
    }

    @Test func `Threads may share a ledger`() async throws {
        let time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let ledger = EntitlementLedger(time: time.source)
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        let resource = ResourceID("X\(worker)-\(number)")
                        let entitlement = Entitlement.authorization(requestor: "R", mvpd: "M", resource: resource)
                        #expect((try? ledger.record(entitlement, Self.period)) == .recorded)
                        if !ledger.status(of: entitlement).isGood { Issue.record("\(entitlement)") }
                        if number % 2 == 0 { ledger.invalidate(entitlement) }
                    }
                }
            }
        }
        #expect(ledger.count == 8 * 250)
    }

    @Test func `A device is spelled as tokens of native clients spell it`() {
        // printf %s 'device-1' | openssl dgst -sha1
        #expect(DeviceID(hashing: "device-1") == "ef9a3303c459399446370c0bd5a326de2d934668")
    }

    @Test func `Words name no device and hide no controls`() throws {
        let ledger = EntitlementLedger(time: ManualTime(at: Timestamp(milliseconds: Self.start)).source)
        #expect(Entitlement.authentication(requestor: "R\n", mvpd: "M").description.contains("R\\u{a}"))
        let token = LedgerReport.oddPeriod(Self.channel, .unreadable)
        #expect(token.description.utf8.allSatisfy { $0 >= 0x20 })
        #expect(ledger.status(of: Self.channel).description == "unknown")
    }
}
