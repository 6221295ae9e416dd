#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TestVectors
import TVETesting
import Testing

@Suite("setRequestor")
struct RequestorTests {
    /// A world whose brand has other providers.
    private static func world(_ mvpds: MVPDID...) -> SimulatedWorld {
        var world = SimulatedWorld.sample
        world.requestors[0].mvpds = mvpds
        return world
    }

    @Test func `With one origin nothing is sent`() async throws {
        let bench = try FlowBench()
        let session = try bench.newSession()
        let log = EventLog(of: session)
        #expect(try await session.setRequestor(FlowBench.requestor) == nil)
        #expect(bench.simulator.journal.isEmpty)
        #expect(await log.names() == ["requestor is set"])
    }

    @Test func `A second call is a return to the foreground: one question for the profile, an event only on change`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let log = EventLog(of: session)
        try await session.setRequestor(FlowBench.requestor)
        #expect(bench.requests() == [.profile])
        #expect(await log.names() == ["requestor is set"])
        bench.simulator.expire(.profiles)
        try await session.setRequestor(FlowBench.requestor)
        #expect(await log.names() == ["not authenticated", "tracking of authentication", "requestor is set"])
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }

    @Test func `Lists of several origins are merged in their order, each provider pinned to the first that has it`()
        async throws
    {
        let bench = try FlowBench([Self.world("SampleFiber", "SampleCable"), Self.world("SampleCable", "TempPass")])
        let session = try bench.newSession()
        try await session.setRequestor(FlowBench.requestor, at: bench.origins + bench.origins)
        guard case .chooseProvider(let choice) = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
        #expect(choice.providers.map(\.id) == ["SampleFiber", "SampleCable", "TempPass"])
        #expect(bench.requests(at: 0) == [.configuration, .profiles] && bench.requests(at: 1) == [.configuration])
        bench.forgetRequests()
        _ = try await session.setSelectedProvider("SampleCable")
        #expect(bench.requests(at: 0) == [.startSession] && bench.requests(at: 1).isEmpty)
        #expect(try await session.selectedProvider()?.origin == "https://broker0.example")
    }

    /// Sets the requestor of a session at two origins, of which the second one answers first.
    private static func setUp(_ session: EntitlementSession, of bench: FlowBench) async throws {
        bench.activate(.network(.delay(.seconds(2))), at: .configuration)
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        // The first origin's answer is held back until time flows; the second one's is waited for.
        try await eventually {
            bench.requests(at: 0) == [.configuration] && bench.requests(at: 1) == [.configuration]
                && bench.application.shared.askerCount == 1
        }
        _ = try await bench.flowing { try await setUp.value }
    }

    @Test func `With the policy of the fastest, the first that answers gets what several list`() async throws {
        let bench = try FlowBench([Self.world("SampleFiber", "SampleCable"), Self.world("SampleCable")]) {
            $0.hostPolicy = .fastest
        }
        let session = try bench.newSession()
        try await Self.setUp(session, of: bench)
        // The picker has the lists from memory.
        _ = try await session.getAuthentication()
        bench.forgetRequests()
        _ = try await session.setSelectedProvider("SampleCable")
        #expect(bench.requests(at: 1) == [.startSession])
        _ = try await session.setSelectedProvider("SampleFiber")
        #expect(bench.requests(at: 0) == [.startSession])
    }

    @Test func `The fastest origin is the same for all sessions that use its list from memory`() async throws {
        let bench = try FlowBench([Self.world("SampleCable"), Self.world("SampleCable")]) {
            $0.hostPolicy = .fastest
        }
        try await Self.setUp(try bench.newSession(), of: bench)
        bench.forgetRequests()
        for number in 1...20 {
            // Each device has an address of its own, by which requests are counted.
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("192.0.2.\(number)")
            let session = try bench.newSession(key: DeviceKey("device \(number)"), options: options)
            try await session.setRequestor(FlowBench.requestor, at: bench.origins)
            _ = try await session.getAuthentication()
            _ = try await session.setSelectedProvider("SampleCable")
            #expect(try await session.selectedProvider()?.origin == "https://broker1.example")
        }
        #expect(!bench.requests(at: 0).contains(.configuration) && !bench.requests(at: 1).contains(.configuration))
    }

    @Test func `One origin that answers is enough; if none does, each cause is told, and the next call starts afresh`()
        async throws
    {
        let bench = try FlowBench([.sample, Self.world("TempPass")])
        bench.activate(.error(.invalidParameterServiceProvider), at: .configuration)
        let session = try bench.newSession()
        let log = EventLog(of: session)
        try await session.setRequestor(FlowBench.requestor, at: bench.origins)
        #expect(await log.names() == ["requestor is set"])

        bench.activate(.status(403), at: .configuration, origin: 1)
        let failing = try bench.newSession(key: "other", of: bench.otherProcess)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await failing.setRequestor(FlowBench.requestor, at: bench.origins)
        }
        guard case .noOrigin(let failures)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failures.map(\.origin) == bench.origins)
        guard case .refused(_, _) = failures[0].error, case .unreadable(_) = failures[1].error else {
            Issue.record("\(failures)")
            return
        }
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await failing.checkAuthentication() }
        try bench.simulator.deactivate(scenario: BrokerEndpoint.configuration.rawValue)
        try await failing.setRequestor(FlowBench.requestor, at: bench.origins)
    }

    @Test func `A returning device whose provider is pinned needs no list`() async throws {
        let bench = try FlowBench([.sample, .sample])
        let first = try bench.newSession()
        try await first.setRequestor(FlowBench.requestor, at: bench.origins)
        try await bench.signIn(first)
        let second = try bench.newSession(of: bench.otherProcess)
        try await second.setRequestor(FlowBench.requestor, at: bench.origins)
        guard case .authenticated = try await second.checkAuthentication() else {
            Issue.record("not signed in")
            return
        }
        #expect(try await second.selectedProvider()?.displayName == "Sample Cable")
        #expect(bench.requests(at: 0).isEmpty && bench.requests(at: 1).isEmpty)
    }

    /// A device that has signed in with a provider of the second origin, a month later and in another process.
    private static func returningDevice(
        of bench: FlowBench,
        options: SessionOptions = SessionOptions()
    ) async throws -> EntitlementSession {
        let first = try bench.newSession()
        try await first.setRequestor(FlowBench.requestor, at: bench.origins)
        try bench.logIn(try await first.setSelectedProvider("SampleCable"), at: 1)
        _ = try await first.handleExternalURL(FlowBench.redirect)
        bench.time.set(FlowBench.start + .hours(31 * 24))
        bench.forgetRequests()
        let second = try bench.newSession(of: bench.otherProcess, options: options)
        try await second.setRequestor(FlowBench.requestor, at: bench.origins)
        return second
    }

    @Test(arguments: [false, true])
    func `A returning device chooses the same provider where it is pinned`(byItself: Bool) async throws {
        let bench = try FlowBench([Self.world("TempPass"), Self.world("SampleCable", "SampleFiber")])
        var options = SessionOptions()
        options.remembersProvider = byItself
        let session = try await Self.returningDevice(of: bench, options: options)
        let step =
            byItself
            ? try await session.getAuthentication() : try await session.setSelectedProvider("SampleCable")
        guard case .openUserAgent? = step else {
            Issue.record("\(String(describing: step))")
            return
        }
        #expect(bench.requests(at: 0).isEmpty && bench.requests(at: 1) == [.startSession])
        let kept = try await session.selectedProvider()
        #expect(kept?.origin == "https://broker1.example" && kept?.displayName == "Sample Cable")
    }

    @Test func `For another provider, a returning device asks the origins which one has it`() async throws {
        let bench = try FlowBench([Self.world("TempPass"), Self.world("SampleCable", "SampleFiber")])
        let session = try await Self.returningDevice(of: bench)
        _ = try await session.setSelectedProvider("SampleFiber")
        #expect(bench.requests(at: 0) == [.configuration])
        #expect(bench.requests(at: 1) == [.configuration, .startSession])
        bench.forgetRequests()
        await #expect(throws: EntitlementFlowError.unknownProvider("Nobody")) {
            try await session.setSelectedProvider("Nobody")
        }
        #expect(bench.requests(at: 0).isEmpty && bench.requests(at: 1).isEmpty)
    }

    @Test func `Of two origins, a provider of the one that does not answer is not unknown`() async throws {
        let bench = try FlowBench([Self.world("TempPass"), Self.world("SampleCable", "SampleFiber")])
        let session = try await Self.returningDevice(of: bench)
        bench.activate(.status(403), at: .configuration, origin: 1)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await session.setSelectedProvider("SampleFiber")
        }
        guard case .noOrigin(let failures)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failures.map(\.origin) == [bench.origins[1]])
        #expect(bench.requests(at: 0) == [.configuration])
        #expect(try await session.selectedProvider()?.id == "SampleCable")
    }

    /// A user who has signed in with a provider of the second origin, and then with one of the first; and the device in
    /// another process, which has no lists.
    @Test(arguments: [false, true])
    func `A logout reaches the origin of a provider that was changed away from, or is tried again`(
        isDown: Bool
    ) async throws {
        let bench = try FlowBench([Self.world("TempPass", "SampleFiber"), Self.world("SampleCable")])
        let first = try bench.newSession()
        try await first.setRequestor(FlowBench.requestor, at: bench.origins)
        try bench.logIn(try await first.setSelectedProvider("SampleCable"), at: 1)
        _ = try await first.handleExternalURL(FlowBench.redirect)
        try bench.logIn(try await first.setSelectedProvider("SampleFiber"))
        _ = try await first.handleExternalURL(FlowBench.redirect)
        bench.forgetRequests()
        let session = try bench.newSession(of: bench.otherProcess)
        try await session.setRequestor(FlowBench.requestor, at: bench.origins)
        if isDown { bench.activate(.status(403), at: .configuration, origin: 1) }
        let outcome = try await session.logout(.all)
        #expect(outcome.unconfirmed.map(\.mvpd) == (isDown ? ["SampleCable"] : []))
        #expect(bench.requests(at: 0).filter { $0 == .logout } == [.logout])
        #expect(bench.requests(at: 1).filter { $0 == .logout } == (isDown ? [] : [.logout]))
        let marked = try await session.record(requestor: FlowBench.requestor).logouts
        #expect(Set(marked.keys) == (isDown ? ["SampleCable"] : []))
    }

    @Test func `A choice that is cancelled while the origins are asked for their lists ends as superseded`()
        async throws
    {
        let bench = try FlowBench([Self.world("TempPass"), Self.world("SampleCable", "SampleFiber")])
        let session = try await Self.returningDevice(of: bench)
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.setSelectedProvider("SampleFiber")
        }
        #expect(bench.requests(at: 1) == [.configuration])
    }

    @Test func `Calls that come while it runs wait for it, and those that never wait do not`() async throws {
        let bench = try FlowBench([.sample, .sample])
        bench.activate(.network(.delay(.seconds(2))), at: .configuration)
        let session = try bench.newSession()
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        try await eventually { bench.requests(at: 0) == [.configuration] }
        let status = Task { try await session.checkAuthentication(.localOnly) }
        try await eventually { session.queue.waitingCount == 1 }
        // These return although setRequestor stands still.
        await session.setOptions(SessionOptions())
        #expect(try await session.selectedProvider() == nil)
        #expect(try await session.setSelectedProvider(nil) == nil)
        #expect(try await session.handleExternalURL("https://elsewhere.example/") == .otherAddress)
        _ = try await bench.flowing { try await setUp.value }
        #expect(try await status.value == .unknown)
    }

    /// The calls that wait for `setRequestor`.
    enum WaitingCall: Sendable, CaseIterable {
        case checkAuthentication, getAuthentication, setSelectedProvider, checkAuthorization, getAuthorization
        case checkPreauthorizedResources, metadata, logout

        func run(on session: EntitlementSession) async throws {
            switch self {
            case .checkAuthentication: _ = try await session.checkAuthentication()
            case .getAuthentication: _ = try await session.getAuthentication()
            case .setSelectedProvider: _ = try await session.setSelectedProvider("SampleCable")
            case .checkAuthorization: _ = try await session.checkAuthorization("news")
            case .getAuthorization: _ = try await session.getAuthorization("news")
            case .checkPreauthorizedResources: _ = await session.checkPreauthorizedResources(["news"])
            case .metadata: _ = try await session.metadata(.authenticationTTL)
            case .logout: _ = try await session.logout()
            }
        }

        /// What it tells if `setRequestor` failed because the broker does not know the requestor.
        var told: [String] {
            let status = "status CFG400 (Error)"
            return switch self {
            case .checkAuthentication, .getAuthentication, .setSelectedProvider:
                ["not authenticated", status, "tracking of authentication"]
            case .checkAuthorization, .getAuthorization: ["not permitted", status, "tracking of authorization"]
            case .checkPreauthorizedResources: ["0 resources are preauthorized", "status P100 (Error)", status]
            // As with the library: an empty answer, and no error.
            case .metadata: ["metadata"]
            case .logout: [status]
            }
        }
    }

    @Test(arguments: WaitingCall.allCases)
    func `Each call that needs the requestor waits while it is being set`(call: WaitingCall) async throws {
        let bench = try FlowBench([.sample, .sample])
        bench.activate(.network(.delay(.seconds(2))), at: .configuration, times: 1)
        let session = try bench.newSession()
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        try await eventually { bench.requests(at: 0) == [.configuration] }
        let waiting = Task { try await call.run(on: session) }
        try await eventually { session.queue.waitingCount == 1 }
        #expect(bench.requests(at: 0) == [.configuration])
        _ = try await bench.flowing { try await setUp.value }
        if case .failure(let error) = try await bench.flowing({ await waiting.result }) {
            #expect(error as? EntitlementFlowError == .notAuthenticated, "\(error)")
        }
    }

    @Test(arguments: WaitingCall.allCases)
    func `Each call that waited fails as it does, and tells why`(call: WaitingCall) async throws {
        let bench = try FlowBench([.sample, .sample])
        for origin in 0...1 {
            bench.activate(.error(.invalidParameterServiceProvider), at: .configuration, origin: origin)
        }
        bench.activate(.network(.delay(.seconds(2))), at: .register, times: 1)
        let session = try bench.newSession()
        let log = EventLog(of: session)
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        try await eventually { session.queue.isBusy && !bench.simulator.journal.isEmpty }
        let waiting = Task { try await call.run(on: session) }
        try await eventually { session.queue.waitingCount == 1 }
        let failure = await #expect(throws: EntitlementFlowError.self) {
            try await bench.flowing { try await setUp.value }
        }
        switch await waiting.result {
        case .success: #expect(call == .checkPreauthorizedResources)
        case .failure(let error): #expect(error as? EntitlementFlowError == failure)
        }
        let told = await log.names()
        #expect(told.prefix(2) == ["requestor could not be set", "status CFG400 (Error)"])
        #expect(told.dropFirst(2) == call.told[...])
    }

    @Test func `Calls that waited fail as it does; one that was cancelled fails alone`() async throws {
        let bench = try FlowBench([.sample, .sample])
        for origin in 0...1 {
            bench.activate(.error(.invalidParameterServiceProvider), at: .configuration, origin: origin)
        }
        bench.simulator.activate(
            ActiveScenario("slow", .network(.delay(.seconds(2))), endpoints: [.register], remaining: 1))
        let session = try bench.newSession()
        let log = EventLog(of: session)
        let setUp = Task { try await session.setRequestor(FlowBench.requestor, at: bench.origins) }
        try await eventually { session.queue.isBusy && !bench.simulator.journal.isEmpty }
        let cancelled = Task { try await session.checkAuthentication() }
        try await eventually { session.queue.waitingCount == 1 }
        let choosing = Task { try await session.setSelectedProvider("SampleCable") }
        let asking = Task { try await session.checkAuthorization("news") }
        try await eventually { session.queue.waitingCount == 3 }
        cancelled.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await cancelled.value }
        let failure = await #expect(throws: EntitlementFlowError.self) {
            try await bench.flowing { try await setUp.value }
        }
        guard case .noOrigin? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let chosen = await #expect(throws: EntitlementFlowError.self) { try await choosing.value }
        let asked = await #expect(throws: EntitlementFlowError.self) { try await asking.value }
        #expect(chosen == failure && asked == failure)
        // All three tell the reason; the one that was cancelled tells nothing.
        let told = await log.names()
        #expect(told.prefix(2) == ["requestor could not be set", "status CFG400 (Error)"])
        for event in ["not authenticated", "tracking of authentication", "not permitted", "tracking of authorization"] {
            #expect(told.count { $0 == event } == 1, "\(event)")
        }
        #expect(told.count { $0 == "status CFG400 (Error)" } == 3)
    }

    @Test func `Without setRequestor, calls say so`() async throws {
        let session = try FlowBench().newSession()
        let log = EventLog(of: session)
        let told = ["not authenticated", "status CFG400 (Error)", "tracking of authentication"]
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.checkAuthentication() }
        #expect(await log.names() == told)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.getAuthentication() }
        #expect(await log.names() == told)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.setSelectedProvider("A") }
        #expect(await log.names() == told)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.requestCode() }
        #expect(await log.names() == told)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.awaitAuthentication() }
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.synchronize() }
    }

    @Test func `Lists are shared for three minutes by devices of one platform`() async throws {
        let bench = try FlowBench()
        /// Each device has an address of its own, by which requests are counted.
        func count(afterPickerOf kind: FlowBench.Kind, _ number: Int) async throws -> Int {
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("192.0.2.\(number)")
            let session = try await bench.session(kind, key: DeviceKey("device \(number)"), options: options)
            _ = try await session.getAuthentication()
            return bench.requests().count { $0 == .configuration }
        }
        #expect(try await count(afterPickerOf: .tablet, 1) == 1)
        #expect(try await count(afterPickerOf: .tablet, 2) == 1)
        #expect(try await count(afterPickerOf: .television, 3) == 2)
        bench.time.advance(by: .seconds(179))
        #expect(try await count(afterPickerOf: .tablet, 4) == 2)
        bench.time.advance(by: .seconds(1))
        #expect(try await count(afterPickerOf: .tablet, 5) == 3)
    }
}
#endif
