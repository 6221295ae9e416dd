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

@Suite("The choice of a provider")
struct ChoiceTests {
    @Test func `From the picker to the browser, in events and requests`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        guard case .chooseProvider(let choice) = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
        #expect(choice.providers.count == 6 && choice.remembered == nil)
        #expect(await log.names() == ["the user chooses a provider", "status N000 (Info)"])
        guard case .openUserAgent(let visit)? = try await session.setSelectedProvider("SampleCable") else {
            Issue.record("no visit")
            return
        }
        #expect(visit.purpose == .login && visit.usesSystemBrowser && visit.until == FlowBench.start + .minutes(30))
        #expect(visit.url.hasPrefix("https://broker0.example/api/v2/authenticate/REF30/"))
        #expect(await log.names() == ["tracking of providerSelection", "the browser opens an address"])
        #expect(bench.requests() == [.profiles, .configuration, .startSession])
        #expect(try await session.selectedProvider()?.displayName == "Sample Cable")
        // The browser is away: nothing is asked before it comes back.
        #expect(bench.time.sleepers == 0)
    }

    @Test func `A signed-in user is told from the record`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let log = EventLog(of: session)
        guard case .authenticated(let signIn) = try await session.getAuthentication() else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.mvpd == "SampleCable")
        #expect(bench.requests().isEmpty)
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
    }

    @Test func `A provider that the list does not have is refused without a call`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.getAuthentication()
        bench.forgetRequests()
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.unknownProvider("Nobody")) {
            try await session.setSelectedProvider("Nobody")
        }
        #expect(bench.requests().isEmpty)
        guard case .authenticationStatus(.providerNotAvailable)? = await log.next().first else {
            Issue.record("not told")
            return
        }
    }

    @Test func `A provider may be the one that could not be read in the list, so the broker is asked`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.transport.onAnswer { path, answer in
            guard path.hasSuffix("/configuration") else { return answer }
            let text = String(decoding: answer.body, as: UTF8.self).replacing("\"SampleCable\"", with: "7")
            return HTTPAnswer(answer.head, body: Array(text.utf8))
        }
        _ = try await session.getAuthentication()
        bench.transport.onAnswer(nil)
        bench.forgetRequests()
        _ = try await session.setSelectedProvider("SampleCable")
        #expect(bench.requests() == [.startSession])
    }

    @Test func `Without a list, the broker says that it does not know a provider`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        await #expect(throws: EntitlementFlowError.unknownProvider("Nobody")) {
            try await session.setSelectedProvider("Nobody")
        }
        #expect(bench.requests() == [.startSession])
    }

    @Test func `A cancel ends the sign-in and what waits for it`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        _ = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        let log = EventLog(of: session)
        #expect(try await session.setSelectedProvider(nil) == nil)
        await #expect(throws: EntitlementFlowError.superseded) { try await waiting.value }
        await #expect(throws: EntitlementFlowError.superseded) { try await pending.outcome() }
        #expect(await log.names().prefix(3) == ["not authenticated", "status N005 (Info)", "not permitted"])
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode == nil)
        #expect(try await session.selectedProvider() == nil)
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
        await #expect(throws: EntitlementFlowError.notAuthenticated) { try await session.awaitAuthentication() }
    }

    @Test(arguments: [false, true])
    func `Another provider forgets the old one here, and signs it out at the broker if that is wanted`(
        signsOut: Bool
    ) async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.loggingOutPrevious = signsOut
        let session = try await bench.session(options: options)
        try await bench.signIn(session)
        _ = try await session.setSelectedProvider("SampleFiber")
        #expect(bench.requests() == (signsOut ? [.logout, .startSession] : [.startSession]))
        #expect(try await session.checkAuthentication() == .notAuthenticated)
        _ = try await session.setSelectedProvider("SampleCable")
        let status = try await session.checkAuthentication()
        #expect((status == .notAuthenticated) == signsOut)
    }

    @Test func `A choice that is cancelled while the provider before it is signed out is void`() async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.loggingOutPrevious = true
        let session = try await bench.session(options: options)
        try await bench.signIn(session)
        bench.transport.onAnswer { path, answer in
            if path.contains("/logout/") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.setSelectedProvider("SampleFiber")
        }
        #expect(bench.requests() == [.logout])
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode == nil)
        #expect(try await session.selectedProvider() == nil)
    }

    @Test func `A choice that is cancelled meanwhile ends as superseded, and keeps no code`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/sessions") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.setSelectedProvider("SampleCable")
        }
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode == nil)
    }

    @Test func `A picker that is cancelled meanwhile is not shown`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await session.getAuthentication() }
        #expect(await log.names() == ["not authenticated", "status N005 (Info)"])
    }

    @Test func `A logout in the middle of a sign-in voids it`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.transport.onAnswer { [transport = bench.transport] path, answer in
            guard path.hasSuffix("/sessions") else { return answer }
            transport.onAnswer(nil)
            Task { try await session.logout() }
            try? await eventually { session.queue.waitingCount == 1 }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.setSelectedProvider("SampleCable")
        }
        try await eventually { !session.queue.isBusy }
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }

    @Test(arguments: [false, true])
    func `A provider is taken again without a question if that is wanted, and not after a logout`(
        afterForeground isInForeground: Bool
    ) async throws {
        let session = try await signedInLongAgo().session
        // The broker's word that there is no profile anymore is not a sign-in that failed.
        if isInForeground { #expect(try await session.synchronize().status == .notAuthenticated) }
        guard case .openUserAgent = try await session.getAuthentication() else {
            Issue.record("no visit")
            return
        }
        try await session.logout()
        guard case .chooseProvider = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `A provider is not taken again after a sign-in that failed`() async throws {
        let (bench, session) = try await signedInLongAgo()
        guard case .openUserAgent = try await session.getAuthentication() else {
            Issue.record("no visit")
            return
        }
        bench.time.set(FlowBench.start + .hours(32 * 24))
        await #expect(throws: EntitlementFlowError.codeEnded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        guard case .chooseProvider = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `What a list said of a provider stays when another process chooses it without one`() async throws {
        let bench = try FlowBench()
        let first = try await bench.session()
        _ = try await first.getAuthentication()
        try await bench.signIn(first)
        let second = try await bench.session(of: bench.otherProcess)
        _ = try await second.setSelectedProvider("SampleCable")
        #expect(bench.requests() == [.startSession])
        #expect(try await second.selectedProvider()?.displayName == "Sample Cable")
    }

    @Test func `The picker names the provider of the last time`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        bench.time.set(FlowBench.start + .hours(31 * 24))
        guard case .chooseProvider(let choice) = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
        #expect(choice.remembered == "SampleCable")
    }

    @Test func `An unknown next step is an error that names it`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(.malformed(.unknownWords), at: .startSession, times: 1)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await session.setSelectedProvider("SampleCable")
        }
        guard case .unknownStep? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Support

    /// A session that takes its provider again, whose user signed in so long ago that the profile has ended.
    private func signedInLongAgo() async throws -> (bench: FlowBench, session: EntitlementSession) {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.remembersProvider = true
        let session = try await bench.session(options: options)
        try await bench.signIn(session)
        bench.time.set(FlowBench.start + .hours(31 * 24))
        return (bench, session)
    }
}
#endif
