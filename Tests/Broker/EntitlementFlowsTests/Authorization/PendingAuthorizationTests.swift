#if Client
import BrokerBench
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TVETesting
import Testing

@Suite("getAuthorization")
struct PendingAuthorizationTests {
    @Test func `A request waits on while the user is asked for the identity of promotional access`() async throws {
        let bench = try FlowBench { $0.promotionalProviders = ["PromoPass"] }
        let session = try await bench.session()
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        let log = EventLog(of: session)
        #expect(try await session.setSelectedProvider("PromoPass") == .needsIdentity("PromoPass"))
        #expect(await log.names() == ["not authenticated", "status N500 (Error)", "tracking of authentication"])
        _ = try await session.getAuthentication(data: ["email": "user@example.org"])
        guard case .authenticated? = try await session.setSelectedProvider("PromoPass") else {
            Issue.record("not signed in")
            return
        }
        #expect(try await pending.outcome().playback?.mvpd == "PromoPass")
    }

    @Test func `Who is signed in gets the decision with one call`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.getAuthorization("news").playback != nil)
        #expect(bench.requests == [.authorize])
        #expect(await log.names() == ["permitted", "tracking of authorization"])
    }

    /// Begins a sign-in for a resource, and chooses the provider.
    private func begin(
        _ bench: AuthorizationBench,
        _ resource: ResourceID = "news"
    ) async throws -> (request: PendingAuthorization, code: AuthenticationCode) {
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        let outcome = try await bench.session.getAuthorization(resource)
        guard case .needsAuthentication(.chooseProvider, let request) = outcome else { throw UnexpectedStep() }
        guard case .openUserAgent(let visit)? = try await bench.session.setSelectedProvider("SampleCable"),
            let code = visit.code
        else { throw UnexpectedStep() }
        // From the browser's return on, the session looks for the sign-in again and again.
        bench.clock.stand()
        return (request, code)
    }

    private struct UnexpectedStep: Error {}

    @Test func `The decision follows the sign-in by itself`() async throws {
        let bench = try await AuthorizationBench.verifying()
        let (request, code) = try await begin(bench)
        try bench.simulator.logIn(code: code.text, as: "ok")
        bench.forgetRequests()
        let log = EventLog(of: bench.session)
        _ = try await bench.session.handleExternalURL(AuthorizationBench.redirect)
        #expect(try await request.outcome().playback?.resource == "news")
        // Pauses take no time here, so the session may have asked again while the answer was on its way.
        #expect(Set(bench.requests.dropLast()) == [.profileByCode] && bench.requests.last == .authorize)
        let names = await log.names()
        #expect(names.first == "authenticated")
        #expect(names.suffix(2) == ["permitted", "tracking of authorization"])
        #expect(await bench.session.state.pending == nil)
    }

    @Test func `A denial follows in the same way`() async throws {
        let bench = try await AuthorizationBench.verifying()
        let (request, code) = try await begin(bench, "sim:deny")
        try bench.simulator.logIn(code: code.text, as: "ok")
        let log = EventLog(of: bench.session)
        _ = try await bench.session.handleExternalURL(AuthorizationBench.redirect)
        #expect(try await request.outcome().denial?.error?.code == .authorizationDeniedByMVPD)
        #expect(await log.next().statuses.contains("Z100"))
    }

    @Test func `A cancelled sign-in ends the request`() async throws {
        let bench = try await AuthorizationBench()
        let (request, _) = try await begin(bench)
        let log = EventLog(of: bench.session)
        try await bench.session.setSelectedProvider(nil)
        await #expect(throws: EntitlementFlowError.superseded) { try await request.outcome() }
        let failure = try #require(await log.next().failure)
        #expect(failure.resource == "news")
        #expect(failure.legacy.original == .userNotAuthenticated)
    }

    @Test func `A newer request takes the place of the one before`() async throws {
        let bench = try await AuthorizationBench.verifying()
        let (first, _) = try await begin(bench, "first")
        let (second, code) = try await begin(bench, "second")
        await #expect(throws: EntitlementFlowError.superseded) { try await first.outcome() }
        try bench.simulator.logIn(code: code.text, as: "ok")
        _ = try await bench.session.handleExternalURL(AuthorizationBench.redirect)
        #expect(try await second.outcome().playback?.resource == "second")
    }

    @Test func `A logout ends the request`() async throws {
        let bench = try await AuthorizationBench()
        let (request, _) = try await begin(bench)
        try await bench.session.logout()
        await #expect(throws: EntitlementFlowError.notAuthenticated) { try await request.outcome() }
    }

    @Test func `A wait that is cancelled leaves the request`() async throws {
        let bench = try await AuthorizationBench.verifying()
        let (request, code) = try await begin(bench)
        let wait = Task { try await request.outcome() }
        wait.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await wait.value }
        try bench.simulator.logIn(code: code.text, as: "ok")
        _ = try await bench.session.handleExternalURL(AuthorizationBench.redirect)
        #expect(try await request.outcome().playback != nil)
    }

    @Test func `A profile that is dead at the broker begins a sign-in, and nothing is told of the denial`() async throws
    {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.simulator.expire(.profiles)
        let log = EventLog(of: bench.session)
        let outcome = try await bench.session.getAuthorization("news")
        guard case .needsAuthentication(.chooseProvider, let request) = outcome else {
            Issue.record("no sign-in has begun")
            return
        }
        #expect(request.resource == "news")
        #expect(await log.next().failure == nil)
    }

    @Test func `Used-up temporary access is denied, and the next request chooses a provider`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.choose("TempPass", isTemporary: true)
        #expect(try await bench.session.getAuthorization("news").playback != nil)
        bench.advance(by: .seconds(600))
        #expect(
            try await bench.session.getAuthorization("news").denial?.error?.code
                == .temporaryAccessDurationLimitExceeded)
        guard case .needsAuthentication = try await bench.session.getAuthorization("news") else {
            Issue.record("no sign-in has begun")
            return
        }
    }

    @Test func `If no sign-in can begin, the request fails`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        for simulator in [bench.simulator, bench.other] {
            simulator.activate(
                ActiveScenario("test", .network(.dropRequest), endpoints: [.configuration]))
        }
        let log = EventLog(of: bench.session)
        await #expect(throws: EntitlementFlowError.self) { try await bench.session.getAuthorization("news") }
        #expect(await log.next().failure?.resource == "news")
        #expect(await bench.session.state.pending == nil)
    }
}
#endif
