#if Client
import BrokerClient
import EntitlementValues
import TestVectors
import TVETesting
import Testing

struct PacerTests {
    let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))

    private func pacer(capacity: Int = 65_536) -> RequestPacer { RequestPacer(time: time.source, capacity: capacity) }

    /// Asks for a turn that has to come now.
    private func turn(
        _ pacer: RequestPacer,
        _ address: String? = "203.0.113.7",
        _ priority: RequestPriority = .foreground
    ) async -> RequestPacer.Turn {
        await pacer.turn(for: address, priority, within: .nanoseconds(1))
    }

    private func spendAdvance(_ pacer: RequestPacer, _ address: String? = "203.0.113.7") async {
        for _ in 0..<11 { _ = await turn(pacer, address) }
    }

    @Test func `The broker's worked example`() async {
        let pacer = pacer()
        let tenths = [
            0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 21, 22, 24, 26, 28, 31,
        ]
        var passed: [Int] = []
        var last = 0
        for tenth in tenths {
            time.advance(by: TimeToLive(milliseconds: Int64(tenth - last) * 100))
            last = tenth
            if await turn(pacer) == .granted(waited: .zero) { passed.append(tenth) }
        }
        #expect(passed == [0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 21, 22, 31])
    }

    @Test func `The advance does not come back`() async {
        let pacer = pacer()
        await spendAdvance(pacer)
        time.advance(by: .hours(24))
        #expect(await turn(pacer) == .granted(waited: .zero))
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(1050)))
    }

    @Test func `Addresses are counted apart, and requests without one together`() async {
        let pacer = pacer()
        for address in ["203.0.113.7", "2001:db8::7", nil] {
            for _ in 0..<11 { #expect(await turn(pacer, address) == .granted(waited: .zero)) }
            #expect(await turn(pacer, address) == .tooLate(retryAfter: .milliseconds(1050)))
        }
    }

    @Test func `A poll takes the request of the second, and nothing of the advance`() async {
        let pacer = pacer()
        #expect(await turn(pacer, "203.0.113.7", .polling) == .granted(waited: .zero))
        #expect(await turn(pacer, "203.0.113.7", .polling) == .skipped(retryAfter: .milliseconds(1050)))
        for _ in 0..<10 { #expect(await turn(pacer) == .granted(waited: .zero)) }
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(1050)))
    }

    @Test func `A play overtakes polls`() async throws {
        let pacer = pacer()
        await spendAdvance(pacer)
        let play = Task {
            await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(5))
        }
        try await eventually("the play waits") { time.sleepers == 1 }
        // The next second has begun, and the play is not awake yet: its request is not for the poll.
        let polls = Task {
            var turns: [RequestPacer.Turn] = []
            for _ in 0..<20 {
                turns.append(await pacer.turn(for: "203.0.113.7", .polling, within: .seconds(5)))
            }
            return turns
        }
        for turn in await polls.value { #expect(turn == .skipped(retryAfter: .milliseconds(2050))) }
        time.advance(by: .seconds(1))
        #expect(await turn(pacer, "203.0.113.7", .polling) == .skipped(retryAfter: .milliseconds(1050)))
        time.advance(by: TimeToLive(milliseconds: 50))
        #expect(await play.value == .granted(waited: .milliseconds(1050)))
        #expect(await turn(pacer, "203.0.113.7", .polling) == .skipped(retryAfter: .milliseconds(1000)))
    }

    @Test func `Turns come in the order of the requests`() async throws {
        let pacer = pacer()
        await spendAdvance(pacer)
        var waiting: [Task<RequestPacer.Turn, Never>] = []
        for number in 1...4 {
            waiting.append(
                Task {
                    await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(9))
                })
            try await eventually("\(number) wait") { time.sleepers == number }
        }
        for (number, task) in waiting.enumerated() {
            time.advance(by: TimeToLive(milliseconds: number == 0 ? 1050 : 1000))
            #expect(await task.value == .granted(waited: .milliseconds(1050 + number * 1000)))
            let left = waiting.count - number - 1
            try await eventually("\(left) wait again") { time.sleepers == left }
        }
    }

    @Test(arguments: 0..<3)
    func `A cancelled request gives its turn back`(cancelled: Int) async throws {
        let pacer = pacer()
        await spendAdvance(pacer)
        var waiting: [Task<RequestPacer.Turn, Never>] = []
        for number in 1...3 {
            waiting.append(
                Task {
                    await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(9))
                })
            try await eventually("\(number) wait") { time.sleepers == number }
        }
        waiting[cancelled].cancel()
        #expect(await waiting[cancelled].value == .cancelled)
        waiting.remove(at: cancelled)
        for (number, task) in waiting.enumerated() {
            time.advance(by: TimeToLive(milliseconds: number == 0 ? 1050 : 1000))
            #expect(await task.value == .granted(waited: .milliseconds(1050 + number * 1000)))
            let left = waiting.count - number - 1
            try await eventually("\(left) wait again") { time.sleepers == left }
        }
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(1000)))
    }

    @Test func `A turn that comes too late is known at once`() async throws {
        let pacer = pacer()
        await spendAdvance(pacer)
        let first = Task {
            await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(9))
        }
        try await eventually("the first waits") { time.sleepers == 1 }
        let second = await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(2))
        #expect(second == .tooLate(retryAfter: .milliseconds(2050)))
        #expect(time.sleepers == 1)
        time.advance(by: .seconds(2))
        #expect(await first.value == .granted(waited: .seconds(2)))
    }

    @Test func `A refusal by the broker ends the advance`() async {
        let pacer = pacer()
        #expect(await turn(pacer) == .granted(waited: .zero))
        pacer.noteRefusal(of: "203.0.113.7")
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(1050)))
        time.advance(by: .seconds(1))
        #expect(await turn(pacer) == .granted(waited: .zero))
        #expect(await turn(pacer, "203.0.113.8") == .granted(waited: .zero))
    }

    @Test func `An address that was forgotten has no advance when it comes back`() async {
        let pacer = pacer(capacity: 4)
        #expect(await turn(pacer) == .granted(waited: .zero))
        for number in 0..<16 { _ = await turn(pacer, "198.51.100.\(number)") }
        #expect(pacer.count == 4)
        time.advance(by: .seconds(1))
        #expect(await turn(pacer) == .granted(waited: .zero))
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(1050)))
    }

    @Test func `An address for which requests wait is not forgotten`() async throws {
        let pacer = pacer(capacity: 2)
        await spendAdvance(pacer)
        let waiting = Task {
            await pacer.turn(for: "203.0.113.7", .foreground, within: .seconds(9))
        }
        try await eventually("it waits") { time.sleepers == 1 }
        for number in 0..<16 { _ = await turn(pacer, "198.51.100.\(number)") }
        #expect(await turn(pacer) == .tooLate(retryAfter: .milliseconds(2050)))
        time.advance(by: TimeToLive(milliseconds: 1050))
        #expect(await waiting.value == .granted(waited: .milliseconds(1050)))
    }

    @Test func `An address in use is remembered, and others make room`() async {
        let pacer = pacer(capacity: 8)
        for number in 0..<100 {
            _ = await turn(pacer, "198.51.100.\(number)")
            // One call of the advance in ten seconds.
            if number % 10 == 0 { #expect(await turn(pacer) == .granted(waited: .zero)) }
        }
    }
}
#endif
