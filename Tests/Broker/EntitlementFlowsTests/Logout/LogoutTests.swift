#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import RecordChecks
import ServiceResponses
import Testing
import TestVectors

@Suite("Logout")
struct LogoutTests {
    @Test func `The broker takes the profile away, and the browser ends the provider's session`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let outcome = try await bench.session.logout()
        #expect(bench.requests == [.logout])
        let visit = try #require(outcome.visits.first)
        #expect(outcome.steps.count == 1)
        #expect(visit.purpose == .logout)
        #expect(visit.needsNoInteraction)
        #expect(visit.url.hasPrefix("https://broker.example/"))
        #expect(await log.names() == ["the browser opens an address"])
        let record = try await bench.record()
        #expect(record.profile == nil)
        #expect(record.provider == nil)
        #expect(record.logouts.isEmpty)
        #expect(try await bench.session.handleExternalURL(AuthorizationBench.redirect) == .signedOut)
        #expect(await log.names() == ["not authenticated"])
        _ = try await bench.session.handleExternalURL(AuthorizationBench.redirect)
        #expect(await log.names() == [])
        #expect(bench.requests == [.logout])
    }

    @Test(arguments: [false, true])
    func `The page of a logout is shown where that of the login was, which has the provider's cookie`(
        inApp: Bool
    ) async throws {
        let bench = try FlowBench { if inApp { $0.webViewProviders = ["SampleCable"] } }
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        guard case .openUserAgent(let login)? = step else {
            Issue.record("no visit")
            return
        }
        #expect(login.usesSystemBrowser == !inApp)
        try bench.logIn(step)
        _ = try await session.handleExternalURL(FlowBench.redirect)
        let visits = try await session.logout().visits
        #expect(visits.map(\.usesSystemBrowser) == [!inApp])
    }

    @Test(arguments: [("SampleCable", false), ("SampleFiber", true)] as [(MVPDID, Bool)])
    func `If those are named whose pages need the system's browser, others do not get it`(
        mvpd: MVPDID,
        needsIt: Bool
    ) async throws {
        let bench = try FlowBench { $0.systemBrowserProviders = ["SampleFiber"] }
        let session = try await bench.session()
        guard case .openUserAgent(let login)? = try await session.setSelectedProvider(mvpd) else {
            Issue.record("no visit")
            return
        }
        #expect(login.usesSystemBrowser == needsIt)
    }

    @Test func `Without a page of the provider it is done at once`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn("SampleFiber")
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.logout() == LogoutOutcome(leaving: [.done]))
        #expect(await log.names() == ["not authenticated"])
    }

    @Test func `A device without a browser stops after the call`() async throws {
        var options = SessionOptions()
        options.hasUserAgent = false
        let bench = try await AuthorizationBench(options: options)
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.logout().steps == [.done])
        #expect(bench.requests == [.logout])
        #expect(await log.names() == ["not authenticated"])
    }

    @Test func `Who is not signed in is signed out without a call`() async throws {
        let bench = try await AuthorizationBench()
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.logout() == LogoutOutcome(leaving: [.done]))
        #expect(bench.requests == [])
        #expect(await log.names() == ["not authenticated"])
        await #expect(throws: EntitlementFlowError.notAuthenticated) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test func `The device's own account stays, and the status says so`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/logout/") else { return answer }
            let step = #"{"actionName":"partner_logout","actionType":"partner_interactive","mvpd":"SampleCable"}"#
            return HTTPAnswer(answer.head, body: Array(#"{"logouts":{"SampleCable":\#(step)}}"#.utf8))
        }
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.logout().steps == [.leavePartnerAccount("SampleCable")])
        let events = await log.next()
        #expect(events.map(\.description) == ["status VSA203 (Info)", "not authenticated"])
        guard case .status(let status)? = events.first else { return }
        #expect(status.message?.contains("settings") == true)
    }

    @Test func `Every provider that the record knows, each once; temporary access needs no call`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        try await bench.signInAtBroker("SampleFiber")
        bench.forgetRequests()
        try await bench.change { record in
            record.adopt(DecisionTime(on: "a", mvpd: "SampleFiber", decided: .now, notAfter: nil))
            record.provider = ChosenProvider(id: "TempPass", isTemporary: true)
        }
        let outcome = try await bench.session.logout(.all)
        #expect(bench.requests == [.logout, .logout])
        #expect(outcome.unconfirmed.isEmpty)
        #expect(try await bench.record().decisions.isEmpty)
        let caller = await bench.session.caller(at: bench.origins[0])
        #expect(try await caller.profiles(requestor: "REF30").profiles.isEmpty)
    }

    @Test func `A provider that the user changed away from is signed out, too, and signs in nobody afterwards`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        try await bench.signIn(session, with: "SampleFiber")
        #expect(try await session.logout(.all).unconfirmed.isEmpty)
        #expect(bench.requests() == [.logout, .logout])
        #expect(try await session.record(requestor: FlowBench.requestor).otherProfiles.isEmpty)
        bench.forgetRequests()
        try await session.setRequestor(FlowBench.requestor)
        #expect(bench.requests() == [.profiles])
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }

    @Test func `Of several profiles that the broker names, those are signed out, too, that do not count`() async throws
    {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker()
        try await bench.signInAtBroker("SampleFiber")
        _ = try await bench.session.checkAuthentication()
        bench.forgetRequests()
        try await bench.session.logout(.all)
        #expect(bench.requests == [.logout, .logout])
        #expect(try await bench.session.checkAuthentication(.broker) == .notAuthenticated)
    }

    @Test func `A logout at one provider leaves the others for the next one`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        try await bench.signIn(session, with: "SampleFiber")
        try await session.logout(.mvpd("SampleFiber"))
        bench.forgetRequests()
        try await session.logout(.all)
        #expect(bench.requests() == [.logout])
        try await session.logout(.all)
        #expect(bench.requests() == [.logout])
    }

    @Test func `Temporary access that the user changed away from needs no call`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.setSelectedProvider("TempPass")
        try await bench.signIn(session)
        try await session.logout(.all)
        #expect(bench.requests() == [.logout])
    }

    @Test func `One provider alone`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.logout(.mvpd("SampleFiber")).steps == [.done])
        #expect(bench.requests == [.logout])
        #expect(await log.names() == ["authenticated"])
        #expect(try await bench.record().provider?.id == "SampleCable")
        #expect(try await bench.session.logout(.mvpd("SampleCable")).visits.count == 1)
        #expect(try await bench.record().profile == nil)
    }

    @Test func `Each provider is signed out at its own origin`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker(origin: 1)
        try await bench.choose("SampleCable", origin: bench.origins[1])
        bench.forgetRequests()
        try await bench.session.logout()
        #expect(bench.requests == [])
        #expect(bench.other.journal.compactMap(\.endpoint) == [.logout])
    }

    // MARK: Failures

    @Test(arguments: [
        Scenario.network(.dropRequest), .status(503), .throttled(retryAfter: nil), .malformed(.truncated),
        .error(.internalServerError),
    ])
    func `A logout that did not reach the broker clears the record all the same`(scenario: Scenario) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(scenario, at: .logout)
        let log = EventLog(of: bench.session)
        let outcome = try await bench.session.logout()
        #expect(outcome.steps == [.done])
        #expect(outcome.unconfirmed.map(\.mvpd) == ["SampleCable"])
        #expect(await log.names() == ["not authenticated"])
        let record = try await bench.record()
        #expect(record.profile == nil)
        #expect(record.logouts["SampleCable"] != nil)
        await #expect(throws: EntitlementFlowError.notAuthenticated) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test func `A logout without a connection does not undo itself, and is tried again`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.advance(by: .seconds(60))
        bench.activate(.network(.dropRequest), at: .logout)
        try await bench.session.logout()
        bench.forgetRequests()
        // The broker still has the profile.
        #expect(try await bench.session.refreshProfile(requestor: "REF30").signIn == nil)
        #expect(bench.requests.contains(.logout))
        try bench.simulator.deactivate(scenario: "test")
        bench.forgetRequests()
        #expect(try await bench.session.refreshProfile(requestor: "REF30").signIn == nil)
        #expect(bench.requests == [.logout, .profiles])
        #expect(try await bench.record().logouts.isEmpty)
    }

    @Test func `No sign-in begins before the old profile is gone`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.advance(by: .seconds(60))
        bench.activate(.network(.dropRequest), at: .logout)
        try await bench.session.logout()
        await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.setSelectedProvider("SampleCable")
        }
        #expect(!bench.requests.contains(.startSession))
        try bench.simulator.deactivate(scenario: "test")
        guard case .openUserAgent? = try await bench.session.setSelectedProvider("SampleCable") else {
            Issue.record("the old profile has signed in again")
            return
        }
    }

    @Test func `A sign-in since the mark is not ended by the second attempt`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.logOut(mvpd: "SampleCable", at: AuthorizationBench.start) }
        bench.advance(by: .seconds(60))
        try await bench.signInAtBroker()
        let profile = try await bench.session.caller(at: bench.origins[0]).profiles(
            requestor: "REF30"
        ).profiles[0]
        let now = bench.time.now
        try await bench.change { $0.adopt(ProfileHint(profile), askedAt: now) }
        bench.forgetRequests()
        #expect(try await bench.session.retryLogouts(requestor: "REF30").isEmpty)
        #expect(bench.requests == [])
        #expect(try await bench.record().logouts.isEmpty)
        #expect(try await bench.record().profile != nil)
    }

    @Test func `An address that must not be opened leaves nothing to do`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/logout/") else { return answer }
            let step = #"{"actionName":"logout","actionType":"interactive","url":"javascript:alert(1)"}"#
            return HTTPAnswer(answer.head, body: Array(#"{"logouts":{"SampleCable":\#(step)}}"#.utf8))
        }
        #expect(try await bench.session.logout() == LogoutOutcome(leaving: [.done]))
    }

    @Test func `A store that does not answer changes nothing`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.store.setAway()
        let error = await #expect(throws: EntitlementFlowError.self) { try await bench.session.logout() }
        #expect(error?.isStore == true)
        bench.store.setAway(false)
        #expect(try await bench.record().profile != nil)
        #expect(bench.requests == [])
    }

    @Test func `What waits ends at once, although a command runs`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(.network(.delay(.seconds(6))), at: .authorize)
        let play = Task { try await bench.session.checkAuthorization("news") }
        try await eventually { !bench.requests.isEmpty }
        let epoch = try await bench.record().epoch
        let logout = Task { try await bench.session.logout() }
        try await eventually { try await bench.record().epoch != epoch }
        #expect(try await bench.record().profile != nil)
        play.cancel()
        _ = await play.result
        #expect(try await logout.value.unconfirmed.isEmpty)
        #expect(try await bench.record().profile == nil)
    }

    @Test func `A provider is asked, too, if only a decision that is not written yet names it`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let (now, device) = (bench.application.time.now, DeviceKey("device-key"))
        for (resource, mvpd, end) in [
            (ResourceID("a"), MVPDID("SampleFiber"), now + .seconds(9)), ("b", "Ended", now - .seconds(1)),
        ] {
            let decision = DecisionTime(on: resource, mvpd: mvpd, decided: now - .seconds(9), notAfter: end)
            bench.directory.note(decision, requestor: "REF30", of: device)
        }
        try await bench.session.logout()
        #expect(bench.requests == [.logout, .logout])
        #expect(bench.directory.notedDecisions(requestor: "REF30", of: device).isEmpty)
    }

    @Test func `Noted decision times go with the sign-in`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.checkAuthorization("news")
        try await bench.session.logout()
        #expect(try await bench.record().decisions.isEmpty)
        #expect(bench.directory.notedDecisions(requestor: "REF30", of: "device-key").isEmpty)
    }
}

extension LogoutOutcome {
    fileprivate var visits: [UserAgentVisit] {
        steps.compactMap { if case .openUserAgent(let visit) = $0 { visit } else { nil } }
    }
}
#endif
