#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import RecordChecks
import Synchronization
import TVETesting
import TestVectors
import Testing

@Suite("Options that change")
struct SessionOptionsTests {
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

    @Test func `They count from the next call on, not for the rest of one that is under way`() async throws {
        let bench = try FlowBench()
        let after = try options("192.0.2.2")
        let session = try await bench.session(options: try options("192.0.2.1"))
        bench.transport.onAnswer { path, answer in
            if path.contains("/profiles") { await session.setOptions(after) }
            return answer
        }
        _ = try await session.getAuthentication()
        #expect(try requests(bench) == ["profiles for 192.0.2.1", "configuration for 192.0.2.1"])
        _ = try await session.checkAuthentication(.broker)
        #expect(try requests(bench).last == "profiles for 192.0.2.2")
    }

    @Test func `A command that waits for its turn has those with which it came`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(options: try options("192.0.2.1"))
        #expect(await session.queue.enter())
        let status = Task { try await session.checkAuthentication(.broker) }
        try await eventually { session.queue.waitingCount == 1 }
        await session.setOptions(try options("192.0.2.2"))
        session.queue.leave()
        _ = try await status.value
        #expect(try requests(bench) == ["profiles for 192.0.2.1"])
    }

    /// Before it waits for its turn, a logout makes sign-ins void in the record.
    @Test func `A logout has those with which it came, also after it has read the record`() async throws {
        let bench = try FlowBench()
        let (before, after) = (try options("192.0.2.1"), try options("192.0.2.2"))
        let session = try await bench.session(options: before)
        try await bench.signIn(session)
        bench.store.act(.beforeRead) { await session.setOptions(after) }
        try await session.logout()
        #expect(try requests(bench).last == "logout for 192.0.2.1")
        #expect(try requests(bench).allSatisfy { $0.hasSuffix(" for 192.0.2.1") })
    }

    @Test func `So has the question when the browser comes back`() async throws {
        let bench = try FlowBench()
        let (before, after) = (try options("192.0.2.1"), try options("192.0.2.2"))
        let session = try await bench.session(options: before)
        try bench.logIn(try await session.setSelectedProvider("SampleCable"))
        bench.store.act(.beforeRead) { await session.setOptions(after) }
        guard case .authenticated = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        #expect(try requests(bench).contains("profiles for 192.0.2.1"))
        #expect(try requests(bench).allSatisfy { $0.hasSuffix(" for 192.0.2.1") })
    }

    @Test func `Questions for a sign-in have the newest`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television, options: try options("192.0.2.1"))
        _ = try await session.setSelectedProvider("SampleCable")
        try await bench.pass(6, with: 1)
        #expect(try requests(bench).last == "profiles for 192.0.2.1")
        await session.setOptions(try options("192.0.2.2"))
        try await bench.pass(6, with: 1)
        #expect(try requests(bench).last == "profiles for 192.0.2.2")
    }

    @Test func `Those of another screen count for its own call, and not for the questions of the device`() async throws
    {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let device = try DeviceBench.device("tv")
        let code = try await sessions.with(device, options: try options("192.0.2.1")) { session in
            try #require(try await session.setSelectedProvider("SampleCable")?.code)
        }
        // The one that looks for idle sessions, and the wait.
        try await bench.pass(6, with: 2)
        try await sessions.with(device, options: try options("192.0.2.2"), isLasting: false) { session in
            _ = try await session.resume(code: code, mvpd: "SampleCable")
        }
        #expect(try requests(bench).last == "sessions for 192.0.2.2")
        try await bench.pass(6, with: 2)
        #expect(try requests(bench).last == "profiles for 192.0.2.1")
    }

    @Test func `Each of two uses at once has its own to the end`() async throws {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.contains("/profiles"), !reached.hasEnded {
                reached.end(with: .success(()))
                try? await released.value()
            }
            return answer
        }
        let device = try DeviceBench.device("tv")
        let (one, two) = (try options("192.0.2.1"), try options("192.0.2.2"))
        let first = Task {
            try await sessions.with(device, options: one) { session in
                _ = try await session.getAuthentication()
                // A call that this use makes after the other one has begun.
                _ = try await session.checkAuthentication(.broker)
            }
        }
        try await eventually { reached.hasEnded }
        let second = Task {
            try await sessions.with(device, options: two) { _ = try await $0.checkAuthentication(.broker) }
        }
        try await eventually {
            try await sessions.with(device) { session in session.queue.waitingCount == 1 }
        }
        released.end(with: .success(()))
        try await first.value
        try await second.value
        let seen = try requests(bench)
        #expect(seen.prefix(2) == ["profiles for 192.0.2.1", "configuration for 192.0.2.1"])
        #expect(seen.dropFirst(2).sorted() == ["profiles for 192.0.2.1", "profiles for 192.0.2.2"])
    }

    @Test func `A use may change its own, and no other session has them`() async throws {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let other = try await bench.session(options: try options("192.0.2.3"))
        let device = try DeviceBench.device("tv")
        try await sessions.with(device, options: try options("192.0.2.1")) { session in
            await session.setOptions(try options("192.0.2.2"))
            // What another use brings does not count here.
            try await sessions.with(device, options: try options("192.0.2.4")) { _ in }
            _ = try await session.checkAuthentication(.broker)
            _ = try await other.checkAuthentication(.broker)
        }
        #expect(try requests(bench) == ["profiles for 192.0.2.2", "profiles for 192.0.2.3"])
    }

    @Test func `A use of one device within that of another leaves both their own`() async throws {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let (outer, inner) = (try DeviceBench.device("outer"), try DeviceBench.device("inner"))
        try await sessions.with(outer, options: try options("192.0.2.1")) { one in
            // What another use brings does not count here.
            try await sessions.with(outer, options: try options("192.0.2.3")) { _ in }
            try await sessions.with(inner, options: try options("192.0.2.2")) { other in
                _ = try await one.checkAuthentication(.broker)
                _ = try await other.checkAuthentication(.broker)
                await one.setOptions(try options("192.0.2.4"))
            }
            _ = try await one.checkAuthentication(.broker)
        }
        #expect(
            try requests(bench) == ["profiles for 192.0.2.1", "profiles for 192.0.2.2", "profiles for 192.0.2.4"])
    }

    @Test func `An authorization that waits for a sign-in has those of the call that asked for it`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(options: try options("192.0.2.1"))
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        await session.setOptions(try options("192.0.2.2"))
        try await bench.signIn(session)
        guard case .permitted = try await pending.outcome() else {
            Issue.record("not permitted")
            return
        }
        #expect(try requests(bench).suffix(2) == ["profiles for 192.0.2.2", "decisions for 192.0.2.1"])
    }

    // MARK: Tasks that go on

    /// A task that is started somewhere, and asks for the status once it is let go.
    private final class Straggler: Sendable {
        private let session = Mutex<EntitlementSession?>(nil)
        private let task = Mutex<Task<Void, any Error>?>(nil)
        private let released = Promise<Void>()

        /// From now on, it may start, and asks this session.
        func aim(at session: EntitlementSession) { self.session.withLock { $0 = session } }

        /// Starts it where it is called, once.
        func start() {
            guard let session = session.withLock({ $0 }) else { return }
            task.withLock { task in
                if task == nil { task = Task { [self] in try await ask(session) } }
            }
        }

        private func ask(_ session: EntitlementSession) async throws {
            try await released.value()
            _ = try await session.checkAuthentication(.broker)
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("192.0.2.3")
            await session.setOptions(options)
            _ = try await session.checkAuthentication(.broker)
        }

        /// Lets it go, and waits for its end.
        func finish() async throws {
            released.end(with: .success(()))
            let task = task.withLock { $0 }
            try await #require(task).value
        }
    }

    /// Who starts a task in a command.
    enum Starter: Sendable, CaseIterable { case observer, transport }

    @Test(arguments: Starter.allCases)
    func `A task that outlives the command in which it was started has the newest`(starter: Starter) async throws {
        let straggler = Straggler()
        let bench = try FlowBench { application in
            if starter == .observer { application.observer = { _ in straggler.start() } }
        }
        bench.transport.onAnswer { path, answer in
            if starter == .transport, path.contains("/profiles") { straggler.start() }
            return answer
        }
        let session = try await bench.session(options: try options("192.0.2.1"))
        straggler.aim(at: session)
        _ = try await session.checkAuthentication(.broker)
        await session.setOptions(try options("192.0.2.2"))
        try await straggler.finish()
        #expect(
            try requests(bench) == ["profiles for 192.0.2.1", "profiles for 192.0.2.2", "profiles for 192.0.2.3"])
    }

    @Test func `So has one that outlives the use in which it was started`() async throws {
        let bench = try FlowBench()
        let sessions = DeviceSessions(for: bench.application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        let (device, straggler) = (try DeviceBench.device("tv"), Straggler())
        try await sessions.with(device, options: try options("192.0.2.1")) { session in
            straggler.aim(at: session)
            straggler.start()
        }
        try await sessions.with(device, options: try options("192.0.2.2")) { _ in }
        try await straggler.finish()
        #expect(try requests(bench) == ["profiles for 192.0.2.2", "profiles for 192.0.2.3"])
    }
}
#endif
