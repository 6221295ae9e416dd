#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TVETesting
import Testing

@Suite("Temporary, promotional and degraded access, and forced sign-ins")
struct SpecialAccessTests {
    @Test func `Temporary access that the list names needs no call, and the first play is one`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.getAuthentication()
        bench.forgetRequests()
        let log = EventLog(of: session)
        guard case .authenticated(let signIn)? = try await session.setSelectedProvider("TempPass") else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn == SignIn(mvpd: "TempPass", until: nil, because: .temporary))
        #expect(bench.requests().isEmpty)
        #expect(
            await log.names() == [
                "tracking of providerSelection", "authenticated", "status N011 (Info)", "tracking of authentication",
            ])
        guard case .permitted = try await session.getAuthorization("news") else {
            Issue.record("not permitted")
            return
        }
        #expect(bench.requests() == [.authorize])
    }

    @Test func `A device enters temporary access without a registration if the list of another one names it`()
        async throws
    {
        let bench = try FlowBench()
        _ = try await bench.session(key: "one").getAuthentication()
        bench.forgetRequests()
        let session = try await bench.session(key: "other")
        guard case .authenticated? = try await session.setSelectedProvider("TempPass") else {
            Issue.record("not signed in")
            return
        }
        #expect(bench.simulator.journal.isEmpty)
    }

    @Test func `Temporary access that the record names needs no call in another process`() async throws {
        let bench = try FlowBench()
        let first = try await bench.session()
        _ = try await first.getAuthentication()
        _ = try await first.setSelectedProvider("TempPass")
        bench.forgetRequests()
        let second = try await bench.session(of: bench.otherProcess)
        guard case .authenticated? = try await second.setSelectedProvider("TempPass") else {
            Issue.record("not signed in")
            return
        }
        #expect(bench.requests().isEmpty)
    }

    @Test func `Without a list, the broker lets temporary access in, and the end is asked for when it is wanted`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .authenticated(let signIn)? = try await session.setSelectedProvider("TempPass") else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.reason == .temporary && signIn.until == nil)
        #expect(bench.requests() == [.startSession])
        guard case .authenticated(let known) = try await session.checkAuthentication(.broker) else {
            Issue.record("not signed in")
            return
        }
        #expect(known.until != nil)
    }

    @Test func `Temporary access that is used up is over, and is told so`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.setSelectedProvider("TempPass")
        _ = try await session.getAuthorization("news")
        bench.simulator.expire(.profiles)
        let log = EventLog(of: session)
        #expect(try await session.checkAuthentication(.broker) == .notAuthenticated)
        #expect(await log.names().contains("status N111 (Warning)"))
    }

    @Test func `Temporary access that is used up is not chosen by itself`() async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.remembersProvider = true
        let session = try await bench.session(options: options)
        _ = try await session.setSelectedProvider("TempPass")
        _ = try await session.getAuthorization("news")
        bench.simulator.expire(.profiles)
        #expect(try await session.checkAuthentication(.broker) == .notAuthenticated)
        guard case .chooseProvider = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
    }

    @Test(arguments: [true, false])
    func `Promotional access needs an identity, which is kept and sent`(isPlain: Bool) async throws {
        let bench = try FlowBench { application in
            application.promotionalProviders = ["PromoPass"]
            if isPlain { application.hashesIdentity = false }
        }
        let session = try await bench.session()
        let log = EventLog(of: session)
        #expect(try await session.setSelectedProvider("PromoPass") == .needsIdentity("PromoPass"))
        #expect(bench.requests().isEmpty)
        guard case .authenticationStatus(.failed(.identityNeeded("PromoPass")))? = await log.next().first else {
            Issue.record("not told")
            return
        }
        _ = try await session.getAuthentication(data: ["email": "user@example.org"])
        guard case .authenticated? = try await session.setSelectedProvider("PromoPass") else {
            Issue.record("not signed in")
            return
        }
        let kept = try await session.record(requestor: FlowBench.requestor).identity
        #expect(
            try kept
                == (isPlain ? TemporaryIdentity("user@example.org") : TemporaryIdentity(hashing: "user@example.org")))
        guard case .authenticated = try await session.checkAuthentication(.broker) else {
            Issue.record("the broker did not get the identity")
            return
        }
        // Another provider does not get to know it.
        _ = try await session.setSelectedProvider("SampleCable")
        #expect(try await session.record(requestor: FlowBench.requestor).identity == nil)
    }

    @Test func `A provider of which the broker wants an identity is promotional, also if it is not named`() async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.getAuthentication()
        _ = try await session.setSelectedProvider("PromoPass")
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.self) { try await session.checkAuthorization("news") }
        #expect(await log.next().failure?.legacy.original == .genericAuthorization)
        #expect(try await session.setSelectedProvider("PromoPass") == .needsIdentity("PromoPass"))
        _ = try await session.getAuthentication(data: ["email": "user@example.org"])
        #expect(try await session.checkAuthorization("news").playback != nil)
    }

    @Test(arguments: [["name": "x"], ["email": "a", "other": "b"], ["email": ""]])
    func `Data that has no place in the broker's interface is refused at once`(data: [String: String]) async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        await #expect(throws: EntitlementFlowError.unsupported(.unknownData)) {
            try await session.getAuthentication(data: data)
        }
        #expect(bench.simulator.journal.isEmpty)
    }

    @Test func `A degraded provider lets the user in, and is told so`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("degraded", mvpd: "SampleCable", effect: .admitAll)]
        let bench = try FlowBench([world])
        let session = try await bench.session()
        let log = EventLog(of: session)
        guard case .authenticated(let signIn)? = try await session.setSelectedProvider("SampleCable") else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.reason == .degraded)
        #expect(
            await log.names() == [
                "tracking of providerSelection", "authenticated", "status N010 (Warning)",
                "tracking of authentication",
            ])
    }

    @Test func `A status that the broker or the record tells says why the user is signed in, too`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("degraded", mvpd: "SampleCable", effect: .admitAll)]
        let bench = try FlowBench([world])
        let session = try await bench.session()
        for (mvpd, code) in [("SampleCable", "status N010 (Warning)"), ("TempPass", "status N011 (Info)")] {
            _ = try await session.setSelectedProvider(MVPDID(mvpd))
            let log = EventLog(of: session)
            for source in [StatusSource.broker, .localOnly] {
                _ = try await session.checkAuthentication(source)
                #expect(await log.names() == ["authenticated", code, "tracking of authentication"])
            }
        }
    }

    @Test func `A forced sign-in visits no logout page of another provider`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/logout/") else { return answer }
            let text = String(decoding: answer.body, as: UTF8.self).replacing(
                "\"SampleCable\"", with: "\"SampleFiber\"")
            return HTTPAnswer(answer.head, body: Array(text.utf8))
        }
        guard case .chooseProvider = try await session.getAuthentication(forced: true) else {
            Issue.record("no picker")
            return
        }
        #expect(bench.requests().first == .logout)
    }

    @Test func `A forced sign-in visits the logout page that names its provider under another key`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/logout/") else { return answer }
            let text = String(decoding: answer.body, as: UTF8.self).replacing(
                #""logouts":{"SampleCable":"#, with: #""logouts":{"Other":"#)
            #expect(text.contains("Other"))
            return HTTPAnswer(answer.head, body: Array(text.utf8))
        }
        guard case .openUserAgent(let visit) = try await session.getAuthentication(forced: true) else {
            Issue.record("no visit")
            return
        }
        #expect(visit.purpose == .logout)
    }

    @Test func `A forced sign-in visits all logout pages of the broker's answer, one after the other`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/logout/") else { return answer }
            let steps = ["SampleFiber", "SampleCable"].map { mvpd in
                #""\#(mvpd)":{"actionName":"logout","actionType":"interactive","mvpd":"\#(mvpd)","url":"/out/\#(mvpd)"}"#
            }
            return HTTPAnswer(answer.head, body: Array(#"{"logouts":{\#(steps.joined(separator: ","))}}"#.utf8))
        }
        let log = EventLog(of: session)
        guard case .openUserAgent(let first) = try await session.getAuthentication(forced: true),
            case .goOn(.openUserAgent(let second)) = try await session.handleExternalURL(FlowBench.redirect)
        else {
            Issue.record("not two pages")
            return
        }
        #expect(first.purpose == .logout && second.purpose == .logout && first.url != second.url)
        #expect(await log.names() == ["the browser opens an address", "the browser opens an address"])
        guard case .goOn(.chooseProvider) = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `A forced sign-in visits the logout page first, then begins anew`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let log = EventLog(of: session)
        guard case .openUserAgent(let visit) = try await session.getAuthentication(forced: true) else {
            Issue.record("no visit")
            return
        }
        #expect(visit.purpose == .logout && visit.code == nil)
        #expect(bench.requests() == [.logout])
        #expect(try await session.checkAuthentication(.localOnly) != .unknown)
        guard case .goOn(.chooseProvider) = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("no picker")
            return
        }
        #expect(await log.names().first == "the browser opens an address")
        #expect(bench.requests() == [.logout, .configuration])
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
    }

    @Test(arguments: ["SampleCable", "SampleFiber"] as [MVPDID])
    func `A cancel during the logout of a forced sign-in voids it`(mvpd: MVPDID) async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session, with: mvpd)
        bench.transport.onAnswer { path, answer in
            if path.contains("/logout/") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await session.getAuthentication(forced: true) }
        #expect(bench.requests() == [.logout])
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
    }

    @Test func `A forced sign-in forgets until when the provider's decisions held`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        // The times of the second one are not written yet: the first one's were just now.
        for resource in ["news", "sport"] as [ResourceID] {
            _ = try await session.checkAuthorization(resource)
            try await bench.application.broker.records.writeNotedDecisions(of: "device")
        }
        _ = try await session.getAuthentication(forced: true)
        _ = try await session.handleExternalURL(FlowBench.redirect)
        try await bench.signIn(session)
        for resource in ["news", "sport"] as [ResourceID] {
            #expect(try await session.metadata(.authorizationTTL(resource)).value == nil)
        }
    }

    @Test func `A forced sign-in whose logout page ends in another process is asked for again`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        guard case .openUserAgent = try await session.getAuthentication(forced: true) else {
            Issue.record("no visit")
            return
        }
        let other = try await bench.session(of: bench.otherProcess)
        #expect(try await other.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
        guard case .chooseProvider = try await other.getAuthentication() else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `A forced sign-in goes on at once if the provider has no logout page, and a cancel leaves signed out`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session, with: "SampleFiber")
        guard case .chooseProvider = try await session.getAuthentication(forced: true) else {
            Issue.record("no picker")
            return
        }
        _ = try await session.setSelectedProvider(nil)
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }
}
#endif
