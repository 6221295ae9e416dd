#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import MediaTokens
import RequestorSigning
import ServiceResponses
import Testing

@Suite("The client's flows against the simulator")
struct ClientFlowTests {
    @Test func `From a new device to playback and out again`() async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        let code = try #require(try await bench.signIn(caller))
        let polled = try await caller.profile(code: code, requestor: "REF30", priority: .foreground)
        #expect(polled.profiles.map(\.mvpd) == ["SampleCable"])
        let decisions = try await caller.authorize(["news"], mvpd: "SampleCable", requestor: "REF30")
        let token = try #require(decisions["news"]?.token?.serializedToken)
        let verifier = MediaTokenVerifier(keys: try bench.simulator.keys.mediaVerificationKeys)
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly("news"))
        #expect(try verifier.verify(token, expecting: expectations, at: bench.simulator.now).mvpd == "SampleCable")
        let many: [ResourceID] = ["a", "b", "c", "d", "e", "f", "sim:deny"]
        let before = try await caller.preauthorize(many, mvpd: "SampleCable", requestor: "REF30")
        #expect(before.decisions.map(\.isAuthorized) == [true, true, true, true, true, true, false])
        let logout = try await caller.logout(mvpd: "SampleCable", requestor: "REF30", returningTo: TestDevice.redirect)
        #expect(logout.logouts.map(\.actionName) == [.logout])
        #expect(try await caller.profiles(requestor: "REF30").profiles.isEmpty)
    }

    @Test func `Second screen, by another device`() async throws {
        let bench = try ClientBench()
        let (television, phone) = (try bench.caller("television"), try bench.caller("phone"))
        let session = try await television.startSession(SessionRequest(), requestor: "REF30")
        let code = try #require(session.code)
        let status = try await phone.session(code, requestor: "REF30")
        #expect(status.missingParameters == [.mvpd, .domain, .redirectURL])
        let request = SessionRequest(mvpd: "SampleCable", domain: "example.com", redirect: TestDevice.redirect)
        let resumed = try await phone.resumeSession(code, with: request, requestor: "REF30")
        _ = await bench.browse(resumed.url)
        #expect(try await television.profiles(requestor: "REF30").profiles.count == 1)
    }

    @Test func `Temporary access to its end, and a reset`() async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        func play() async throws -> Decision? {
            try await caller.authorize(["news"], mvpd: "TempPass", requestor: "REF30", isTemporary: true)[
                "news"]
        }
        #expect(try await play()?.isAuthorized == true)
        bench.simulator.advanceClock(by: .minutes(10))
        #expect(try await play()?.error?.code == .temporaryAccessDurationLimitExceeded)
        try await caller.resetTemporaryAccess(.device("television"), mvpd: "TempPass", requestor: "REF30")
        #expect(try await play()?.isAuthorized == true)
        let before = bench.simulator.journal.count { $0.endpoint == .register }
        try await caller.resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30")
        #expect(before == 2 && bench.simulator.journal.count { $0.endpoint == .register } == before)
    }

    @Test(arguments: [nil, AccessScope.apiV2])
    func `A reset that is refused concerns no login`(scope: AccessScope?) async throws {
        let bench = try ClientBench(statementOfResets: scope)
        let caller = try bench.caller("television")
        try await bench.signIn(caller)
        for _ in 0..<2 {
            let error = await #expect(throws: BrokerError.self) {
                try await caller.resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30")
            }
            guard case .registration(let refusal)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.decision == .replaceStatement && refusal.status == 403)
        }
        #expect(try await caller.profiles(requestor: "REF30").profiles.count == 1)
        // Credentials of resets that are refused are of no use, and those of the application are never forgotten.
        #expect(bench.simulator.journal.count { $0.endpoint == .register } == (scope == nil ? 1 : 3))
    }

    @Test func `A client of resets that was revoked is registered anew by the next reset`() async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        func reset() async throws {
            try await caller.resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30")
        }
        try await reset()
        let record = try await bench.broker.records.record(of: "television")
        try bench.simulator.revoke(client: #require(record?.registrations.values.first?.credentials.clientID))
        await #expect(throws: BrokerError.self) { try await reset() }
        try await reset()
    }

    /// Resets with a statement of REF30, which says what the scopes are.
    private static func reset(at bench: ClientBench, with id: String, _ scopes: String) async throws {
        let statement = SimulatedStatement(id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c\(id)", scopes: [scopes])
        let caller = try bench.resetting(with: statement).caller(bench.device("television"), from: nil)
        try await caller.resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30")
    }

    @Test func `Credentials for resets belong to the statement that they were made with`() async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        try await bench.signIn(caller)
        try await Self.reset(at: bench, with: "03", "temporary:passes:owner")
        let error = await #expect(throws: BrokerError.self) {
            try await Self.reset(at: bench, with: "01", "api:client:v2")
        }
        guard case .registration(let refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.decision == .replaceStatement && refusal.status == 403)
        try await Self.reset(at: bench, with: "03", "temporary:passes:owner")
        #expect(bench.simulator.journal.count { $0.endpoint == .register } == 3)
        #expect(try await bench.broker.records.record(of: "television")?.registrations.count == 2)
        #expect(try await caller.profiles(requestor: "REF30").profiles.count == 1)
    }

    @Test func `A record does not grow with each statement for resets`() async throws {
        let bench = try ClientBench()
        try await bench.signIn(bench.caller("television"))
        for more in ["", ",profile:client", ",api:client:v2"] {
            try await Self.reset(at: bench, with: "03", "temporary:passes:owner\(more)")
        }
        #expect(bench.simulator.journal.count { $0.endpoint == .register } == 4)
        let registrations = try await bench.broker.records.record(of: "television")?.registrations
        #expect(registrations?.keys.count { $0.application == "default" } == 1 && registrations?.count == 2)
    }

    @Test func `Partner sign-on`() async throws {
        let bench = try ClientBench()
        var caller = try bench.caller("television")
        let framework = PartnerFramework(mappingID: "sample-satellite")
        caller.partnerStatus = try framework.status(at: bench.simulator.now)
        let request = PartnerSessionRequest(domain: "example.com", redirect: TestDevice.redirect)
        let session = try await caller.startPartnerSession(request, requestor: "REF30")
        let message = try #require(session.authenticationRequest).request
        let saml = try #require(framework.samlResponse(to: message))
        let profiles = try await caller.createPartnerProfile(
            try PartnerProfileRequest(samlResponse: saml), requestor: "REF30")
        #expect(profiles.profiles.map(\.type) == [.appleSSO])
        #expect(try await caller.profiles(requestor: "REF30").profiles.count == 1)
    }

    @Test func `A service token across two devices`() async throws {
        let key = try SigningKey.generated(named: "service")
        var world = SimulatedWorld.sample
        world.requestors[0].serviceTokenKeys = [key.publicKeyPEM]
        let bench = try ClientBench(world: world)
        let claims = ServiceTokenClaims(issuer: "id.example", subject: "home", audience: ["adobe"], lifetime: .hours(1))
        let text = try ServiceTokenSigner(key: key, keyID: "1").sign(claims, at: bench.simulator.now)
        var (one, two) = (try bench.caller("one"), try bench.caller("two"))
        (one.serviceToken, two.serviceToken) = (try ServiceToken(text), try ServiceToken(text))
        try await bench.signIn(one)
        #expect(try await two.profiles(requestor: "REF30").profiles.map(\.type) == [.serviceTokenSSO])
    }

    @Test func `An access token that ends early is renewed; a revoked statement needs the application`() async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        try await bench.signIn(caller)
        bench.simulator.expire(.accessTokens)
        #expect(try await caller.profiles(requestor: "REF30").profiles.count == 1)
        try bench.simulator.revoke(statement: SimulatedWorld.sample.requestors[0].statements[0].id)
        await #expect(throws: BrokerError.self) { try await caller.profiles(requestor: "REF30") }
    }

    @Test func `A client that paces its requests is not refused by the documented limit`() async throws {
        let bench = try ClientBench(throttle: .documented)
        let caller = try bench.caller("television", at: try ClientAddress("192.0.2.1"))
        for _ in 0..<40 { _ = try await caller.profiles(requestor: "REF30") }
        #expect(bench.simulator.journal.count == 42)
        #expect(bench.simulator.journal.allSatisfy { $0.status != 429 })
    }

    @Test(arguments: [
        Scenario.network(.dropRequest), .network(.dropAnswer), .status(503), .throttled(retryAfter: 2),
        .error(.internalServerError),
    ])
    func `A failure that passes is repeated`(scenario: Scenario) async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        _ = try await caller.profiles(requestor: "REF30")
        bench.simulator.activate(ActiveScenario("once", scenario, remaining: 1))
        _ = try await caller.profiles(requestor: "REF30")
        #expect(bench.simulator.scenarios.isEmpty)
        #expect(bench.simulator.journal.suffix(2).map(\.endpoint) == [.profiles, .profiles])
    }

    @Test(arguments: MalformedAnswer.allCases)
    func `No spoiled answer is taken for another one`(malformation: MalformedAnswer) async throws {
        let bench = try ClientBench()
        let caller = try bench.caller("television")
        try await bench.signIn(caller)
        bench.simulator.activate(ActiveScenario("spoiled", .malformed(malformation), endpoints: [.profiles]))
        do throws(BrokerError) {
            let profiles = try await caller.profiles(requestor: "REF30").profiles
            #expect(malformation.keepsJSON && profiles.map(\.mvpd) == ["SampleCable"])
        } catch {
            #expect(!malformation.keepsJSON || malformation == .wrongContentType, "\(error)")
        }
    }
}
#endif
