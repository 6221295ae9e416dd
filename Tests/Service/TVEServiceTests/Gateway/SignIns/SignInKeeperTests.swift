#if Service
import EntitlementValues
import Synchronization
import TVEService
import TVETesting
import TestVectors
import Testing

/// What is done later about sign-ins: when, and how much of it is kept in mind.
@Suite struct SignInKeeperTests {
    private let time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))
    private let keeper = SignInKeeper()

    /// What was done, in any order.
    private final class Done: Sendable {
        private let names = Mutex<Set<String>>([])

        var all: Set<String> { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { _ = $0.insert(name) } }
    }

    private func schedule(_ name: String, in seconds: Int64, into done: Done, upTo room: Int = SignInKeeper.capacity) {
        keeper.schedule(name, at: time.now + .seconds(seconds), by: time.source, upTo: room) { done.add(name) }
    }

    @Test func `Each is done at its time, and one task waits for all of them`() async throws {
        let done = Done()
        for number in (1...20).reversed() { schedule("\(number)", in: Int64(number), into: done) }
        schedule("now", in: 0, into: done)
        schedule("20", in: 1, into: done)
        try await eventually { done.all == ["now"] && keeper.count == 20 && time.sleepers == 1 }
        time.advance(by: .seconds(5))
        try await eventually { keeper.count == 15 && time.sleepers == 1 }
        #expect(done.all == Set((1...5).map { "\($0)" } + ["now"]))
        time.advance(by: .seconds(15))
        try await eventually { keeper.count == 0 && time.sleepers == 0 }
        #expect(done.all.count == 21)
    }

    @Test func `What was given up is not done`() async throws {
        let done = Done()
        schedule("a", in: 5, into: done)
        schedule("b", in: 6, into: done)
        keeper.cancel("a")
        try await eventually { time.sleepers == 1 }
        time.advance(by: .seconds(6))
        try await eventually { keeper.count == 0 }
        #expect(done.all == ["b"])
    }

    @Test func `Only so much is kept in mind, and what finds no room is counted`() async throws {
        let done = Done()
        let (reminders, clearings) = (SignInKeeper.roomForReminders, SignInKeeper.roomForClearing)
        for number in 0..<(reminders + 3) { schedule("over \(number)", in: 1800, into: done, upTo: reminders) }
        #expect(keeper.count == reminders && keeper.droppedCount == 3)
        for number in 0..<clearings { schedule("end \(number)", in: 1920, into: done, upTo: clearings) }
        #expect(keeper.count == clearings && keeper.droppedCount == 3 + reminders)
        // There is room for what is done at once.
        schedule("settle", in: 0, into: done)
        try await eventually { done.all == ["settle"] && keeper.count == clearings }
        for number in 0..<SignInKeeper.capacity { schedule("watch \(number)", in: 60, into: done) }
        #expect(keeper.count == SignInKeeper.capacity)
        // The timer begins anew for what is due first, so none but the last one waits.
        try await eventually { time.sleepers == 1 }
    }
}
#endif
