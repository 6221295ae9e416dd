#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

@Suite("Denials, and what is special about permits")
struct DenialTests {
    /// A denial of the broker, and the words of the operator's library for it.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: EnhancedErrorCode
        let original: OriginalError
        let status: String
        var endsSignIn = false

        var testDescription: String { code.rawValue }
    }

    static let rows = [
        Row(code: .authenticatedProfileMissing, original: .userNotAuthenticated, status: "N000", endsSignIn: true),
        Row(code: .authenticatedProfileExpired, original: .userNotAuthenticated, status: "N000", endsSignIn: true),
        Row(code: .authenticatedProfileInvalidated, original: .userNotAuthenticated, status: "N000", endsSignIn: true),
        Row(
            code: .authorizationDeniedBySessionInvalidated, original: .userNotAuthenticated, status: "N000",
            endsSignIn: true),
        Row(code: .identityNotRecognizedByMVPD, original: .userNotAuthenticated, status: "N000", endsSignIn: true),
        Row(code: .authorizationDeniedByMVPD, original: .userNotAuthorized, status: "Z100"),
        Row(code: .authorizationDeniedByParentalControls, original: .userNotAuthorized, status: "Z100"),
        Row(code: .authorizationDeniedByHBAPolicies, original: .userNotAuthorized, status: "Z100"),
        Row(code: .authorizationDeniedByDegradationRule, original: .userNotAuthorized, status: "Z169"),
        Row(
            code: .temporaryAccessDurationLimitExceeded, original: .userNotAuthorized, status: "N111", endsSignIn: true),
        Row(code: .temporaryAccessResourcesLimitExceeded, original: .userNotAuthorized, status: "N111"),
        Row(code: .networkReceivedError, original: .genericAuthorization, status: "Z120"),
        Row(code: .networkConnectionTimeout, original: .genericAuthorization, status: "Z120"),
        Row(code: .maximumExecutionTimeExceeded, original: .genericAuthorization, status: "Z120"),
        Row(code: .invalidParameterResources, original: .genericAuthorization, status: "Z130"),
        Row(code: .internalServerError, original: .internalAuthorization, status: "Z500"),
    ]

    @Test(arguments: rows)
    func `A denial of one resource`(row: Row) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(.decision(row.code), at: .authorize)
        let log = EventLog(of: bench.session)
        let denial = try #require(try await bench.session.checkAuthorization("news").denial)
        #expect(denial.error?.code == row.code)
        #expect(denial.resource == "news")
        #expect(denial.mvpd == "SampleCable")
        let events = await log.next()
        let first = row.endsSignIn ? "not authenticated" : "authenticated"
        #expect(events.first?.description == first)
        #expect(events.statuses == [row.status])
        #expect(events.failure?.legacy.original == row.original)
        #expect(events.tracking?.refusal == row.original.rawValue)
        // What is to be tried again is tried three times in all; all else is asked for once.
        let isRetried = denial.error?.action == .retry
        #expect(bench.requests == Array(repeating: .authorize, count: isRetried ? 3 : 1))
        #expect((try await bench.record().profile == nil) == row.endsSignIn)
        #expect(bench.simulator.journal.allSatisfy { $0.endpoint != .logout })
    }

    @Test func `A denial is the answer for ten seconds, and told each time as the broker's`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let first = try #require(try await bench.session.checkAuthorization("sim:deny").denial)
        let told = await log.names()
        bench.advance(by: .seconds(9))
        #expect(try await bench.session.checkAuthorization("sim:deny").denial == first)
        #expect(await log.names() == told)
        #expect(try await bench.session.getAuthorization("sim:deny").denial == first)
        #expect(bench.requests == [.authorize])
        #expect(try await bench.session.checkAuthorization("news").playback != nil, "another resource")
        bench.advance(by: .seconds(2))
        #expect(try await bench.session.checkAuthorization("sim:deny").denial == first)
        #expect(bench.requests == [.authorize, .authorize, .authorize])
        // A logout and a sign-in end it at once.
        try await bench.session.logout()
        try await bench.signIn()
        #expect(try await bench.session.checkAuthorization("sim:deny").denial != nil)
        #expect(bench.requests == [.authorize])
    }

    @Test(arguments: [Scenario.status(503), .status(401), .malformed(.empty), .decision(.networkConnectionTimeout)])
    func `A failure, and what is to be tried again, is not remembered`(scenario: Scenario) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(scenario, at: .authorize)
        #expect((try? await bench.session.checkAuthorization("news"))?.playback == nil)
        try bench.simulator.deactivate(scenario: "test")
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
    }

    @Test(arguments: [EnhancedErrorCode.authenticatedProfileMissing, .authenticatedProfileExpired])
    func `The same error for the whole call`(code: EnhancedErrorCode) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(.error(code), at: .authorize)
        #expect(try await bench.session.checkAuthorization("news").denial?.error?.code == code)
        #expect(try await bench.record().profile == nil)
        await #expect(throws: EntitlementFlowError.notAuthenticated) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(bench.requests == [.authorize])
    }

    @Test func `What the broker does not decide is denied`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.transport.onAnswer { path, answer in
            path.contains("/authorize/") ? HTTPAnswer(answer.head, body: Array(#"{"decisions":[]}"#.utf8)) : answer
        }
        let denial = try #require(try await bench.session.checkAuthorization("news").denial)
        #expect(denial.error == nil)
        #expect(try await bench.record().profile != nil)
    }

    @Test func `The provider's text comes without markup, its links apart`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [
            SimulatedRule(
                "upsell",
                effect: .deny(
                    .authorizationDeniedByMVPD,
                    details: "<p>Order <b>Sports</b> at <a href=\"https://cable.example/order?a=1&amp;b=2\">us</a>.</p>"
                ))
        ]
        let bench = try await AuthorizationBench(world: world)
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let denial = try #require(try await bench.session.checkAuthorization("news").denial)
        #expect(denial.message == "Order Sports at us .")
        #expect(denial.links == ["https://cable.example/order?a=1&b=2"])
        #expect(!"\(denial)".contains("Sports"))
        #expect(await log.next().failure?.details == "Order Sports at us .")
    }

    @Test func `A code that is not documented is not shown`() {
        let error = EnhancedError(status: 403, code: "QX7PL4Z")
        let denial = AuthorizationDenial(of: "news", mvpd: "SampleCable", source: .mvpd, because: error)
        let answer = PreauthorizedResource("news", isPermitted: false, because: error)
        for shown in ["\(denial)", "\(answer)"] {
            #expect(shown.contains("denied, (a text that is not shown)") && !shown.contains("QX7PL4Z"))
        }
    }

    // MARK: Temporary and degraded access

    @Test func `Temporary access ends by itself, and the sign-in with it`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.choose("TempPass", isTemporary: true)
        let log = EventLog(of: bench.session)
        #expect(try await bench.session.checkAuthorization("news").playback?.source == .temporaryAccess)
        #expect(await log.next().statuses == ["Z011"])
        bench.advance(by: .seconds(600))
        #expect(
            try await bench.session.checkAuthorization("news").denial?.error?.code
                == .temporaryAccessDurationLimitExceeded)
        #expect(await log.next().statuses == ["N111"])
        #expect(try await bench.record().profile == nil)
    }

    @Test(arguments: [true, false])
    func `Under temporary access nothing is asked for twice`(isTemporary: Bool) async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        try await bench.choose(isTemporary ? "TempPass" : "SampleCable", isTemporary: isTemporary)
        if isTemporary { try await bench.change { $0.adopt(ProfileHint(ofUnknownEnd: "TempPass"), askedAt: .now) } }
        bench.activate(.network(.dropAnswer), at: .authorize, times: 1)
        let log = EventLog(of: bench.session)
        if isTemporary {
            let error = await #expect(throws: EntitlementFlowError.self) {
                try await bench.session.checkAuthorization("news")
            }
            #expect(error?.isBroker == true)
            #expect(bench.requests == [.authorize])
            #expect(await log.next().statuses == ["Z120"])
        } else {
            #expect(try await bench.session.checkAuthorization("news").playback != nil)
            #expect(bench.requests == [.authorize, .authorize])
        }
    }

    @Test func `Promotional access: the identity rides along, and the budget denies without signing out`() async throws
    {
        let bench = try await AuthorizationBench.verifying()
        try await bench.choose("PromoPass", isTemporary: true)
        let identity = try TemporaryIdentity("user@example.org")
        try await bench.change { $0.identity = identity }
        for resource: ResourceID in ["a", "b", "c"] {
            #expect(try await bench.session.checkAuthorization(resource).playback?.source == .temporaryAccess)
        }
        #expect(
            try await bench.session.checkAuthorization("d").denial?.error?.code
                == .temporaryAccessResourcesLimitExceeded)
        bench.advance(by: .seconds(1))
        #expect(try await bench.session.checkAuthorization("a").playback != nil)
    }

    @Test func `A rule that permits all, and one that permits nothing`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("down", resources: "n*", effect: .permitAll)]
        world.rules.append(SimulatedRule("off", resources: "s*", effect: .permitNone))
        let bench = try await AuthorizationBench.verifying(world: world)
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let playback = try #require(try await bench.session.checkAuthorization("news").playback)
        #expect(playback.source == .degradation)
        #expect(playback.until == nil)
        #expect(await log.next().statuses == ["Z010"])
        let denial = try #require(try await bench.session.checkAuthorization("sports").denial)
        #expect(denial.source == .degradation)
        #expect(await log.next().statuses == ["Z169"])
    }

    @Test func `A provider whose failure lets everyone in permits without a sign-in`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("open", mvpd: "SampleCable", effect: .admitAll)]
        let bench = try await AuthorizationBench.verifying(world: world)
        try await bench.choose("SampleCable")
        #expect(try await bench.session.checkAuthorization("news").playback?.source == .degradation)
    }
}
#endif
