#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Synchronization
import TestVectors
import TVETesting
import Testing

@Suite("The sessions of all devices of a server")
struct DeviceSessionsTests {
    let time = ManualTime(at: DeviceBench.start)
    let bench: DeviceBench

    init() throws { bench = try DeviceBench(time: time.source) }

    private func limits(_ capacity: Int, idle: Duration = .seconds(600)) -> DeviceSessions.Limits {
        var limits = DeviceSessions.Limits()
        (limits.capacity, limits.idleTime) = (capacity, idle)
        return limits
    }

    /// Which object is the session of a device.
    private func identity(_ sessions: DeviceSessions, _ name: String) async throws -> ObjectIdentifier {
        try await sessions.with(try DeviceBench.device(name)) { ObjectIdentifier($0) }
    }

    /// Lets seconds pass until something is so, each of them once as many tasks pause again.
    private func pass(until isSo: () async throws -> Bool, with pauses: Int) async throws {
        try await eventually {
            if try await isSo() { return true }
            if time.rests(with: pauses) { time.advance(by: .seconds(1)) }
            return false
        }
    }

    /// Whether a call waits for the sign-in of a device.
    private func isAwaited(_ device: Device, _ sessions: DeviceSessions) async throws -> Bool {
        try await sessions.with(device) { await $0.state.wait?.listeners == 1 }
    }

    // MARK: Making

    @Test func `A device has one session, however many calls come at once`() async throws {
        let preparations = Mutex(0)
        let sessions = try bench.server { session throws(EntitlementFlowError) in
            preparations.withLock { $0 += 1 }
            await Task.yield()
            try await session.setRequestor("REF30")
        }
        let found = try await withThrowingTaskGroup { group in
            for call in 0..<200 {
                group.addTask { try await identity(sessions, "tv-\(call % 4)") }
            }
            return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(found.count == 4 && sessions.count == 4 && sessions.useCount == 0)
        #expect(preparations.withLock { $0 } == 4)
    }

    @Test func `A preparation that fails is told to all who wait for it, and tried again`() async throws {
        let attempts = Mutex(0)
        let sessions = try bench.server { _ throws(EntitlementFlowError) in
            for _ in 0..<100 { await Task.yield() }
            if attempts.withLock({
                $0 += 1; return $0
            }) == 1 {
                throw .requestorNotSet
            }
        }
        let device = try DeviceBench.device("tv")
        let failures = await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    do {
                        try await sessions.with(device) { _ in }
                        return false
                    } catch {
                        return error as? EntitlementFlowError == .requestorNotSet
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures >= 1 && sessions.useCount == 0)
        try await sessions.with(device) { _ in }
        #expect(attempts.withLock { $0 } == 2 && sessions.count == 1)
    }

    @Test func `A call that is cancelled while the session is made stops alone`() async throws {
        let gate = Promise<Void>()
        let sessions = try bench.server { _ throws(EntitlementFlowError) in try await gate.value() }
        let device = try DeviceBench.device("tv")
        let first = Task { try await sessions.with(device) { _ in } }
        let second = Task { try await sessions.with(device) { _ in true } }
        try await eventually { sessions.useCount == 2 }
        first.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await first.value }
        gate.end(with: .success(()))
        #expect(try await second.value)
    }

