#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import RecordChecks
import ServiceResponses
import Synchronization
import TestVectors
import TVETesting
import Testing

/// What commands promise, whatever comes between two of their steps.
@Suite("Commands, and what comes between their steps")
struct RaceTests {
    // MARK: Options

    private func options(_ address: String) throws -> SessionOptions {
        var options = SessionOptions()
        options.clientAddress = try ClientAddress(address)
        return options
    }

    /// The names and addresses of the requests of the API so far.
    private func requests(_ bench: FlowBench) throws -> [String] {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        return bench.transport.requests.compactMap { request in
            guard let path = request.path, path.hasPrefix("/api/v2/") else { return nil }
            let words = path.prefix { $0 != "?" }.split(separator: "/").dropFirst(3)
            return "\(words.first ?? "") for \(request.headerFields[name] ?? "nobody")"
        }
    }

    @Test func `A command that waits for its turn has the options with which it came`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(options: try options("192.0.2.1"))
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.contains("/profiles"), !reached.hasEnded {
                reached.end(with: .success(()))
                try? await released.value()
            }
            return answer
        }
        let first = Task { try await session.checkAuthentication(.broker) }
        try await reached.value()
        let second = Task { try await session.checkAuthentication(.broker) }
        try await eventually { session.queue.waitingCount == 1 }
        await session.setOptions(try options("192.0.2.2"))
        released.end(with: .success(()))
        _ = try await first.value
        _ = try await second.value
        #expect(try requests(bench) == ["profiles for 192.0.2.1", "profiles for 192.0.2.1"])
    }

    @Test func `Questions for a sign-in have the newest options, also as long as the use goes on that began it`()
        async throws
    {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let device = try DeviceBench.device("tv")
        let (one, two) = (try options("192.0.2.1"), try options("192.0.2.2"))
        let (begun, released) = (Promise<Void>(), Promise<Void>())
        let use = Task {
            try await sessions.with(device, options: one) { session in
                _ = try await session.setSelectedProvider("SampleCable")
                begun.end(with: .success(()))
                try await released.value()
            }
        }
        try await begun.value()
        try await sessions.with(device, options: two) { _ in }
        // The one that looks for idle sessions, and the wait.
        try await bench.pass(6, with: 2)
        #expect(try requests(bench).last == "profiles for 192.0.2.2")
        released.end(with: .success(()))
        try await use.value
    }

    @Test func `A call that an observer makes has the newest options, also while the command runs that told it`()
        async throws
    {
        let call = StartedCall()
        let bench = try FlowBench { $0.observer = { call.note($0) } }
        let session = try await bench.session(options: try options("192.0.2.1"))
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        // The user signs in elsewhere; so the next command here tells it, and then asks for the decision.
        try await bench.signIn(try await bench.session(of: bench.otherProcess))
        let after = try options("192.0.2.2")
        bench.store.actOnce(.beforeRead) { await session.setOptions(after) }
        bench.transport.onAnswer { path, answer in
            if path.contains("/authorize/") { try? await eventually { session.queue.waitingCount == 1 } }
            return answer
        }
        call.aim(at: session)
        guard case .authenticated = try await session.getAuthentication() else {
            Issue.record("not signed in")
            return
        }
        #expect(try await pending.outcome().playback != nil)
        try await call.finish()
        #expect(try requests(bench).suffix(2) == ["decisions for 192.0.2.1", "profiles for 192.0.2.2"])
    }

    // MARK: Turns

    @Test func `That the clocks are apart is told in the turn of the command that finds it`() async throws {
        let log = TurnLog()
        let bench = try FlowBench { $0.observer = { log.note($0) } }
        bench.simulator.setClockOffset(.seconds(75))
        let session = try await bench.session()
        log.aim(at: session)
        _ = try await session.checkAuthentication(.broker)
        #expect(log.events.contains("status CFG100 (Warning)"))
        #expect(log.eventsOutOfTurn.isEmpty)
    }

    @Test func `What setRequestor tells, it tells in its turn`() async throws {
        let log = TurnLog()
        let bench = try FlowBench([.sample, .sample]) { $0.observer = { log.note($0) } }
        for origin in 0...1 { bench.activate(.status(403), at: .configuration, origin: origin) }
        let session = try bench.newSession()
        log.aim(at: session)
        try await session.setRequestor(FlowBench.requestor)
        await #expect(throws: EntitlementFlowError.self) {
            try await session.setRequestor(FlowBench.requestor, at: bench.origins)
        }
        #expect(log.events.contains("requestor is set") && log.events.contains("requestor could not be set"))
        #expect(log.eventsOutOfTurn.isEmpty)
    }

    // MARK: Brands

    @Test func `No brand counts while setRequestor asks other origins for their lists`() async throws {
        let bench = try FlowBench([.sample, .sample])
        let session = try await bench.session()
        try await bench.signIn(session)
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") {
                reached.end(with: .success(()))
                try? await released.value()
            }
            return answer
        }
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        try await reached.value()
        #expect(try await session.selectedProvider() == nil)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.awaitAuthentication() }
        await #expect(throws: EntitlementFlowError.requestorNotSet) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        released.end(with: .success(()))
        _ = try await setUp.value
        #expect(try await session.selectedProvider()?.id == "SampleCable")
    }

    @Test func `No wait begins for a brand of which another took the place while the record was read`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        await session.stopWaiting()
        bench.store.actOnce(.afterRead) { _ = try? await session.setRequestor("REF40") }
        await #expect(throws: EntitlementFlowError.superseded) { try await session.awaitAuthentication() }
        #expect(await !session.isWaiting)
    }

    @Test func `Another brand ends the wait for a sign-in`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 && bench.time.rests(with: 1) }
        try await session.setRequestor("REF40")
        try #require(await !session.isWaiting)
        await #expect(throws: EntitlementFlowError.superseded) { try await waiting.value }
    }

    @Test func `Another brand ends the request that waits for a sign-in`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        let log = EventLog(of: session)
        try await session.setRequestor("REF40")
        try #require(await session.state.pending == nil)
        await #expect(throws: EntitlementFlowError.superseded) { try await pending.outcome() }
        #expect(await log.names() == ["not permitted", "requestor is set"])
    }

    @Test func `A logout page of one brand means nothing when the browser comes back to another`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        #expect(try await session.logout().steps != [.done])
        try await session.setRequestor("REF40")
        let log = EventLog(of: session)
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
        #expect(await log.names().isEmpty)
    }

    // MARK: Logouts

    @Test func `Of two logout pages, the second one is opened after the first, and ends the logout`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        try await bench.signIn(session, with: "SampleSatellite")
        let log = EventLog(of: session)
        let steps = try await session.logout().steps
        #expect(await log.names() == ["the browser opens an address"])
        guard steps.count == 2, case .openUserAgent(let second) = steps[1] else {
            Issue.record("not two pages")
            return
        }
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .goOn(.openUserAgent(second)))
        #expect(await log.names() == ["the browser opens an address"])
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .signedOut)
        #expect(await log.names() == ["not authenticated"])
    }
}

