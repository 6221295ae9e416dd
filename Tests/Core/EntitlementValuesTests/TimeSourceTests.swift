import EntitlementValues
import Synchronization
import TVETesting
import TestVectors
import Testing

@Suite struct TimeSourceTests {
    private static let start = Timestamp(milliseconds: 1_768_498_200_000)

    private let time = ManualTime(at: start)

    /// Lets all tasks that were started come to rest on the time.
    private func untilAsleep(_ count: Int = 1) async throws {
        try await eventually("\(count) tasks that wait for the time") { time.sleepers >= count }
    }

    @Test func `Both clocks go on together`() {
        let source = time.source
        let uptime = source.uptime
        time.advance(by: .minutes(7))
        #expect(source.now == Self.start + .minutes(7))
        #expect(source.uptime - uptime == .seconds(420))
    }

    @Test func `Setting the time of day moves no uptime`() {
        let source = time.source
        let uptime = source.uptime
        for now in [Self.start + .hours(5), Self.start - .hours(5), Timestamp(milliseconds: .min)] {
            time.set(now)
            #expect(source.now == now)
            #expect(source.uptime == uptime)
        }
    }

    @Test func `Sleepers wake in the order of their deadlines`() async throws {
        let source = time.source
        try await withThrowingTaskGroup(of: Int.self) { group in
            for seconds in [30, 10, 20] {
                group.addTask { [deadline = source.uptime + .seconds(seconds)] in
                    try? await source.sleep(untilUptime: deadline)
                    return seconds
                }
            }
            try await untilAsleep(3)
            for seconds in [10, 20, 30] {
                time.advance(by: .seconds(10))
                let woken = try await group.next()
                #expect(woken == seconds)
                #expect(time.sleepers == 3 - seconds / 10)
            }
        }
    }

    @Test func `A deadline that has passed returns at once`() async throws {
        for source in [time.source, .system, .fixed(at: Self.start)] {
            try await source.sleep(untilUptime: source.uptime - .seconds(1))
            try await source.sleep(until: source.now - .seconds(1))
            try await source.sleep(until: Timestamp(milliseconds: .min))
        }
    }

    /// The time of day is read every 30 seconds, so a wait of an hour ends soon after the clock was set forward by one.
    @Test func `A wait for a time of day notices that the clock was set`() async throws {
        let source = time.source
        let sleep = Task { try await source.sleep(until: Self.start + .hours(1)) }
        try await untilAsleep()
        time.set(Self.start + .hours(1))
        time.advance(by: TimeToLive(milliseconds: 29_999))
        #expect(time.sleepers == 1)
        time.advance(by: TimeToLive(milliseconds: 1))
        try await sleep.value
    }

    @Test func `A wait for a time of day is not over before it`() async throws {
        let source = time.source
        let hasEnded = Mutex(false)
        let sleep = Task {
            try await source.sleep(until: Self.start + .minutes(1))
            hasEnded.withLock { $0 = true }
        }
        try await untilAsleep()
        time.set(Self.start - .hours(1))
        // A suspended machine wakes long after; the clock was set back meanwhile.
        time.advance(by: .minutes(60))
        try await untilAsleep()
        #expect(!hasEnded.withLock { $0 })
        time.advance(by: .minutes(1))
        try await sleep.value
        #expect(hasEnded.withLock { $0 })
    }

    @Test func `Cancellation ends every wait`() async throws {
        for source in [time.source, .system, .fixed(at: Self.start)] {
            let sleeps = [
                Task { try await source.sleep(until: source.now + .hours(1)) },
                Task { try await source.sleep(untilUptime: source.uptime + .seconds(3600)) },
            ]
            for sleep in sleeps {
                sleep.cancel()
                await #expect(throws: CancellationError.self) { try await sleep.value }
            }
        }
        #expect(time.sleepers == 0)
    }

    @Test func `The system waits as long as it was asked to`() async throws {
        let source = TimeSource.system
        let (now, uptime) = (source.now, source.uptime)
        try await source.sleep(untilUptime: uptime + .milliseconds(20))
        #expect(source.uptime - uptime >= .milliseconds(20))
        try await source.sleep(until: now + TimeToLive(milliseconds: 40))
        #expect(source.now >= now + TimeToLive(milliseconds: 40))
    }

    @Test func `A fixed time of day stands still`() async throws {
        let source = TimeSource.fixed(at: Self.start)
        let uptime = source.uptime
        try await source.sleep(untilUptime: uptime + .milliseconds(5))
        #expect(source.now == Self.start)
        #expect(source.uptime > uptime)
    }
}