    @Test func `What a device says of itself counts from its next call`() async throws {
        let sessions = try bench.server()
        let device = try DeviceBench.device("tv")
        try await sessions.with(device) { _ in }
        let info = try DeviceInfo([.model: "other", .osName: "Tizen", .osVersion: "9"])
        var options = SessionOptions()
        options.revealsDeviceIdentifier = true
        let newer = Device(
            key: device.key, identifier: device.identifier, info: info,
            userAgent: try UserAgent(headerValue: "Sample/2"))
        try await sessions.with(newer, options: options) { session in
            #expect(await session.device == newer)
            #expect(await session.options.revealsDeviceIdentifier)
            // What changes in a use leaves the program as it is.
            await session.setOptions(options, deviceInfo: device.info)
            #expect(await session.device.userAgent == newer.userAgent)
            #expect(await session.device.info == device.info)
        }
        try await sessions.with(newer) { session in #expect(await session.options.revealsDeviceIdentifier) }
        // A browser that comes back for the device changes nothing of it.
        try await sessions.with(device, options: nil, isLasting: false) { session in
            #expect(await session.device == newer)
        }
    }

    @Test func `Devices of a platform share a list of providers, and those that say nothing share one by program`()
        async throws
    {
        let sessions = try bench.server()
        func choose(_ number: Int, _ json: String, _ program: String?) async throws {
            let name = "device \(number)"
            let device = Device(
                key: DeviceKey(name), identifier: try DeviceIdentifier(name), info: try DeviceInfo(json: json),
                userAgent: try program.map { text throws(BrokerHeaderError) in try UserAgent(headerValue: text) })
            var options = SessionOptions()
            // Each has requests of its own.
            options.clientAddress = try ClientAddress("10.0.0.\(number)")
            let step = try await sessions.with(device, options: options) { try await $0.getAuthentication() }
            guard case .chooseProvider = step else {
                Issue.record("no picker")
                return
            }
        }
        for (number, program) in [(1, "Sample/1"), (2, "Sample/2"), (3, nil)] {
            try await choose(number, #"{"osName":"Tizen"}"#, program)
        }
        #expect(bench.count(.configuration) == 1)
        for (number, program) in [(4, "Sample/1"), (5, "Sample/2"), (6, nil), (7, "Sample/1"), (8, nil)] {
            try await choose(number, #"{"connectionPort":1}"#, program)
        }
        #expect(bench.count(.configuration) == 4)
    }

    // MARK: Eviction

    @Test func `Of too many sessions the longest unused go`() async throws {
        let sessions = try bench.server(limits: limits(2))
        let first = try await identity(sessions, "a")
        for name in ["b", "a", "c"] {
            time.advance(by: .seconds(1))
            _ = try await identity(sessions, name)
        }
        try await eventually { sessions.count == 2 }
        #expect(try await identity(sessions, "a") == first, "b was the longest unused")
    }

    @Test func `A session that is used, listened to, or waits for a sign-in never goes`() async throws {
        let sessions = try bench.server(limits: limits(1))
        let leave = Promise<Void>()
        let user = Task { try await sessions.with(try DeviceBench.device("used")) { _ in try await leave.value() } }
        let listened = Mutex<EventStreamHolder?>(nil)
        try await sessions.with(try DeviceBench.device("listened to")) { session in
            let holder = EventStreamHolder(session)
            listened.withLock { $0 = holder }
        }
        let step = try await sessions.with(try DeviceBench.device("waiting")) { session in
            try await session.setSelectedProvider("SampleCable")
        }
        try await eventually { sessions.count == 3 }
        for number in 0..<10 { _ = try await identity(sessions, "other-\(number)") }
        try await eventually { sessions.count == 3 }
        time.advance(by: .seconds(601))
        await sessions.evict()
        #expect(sessions.count == 3)

        leave.end(with: .success(()))
        try await user.value
        listened.withLock { $0 = nil }
        try bench.logIn(step)
        try await pass(until: { try await bench.record(of: "waiting").profile != nil }, with: 2)
        try await eventually {
            time.advance(by: .seconds(601))
            await sessions.evict()
            return sessions.count == 0
        }
    }

    @Test func `Idle sessions go by themselves, and come back`() async throws {
        let sessions = try bench.server(limits: limits(100, idle: .seconds(60)))
        let first = try await identity(sessions, "tv")
        try await eventually { time.sleepers > 0 }
        time.advance(by: .seconds(59))
        #expect(try await identity(sessions, "tv") == first)
        try await eventually {
            time.advance(by: .seconds(16))
            return sessions.count == 0
        }
        _ = try await identity(sessions, "tv")
        #expect(sessions.count == 1)
        try await eventually {
            time.advance(by: .seconds(16))
            return sessions.count == 0
        }
    }

    @Test func `Whoever asks for the decision of a session that has gone is told so`() async throws {
        let sessions = try bench.server(limits: limits(10, idle: .seconds(60)))
        var options = SessionOptions()
        options.hasUserAgent = true
        let outcome = try await sessions.with(try DeviceBench.device("tv"), options: options) { session in
            try await session.getAuthorization("news")
        }
        guard case .needsAuthentication(_, let pending) = outcome else {
            Issue.record("the user was signed in")
            return
        }
        time.advance(by: .seconds(61))
        await sessions.evict()
        #expect(sessions.count == 0)
        await #expect(throws: EntitlementFlowError.superseded) { try await pending.outcome() }
    }

    @Test func `A session whose browser is at a logout page stays for half an hour`() async throws {
        let sessions = try bench.server(limits: limits(2))
        for (number, name) in ["tv", "gone"].enumerated() {
            var options = SessionOptions()
            options.hasUserAgent = true
            options.clientAddress = try ClientAddress("192.0.2.\(number + 1)")
            try await sessions.with(try DeviceBench.device(name), options: options) { session in
                let code = try #require(try await session.setSelectedProvider("SampleCable")?.code)
                try bench.simulator.logIn(code: code.text, as: "ok")
                _ = try await session.handleExternalURL("https://example.com/done")
                guard case .openUserAgent = try await session.getAuthentication(forced: true) else {
                    throw BenchFault.notSignedIn
                }
            }
        }
        time.advance(by: .seconds(1_799))
        await sessions.evict()
        #expect(sessions.count == 2)
        let outcome = try await sessions.with(try DeviceBench.device("tv")) { session in
            try await session.handleExternalURL("https://example.com/done")
        }
        guard case .goOn(.chooseProvider) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        time.advance(by: .seconds(1))
        try await eventually {
            await sessions.evict()
            return sessions.count == 1
        }
    }

    // MARK: Finding and forgetting

    @Test func `A device is found by its code on any server, until the code is used`() async throws {
        let (one, two) = (try bench.server(), try bench.server())
        let step = try await one.with(try DeviceBench.device("tv")) { session in
            try await session.setSelectedProvider("SampleCable")
        }
        guard case .showCode(let shown) = step else { throw MissingCode() }
        #expect(try await two.device(showing: shown.code) == "tv")
        #expect(try await two.device(showing: AuthenticationCode("OTHER12")) == nil)
        let (known, program) = (try DeviceBench.device("tv"), try UserAgent(headerValue: "Sample/1"))
        let device = try #require(try await two.device("tv", info: known.info, userAgent: program))
        #expect(
            device
                == Device(key: "tv", identifier: known.identifier, info: known.info, userAgent: program))
        #expect(try await two.device("another", info: device.info) == nil)
        try bench.logIn(step)
        try await pass(until: { try await two.device(showing: shown.code) == nil }, with: 2)
        #expect(try await two.with(device) { try await $0.checkAuthentication(.record) }.isAuthenticated)
    }

    @Test func `A device that was erased begins anew`() async throws {
        let sessions = try bench.server()
        let device = try DeviceBench.device("tv")
        let step = try await sessions.with(device) { try await $0.setSelectedProvider("SampleCable") }
        let waiting = Task { try await sessions.with(device) { try await $0.awaitAuthentication() } }
        try await eventually { try await isAwaited(device, sessions) }
        #expect(try await sessions.forget("tv"))
        await #expect(throws: EntitlementFlowError.superseded) { try await waiting.value }
        #expect(try await bench.directory.record(of: "tv") == nil)
        #expect(try await !sessions.forget("tv"))
        #expect(try await !sessions.forget("never seen"))
        try bench.logIn(step)
        let registrations = bench.count(.register)
        let again = try await sessions.with(device) { try await $0.setSelectedProvider("SampleCable") }
        #expect(bench.count(.register) == registrations + 1, "its credentials were erased, so it registers")
        #expect(again != step)
    }

    @Test func `Erasing a subscriber erases all of their devices, and no other`() async throws {
        let sessions = try bench.server()
        for name in ["a", "b", "c"] {
            _ = try await sessions.with(try DeviceBench.device(name)) { try await $0.checkAuthentication() }
        }
        for (name, subscriber) in [("a", "one"), ("b", "one"), ("c", "two"), ("elsewhere", "one")] {
            try await bench.directory.change(DeviceKey(name)) { record in record.subject = subscriber }
        }
        #expect(try await sessions.forgetDevices(of: "one") == 3)
        for name in ["a", "b", "elsewhere"] { #expect(try await bench.directory.record(of: DeviceKey(name)) == nil) }
        #expect(try await bench.directory.record(of: "c") != nil)
        #expect(try await sessions.forgetDevices(of: "one") == 0)
    }

    // MARK: Shutting down

    @Test func `A server that shuts down gives its waits back, and begins nothing`() async throws {
        let (one, two) = (try bench.server(), try bench.server())
        let device = try DeviceBench.device("tv")
        let step = try await one.with(device) { try await $0.setSelectedProvider("SampleCable") }
        let waiting = Task { try await one.with(device) { try await $0.awaitAuthentication() } }
        try await eventually {
            guard try await isAwaited(device, one), time.rests(with: 2) else { return false }
            return try await bench.record(of: "tv").lease != nil
        }
        #expect(await one.drain(within: .seconds(5)))
        await #expect(throws: EntitlementFlowError.shutDown) { try await waiting.value }
        await #expect(throws: EntitlementFlowError.shutDown) { try await one.with(device) { _ in } }
        #expect(one.count == 0)
        #expect(try await bench.record(of: "tv").lease == nil)
        #expect(try await bench.record(of: "tv").pendingCode != nil)
        let polls = bench.count(.profileByCode)
        let other = Task { try await two.with(device) { try await $0.awaitAuthentication() } }
        try await eventually { bench.count(.profileByCode) == polls + 1 }
        try bench.logIn(step)
        try await pass(until: { two.useCount == 0 }, with: 2)
        #expect(try await other.value.mvpd == "SampleCable")
    }

    @Test func `A call that does not end is not waited for longer than allowed`() async throws {
        let sessions = try bench.server()
        let leave = Promise<Void>()
        let device = try DeviceBench.device("tv")
        let user = Task { try await sessions.with(device) { _ in try await leave.value() } }
        try await eventually { sessions.useCount == 1 }
        let draining = Task { await sessions.drain(within: .seconds(5)) }
        // The one that looks for idle sessions, and the limit of the drain.
        try await eventually { try await refuses(sessions, device) && time.rests(with: 2) }
        time.advance(by: .seconds(5))
        #expect(await !draining.value)
        leave.end(with: .success(()))
        try await user.value
        #expect(sessions.useCount == 0)
    }

    private func refuses(_ sessions: DeviceSessions, _ device: Device) async throws -> Bool {
        do {
            try await sessions.with(device) { _ in }
            return false
        } catch let error as EntitlementFlowError {
            return error == .shutDown
        }
    }

    // MARK: Everything at once

    /// For ThreadSanitizer: uses, evictions, listeners and draining at the same time.
    @Test func `Uses, evictions and a shutdown at the same time lose no call`() async throws {
        let bench = try DeviceBench(time: .system)
        let sessions = try bench.server(limits: limits(8, idle: .milliseconds(1)))
        let answers = await withTaskGroup { group in
            for call in 0..<600 {
                group.addTask {
                    do {
                        return try await sessions.with(try DeviceBench.device("tv-\(call % 40)")) { session in
                            if call.isMultiple(of: 7) { _ = EventStreamHolder(session) }
                            return await session.requestorIsSet
                        }
                    } catch {
                        return error as? EntitlementFlowError == .shutDown
                    }
                }
                if call.isMultiple(of: 50) {
                    group.addTask {
                        await sessions.evict(); return true
                    }
                }
                // A limit that no machine reaches.
                if call == 500 { group.addTask { await sessions.drain(within: .seconds(86_400)) } }
            }
            return await group.reduce(into: [Bool: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers[false] == nil && answers[true] == 613)
        #expect(sessions.useCount == 0 && sessions.count == 0)
    }
}

/// Listens to a session as long as it lives.
private final class EventStreamHolder: Sendable {
    private let task: Task<Void, Never>

    init(_ session: EntitlementSession) {
        let events = session.events()
        task = Task { for await _ in events {} }
    }

    deinit { task.cancel() }
}

extension EntitlementSession {
    fileprivate var requestorIsSet: Bool { !access.origins.isEmpty }
}
#endif
