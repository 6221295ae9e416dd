#if Service
import BrokerMessages
import DeviceRecords
import EntitlementValues
import Synchronization
import TVEService
import TVETesting
import TestVectors
import Testing

/// What is done about sign-ins although no request comes: when, and how much of it is kept in mind.
@Suite struct SignInTimersTests {
    private let time: ManualTime
    private let timers: SignInTimers
    private let address: ClientAddress
    private let done = Done()

    init() throws {
        time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))
        timers = SignInTimers(by: time.source)
        address = try ClientAddress("192.0.2.1")
    }

    /// What was done, and what comes of it.
    private final class Done: Sendable {
        private struct State {
            var works: [(device: DeviceKey, work: SignInTimers.Work)] = []
            var outcomes: [SignInTimers.Outcome] = []
        }

        private let state = Mutex(State())

        var devices: [DeviceKey] { state.withLock { $0.works.map(\.device) } }
        var works: [SignInTimers.Work] { state.withLock { $0.works.map(\.work) } }

        /// Says what comes of the next ones.
        func expect(_ outcomes: [SignInTimers.Outcome]) { state.withLock { $0.outcomes = outcomes } }

        func add(_ work: SignInTimers.Work, for device: DeviceKey) -> SignInTimers.Outcome {
            state.withLock { state in
                state.works.append((device, work))
                return state.outcomes.isEmpty ? .done(nil) : state.outcomes.removeFirst()
            }
        }
    }

    private func start() {
        timers.start { [done] device, work in done.add(work, for: device.key) }
    }

    private func device(_ key: String) -> SignInTimers.Device {
        SignInTimers.Device(key: DeviceKey(key), app: "tv", address: address)
    }

    private func look(in seconds: Int64, as worth: NextLook.Worth = .proof) -> NextLook {
        NextLook(at: time.now + .seconds(seconds), as: worth)
    }

    @Test func `Each device is looked at in its time, and one task waits for all of them`() async throws {
        start()
        for number in (1...20).reversed() { timers.note(look(in: Int64(number)), for: device("\(number)")) }
        timers.note(look(in: 0), for: device("now"))
        try await eventually { done.devices == ["now"] && timers.count == 20 && time.sleepers == 1 }
        time.advance(by: .seconds(5))
        try await eventually { timers.count == 15 && time.sleepers == 1 }
        #expect(Set(done.devices) == Set((1...5).map { DeviceKey("\($0)") } + ["now"]))
        time.advance(by: .seconds(15))
        try await eventually { timers.count == 0 && time.sleepers == 0 }
        #expect(done.devices.count == 21)
    }

    @Test func `A device has one look, at the instant that was noted last`() async throws {
        start()
        timers.note(look(in: 5, as: .codeEnd), for: device("a"))
        timers.note(look(in: 8, as: .codeEnd), for: device("a"))
        timers.note(look(in: 6, as: .codeEnd), for: device("b"))
        timers.note(look(in: 6), for: device("erased"))
        timers.note(nil, for: device("b"))
        timers.forget("erased")
        #expect(timers.count == 1)
        try await eventually { time.sleepers == 1 }
        time.advance(by: .seconds(6))
        try await eventually { time.sleepers == 1 && time.deadlines == [time.now + .seconds(2)] }
        #expect(done.devices.isEmpty)
        time.advance(by: .seconds(2))
        try await eventually { timers.count == 0 }
        #expect(done.devices == ["a"])
    }

    @Test(arguments: [nil, 1_800] as [Int64?])
    func `A look that ends a return is not replaced by a note of an older read`(seconds: Int64?) async throws {
        start()
        timers.note(look(in: 8), for: device("a"))
        timers.note(seconds.map { look(in: $0, as: .codeEnd) }, for: device("a"))
        try await eventually { time.sleepers == 1 }
        time.advance(by: .seconds(8))
        try await eventually { done.devices == ["a"] && timers.count == 0 }
    }

    @Test func `What a look says is the next one, unless something was noted since`() async throws {
        let gate = Gate()
        timers.start { [done] device, work in
            if done.devices.count == 1 { await gate.pass() }
            return done.add(work, for: device.key)
        }
        done.expect([.done(look(in: 30, as: .clearing)), .done(look(in: 300, as: .clearing))])
        timers.note(look(in: 0), for: device("a"))
        try await eventually { done.devices.count == 1 && time.sleepers == 1 }
        time.advance(by: .seconds(30))
        try await eventually { gate.isReached }
        timers.note(look(in: 10, as: .codeEnd), for: device("a"))
        gate.open()
        try await eventually { done.devices.count == 2 && time.deadlines == [time.now + .seconds(10)] }
        time.advance(by: .seconds(10))
        try await eventually { done.devices.count == 3 && timers.count == 0 }
    }

    @Test func `What is not done is tried three times, a minute apart`() async throws {
        start()
        done.expect([.failed(nil), .failed(nil), .failed(nil)])
        timers.note(look(in: 0, as: .clearing), for: device("a"))
        for tries in 1...2 {
            try await eventually { done.devices.count == tries && time.sleepers == 1 && timers.count == 1 }
            // A request of the device does not hurry it, and what changes does not make it forgotten.
            timers.clear(device("a"))
            timers.note(nil, for: device("a"))
            #expect(timers.count == 1)
            time.advance(by: .seconds(59))
            #expect(done.devices.count == tries)
            time.advance(by: .seconds(1))
        }
        try await eventually { done.devices.count == 3 && timers.count == 0 }
        timers.clear(device("a"))
        try await eventually { done.devices.count == 4 && timers.count == 0 }
    }

    /// Only the record says what is due, and the device may never ask again.
    @Test(arguments: [[], [.failed(nil)]] as [[SignInTimers.Outcome]])
    func `A device is looked at once the store answers again, however long it was away`(
        _ before: [SignInTimers.Outcome]
    ) async throws {
        start()
        let pauses: [Int64] = [1, 2, 4, 8, 16, 16]
        done.expect(before + pauses.map { _ in .storeAway })
        timers.note(look(in: 0, as: .clearing), for: device("a"))
        for (looks, minutes) in (before.map { _ in 1 } + pauses).enumerated() {
            try await eventually { done.devices.count == looks + 1 && time.sleepers == 1 && timers.count == 1 }
            // What changes does not make it forgotten.
            timers.note(nil, for: device("a"))
            time.advance(by: .seconds(60 * minutes - 1))
            // Waits for a time of day come in pieces.
            try await eventually { time.deadlines == [time.now + .seconds(1)] }
            #expect(done.devices.count == looks + 1 && timers.count == 1)
            time.advance(by: .seconds(1))
        }
        try await eventually { done.devices.count == before.count + pauses.count + 1 && timers.count == 0 }
    }

    @Test func `A request that has read the device's record looks at it at once, although the store was away`()
        async throws
    {
        start()
        done.expect([.storeAway])
        timers.note(look(in: 0, as: .clearing), for: device("a"))
        try await eventually { done.devices.count == 1 && time.sleepers == 1 && timers.count == 1 }
        timers.clear(device("a"))
        try await eventually { done.devices.count == 2 && timers.count == 0 }
    }

    @Test func `The broker is asked once for a sign-in, and the device is looked at when that ends`() async throws {
        let gate = Gate()
        timers.start { [done] device, work in
            if case .ask = work { await gate.pass() }
            return done.add(work, for: device.key)
        }
        for _ in 0..<3 { timers.ask(about: "state", of: device("a")) }
        #expect(timers.count == 1)
        gate.open()
        try await eventually { done.works == [.ask(state: "state"), .look] && timers.count == 0 }
    }

    @Test func `After the stop nothing is done, and nothing waits`() async throws {
        start()
        timers.note(look(in: 5), for: device("a"))
        timers.run(.plays(of: "b")) { [time] in try? await time.source.sleep(until: time.now + .hours(1)) }
        try await eventually { time.sleepers == 2 }
        timers.stop()
        try await eventually { time.sleepers == 0 && timers.count == 0 }
        timers.note(look(in: 0), for: device("a"))
        timers.ask(about: "state", of: device("a"))
        #expect(timers.count == 0 && done.devices.isEmpty)
    }

    @Test func `Only so much is kept in mind, and what finds no room is counted`() async throws {
        start()
        let (codes, clearings) = (NextLook.Worth.codeEnd.room, NextLook.Worth.clearing.room)
        for number in 0..<(codes + 3) { timers.note(look(in: 1800, as: .codeEnd), for: device("over \(number)")) }
        #expect(timers.count == codes && timers.droppedCount == 3)
        for number in 0..<clearings { timers.note(look(in: 1920, as: .clearing), for: device("end \(number)")) }
        #expect(timers.count == clearings && timers.droppedCount == 3 + codes)
        // One that has a place does not keep it for what is worth less.
        timers.note(look(in: 1800, as: .codeEnd), for: device("end 0"))
        #expect(timers.count == clearings - 1 && timers.droppedCount == 4 + codes)
        timers.note(look(in: 1920, as: .clearing), for: device("end 0"))
        // There is room for what is done at once.
        timers.note(look(in: 0), for: device("now"))
        try await eventually { done.devices == ["now"] && timers.count == clearings }
        for number in 0..<SignInTimers.capacity { timers.note(look(in: 60), for: device("proof \(number)")) }
        #expect(timers.count == SignInTimers.capacity)
        // The timer begins anew for what is due first, so none but the last one waits.
        try await eventually { time.sleepers == 1 }
    }
}

/// Holds up those who pass until it is open.
private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    /// Whether something is held up.
    var isReached: Bool { state.withLock { !$0.waiters.isEmpty } }

    func pass() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
#endif
