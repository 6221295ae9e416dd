import EntitlementValues
import TVETesting
import TestVectors
import Testing
import TokenLifetimes

@Suite struct UpcomingExpiriesTests {
    private static let start: Int64 = 1_768_498_200_000
    private static let minute: Int64 = 60_000
    private static let first = Entitlement.authentication(requestor: "R", mvpd: "M")
    private static let second = Entitlement.authorization(requestor: "R", mvpd: "M", resource: "X")

    private let time = ManualTime(at: Timestamp(milliseconds: start))
    private let ledger: EntitlementLedger

    init() { ledger = EntitlementLedger(time: time.source) }

    private func record(_ entitlement: Entitlement, minutes: Int64) throws {
        try ledger.record(entitlement, EntitlementPeriod(notAfter: time.now + .minutes(minutes)))
    }

    /// Lets the loop come to rest.
    private func untilAsleep() async throws {
        try await eventually("a task that waits for the time") { time.sleepers > 0 }
    }

    @Test func `Each is told of at the margin`() async throws {
        try record(Self.second, minutes: 60)
        try record(Self.first, minutes: 30)
        let loop = Task { [ledger] in
            var told: [UpcomingExpiry] = []
            for await due in ledger.upcomingExpiries() {
                told.append(due)
                if told.count == 2 { break }
            }
            return told
        }
        try await untilAsleep()
        time.advance(by: .minutes(25))
        try await untilAsleep()
        time.advance(by: .minutes(30))
        let told = await loop.value
        #expect(told.map(\.entitlement) == [Self.first, Self.second])
        #expect(told.map(\.expires.milliseconds) == [Self.start + 30 * Self.minute, Self.start + 60 * Self.minute])
    }

    @Test func `A new recording wakes the loop`() async throws {
        try record(Self.first, minutes: 600)
        let loop = Task { [ledger] () -> Entitlement? in
            for await due in ledger.upcomingExpiries() { return due.entitlement }
            return nil
        }
        try await untilAsleep()
        try record(Self.second, minutes: 10)
        try await untilAsleep()
        // The loop must not wait for the first one's margin alone.
        time.advance(by: .minutes(5))
        #expect(await loop.value == Self.second)
    }

    @Test func `What is erased or recorded anew is not told of`() async throws {
        try record(Self.first, minutes: 10)
        try record(Self.second, minutes: 20)
        let expiries = ledger.upcomingExpiries()
        ledger.invalidate(Self.second)
        try record(Self.first, minutes: 60)
        var iterator = expiries.makeAsyncIterator()
        time.advance(by: .minutes(55))
        let told = await iterator.next()
        #expect(told?.entitlement == Self.first)
        #expect(told?.expires.milliseconds == Self.start + 60 * Self.minute)
    }

    @Test func `Many at once come in the order of their ends`() async throws {
        for number in 1...9 {
            let resource = ResourceID("X\(number * 7 % 10)")
            try record(.authorization(requestor: "R", mvpd: "M", resource: resource), minutes: Int64(number * 7 % 10))
        }
        time.advance(by: .seconds(30))
        let expiries = ledger.upcomingExpiries()
        var iterator = expiries.makeAsyncIterator()
        time.advance(by: .minutes(9))
        var told: [String?] = []
        for _ in 1...9 { told.append(await iterator.next()?.entitlement.resource?.rawValue) }
        #expect(told == (1...9).map { "X\($0)" })
    }

    /// A lifetime no longer than the margin is refreshed half-way; else a loop would ask the server without pause.
    @Test func `A short lifetime is told of halfway`() async throws {
        try record(Self.first, minutes: 4)
        let loop = Task { [ledger] () -> Entitlement? in
            for await due in ledger.upcomingExpiries() { return due.entitlement }
            return nil
        }
        try await untilAsleep()
        time.advance(by: TimeToLive(milliseconds: 119_999))
        try await untilAsleep()
        time.advance(by: TimeToLive(milliseconds: 1))
        #expect(await loop.value == Self.first)
    }

    @Test func `What came in expired is not told of`() async throws {
        try ledger.record(Self.first, .unreadable)
        try record(Self.first, minutes: -1)
        try record(Self.second, minutes: 1)
        var iterator = ledger.upcomingExpiries().makeAsyncIterator()
        time.advance(by: .minutes(1))
        #expect(await iterator.next()?.entitlement == Self.second)
    }

    @Test func `Cancellation ends the loop wherever it waits`() async throws {
        let idle = Task { [ledger] in for await _ in ledger.upcomingExpiries() {} }
        try record(Self.first, minutes: 600)
        let asleep = Task { [ledger] in for await _ in ledger.upcomingExpiries() {} }
        try await untilAsleep()
        idle.cancel()
        asleep.cancel()
        await idle.value
        await asleep.value
        #expect(time.sleepers == 0)
    }
}