/// A call that an observer starts, once, as it is told that the user is signed in.
private final class StartedCall: Sendable {
    private let session = Mutex<EntitlementSession?>(nil)
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// From now on, it may start, and asks this session.
    func aim(at session: EntitlementSession) { self.session.withLock { $0 = session } }

    func note(_ told: DeviceEvent) {
        guard told.description == "authenticated", let session = session.withLock({ $0 }) else { return }
        task.withLock { task in
            if task == nil { task = Task { _ = try await session.checkAuthentication(.broker) } }
        }
    }

    /// Waits for its end.
    func finish() async throws {
        let task = task.withLock { $0 }
        try await #require(task).value
    }
}

/// What an observer is told of a session, and whether a command has the turn then.
private final class TurnLog: Sendable {
    private let session = Mutex<EntitlementSession?>(nil)
    private let told = Mutex<[(event: String, isInTurn: Bool)]>([])

    func aim(at session: EntitlementSession) { self.session.withLock { $0 = session } }

    func note(_ event: DeviceEvent) {
        guard let session = session.withLock({ $0 }) else { return }
        let isInTurn = session.queue.isBusy
        told.withLock { $0.append((event: event.description, isInTurn: isInTurn)) }
    }

    var events: [String] { told.withLock { told in told.map { $0.event } } }
    var eventsOutOfTurn: [String] {
        told.withLock { told in told.filter { !$0.isInTurn }.map { $0.event } }
    }
}
#endif
