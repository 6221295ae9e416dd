#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import MediaTokens
import ServiceResponses
import TestVectors
import TVETesting
import Testing
import TextCodecs

@Suite("Scenarios")
struct ScenarioTests {
    static let all: [Scenario] =
        [
            .error(.internalServerError), .status(502), .decision(.authorizationDeniedByMVPD),
            .throttled(retryAfter: nil),
            .throttled(retryAfter: 3), .network(.delay(.seconds(2))), .network(.dropRequest), .network(.dropAnswer),
            .network(.resetAfterHead), .form,
        ] + MalformedAnswer.allCases.map { .malformed($0) }
        + MediaTokenDefect.allCases.map { .token($0) }

    @Test(arguments: all)
    func `Each scenario is found by its name`(scenario: Scenario) {
        #expect(Scenario(named: scenario.name) == scenario)
    }

    @Test(arguments: [
        "", "error", "error:", "status:200", "status:x", "malformed:", "malformed:x", "token:x", "network:delay:-1",
        "network:delay:3600001", "throttled:-1", "throttled:x", "form:x", "nonsense",
    ])
    func `Other names are no scenarios`(name: String) { #expect(Scenario(named: name) == nil) }

    @Test(arguments: [true, false])
    func `A page with a form that sends itself leads where the redirect does`(isAutomatic: Bool) async throws {
        let simulation = try Simulation { $0.login = isAutomatic ? .automatic(user: "ok") : .form }
        let device = try await simulation.device()
        let form = TestDevice.form(mvpd: "SampleCable", redirect: "https://example.com/done?a=%26b")
        let session: SessionResponse = try await device.startSession(form).read()
        let code = try #require(session.code?.text)
        simulation.simulator.activate(ActiveScenario("form", .form, endpoints: [.userAgent], remaining: 1))
        let page = await device.browse(session.url)
        #expect(page.status == 200 && page.field("Content-Type") == "text/html;charset=UTF-8")
        #expect(page.text.contains(#"onload="document.forms[0].submit()""#))
        let (action, name, value) =
            isAutomatic ? ("https://example.com/done", "a", "&amp;b") : ("/sim/login", "code", code)
        #expect(page.text.contains(#"<form action="\#(action)">"#), "\(page.text)")
        #expect(page.text.contains(#"<input type="hidden" name="\#(name)" value="\#(value)">"#), "\(page.text)")
        #expect(try await device.profiles().count == (isAutomatic ? 1 : 0))
        // It concerns redirects alone.
        simulation.simulator.activate(ActiveScenario("form", .form))
        #expect(try await device.profiles().count == (isAutomatic ? 1 : 0))
    }

    @Test(arguments: ["?a=1&a=2", "?a=b#part", "#part"])
    func `A redirect to an address that no form makes stays one`(end: String) async throws {
        let simulation = try Simulation { $0.login = .automatic(user: "ok") }
        let device = try await simulation.device()
        let address = "https://example.com/done\(end)"
        let form = TestDevice.form(mvpd: "SampleCable", redirect: address)
        let session: SessionResponse = try await device.startSession(form).read()
        simulation.simulator.activate(ActiveScenario("form", .form, endpoints: [.userAgent]))
        let answer = await device.browse(session.url)
        #expect(answer.status == 302 && answer.field("Location") == address, "\(answer.text)")
    }

    @Test(arguments: MediaTokenDefect.allCases)
    func `Each defect of a token has the status that it says`(defect: MediaTokenDefect) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        simulation.simulator.activate(ActiveScenario("defect", .token(defect), endpoints: [.authorize]))
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        let token = try #require(decision.token?.serializedToken)
        let verifier = MediaTokenVerifier(keys: try simulation.simulator.keys.mediaVerificationKeys)
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly("news"))
        let status: MediaTokenStatus
        do throws(MediaTokenError) {
            let verified = try verifier.verify(token, expecting: expectations, at: simulation.simulator.now)
            status = .validToken
            #expect((verified.mvpd == "SampleCable") == (defect != .swappedProviders))
        } catch {
            status = error.status
        }
        #expect(status == defect.expectedStatus)
        if defect != .lookAlike, defect != .requestorMissing {
            let claims = try UnverifiedMediaToken(parsing: token).claims.get()
            #expect(decision.token?.notBefore == claims.issued && decision.token?.notAfter == claims.expires)
            #expect((claims.issued <= simulation.simulator.now) == (defect != .notYetValid))
            #expect((claims.expires > simulation.simulator.now) == (defect != .expired))
        }
        let minted = try simulation.simulator.mintMediaToken(
            for: "REF30", resource: "news", mvpd: "SampleCable", defect: defect)
        #expect(!minted.isEmpty)
    }

    /// The padding of the signatures has no random part: the same order signed with the same key is the same token.
    @Test(arguments: [MediaTokenDefect.weakKey, .otherKey])
    func `Keys that nobody trusts are made once`(defect: MediaTokenDefect) throws {
        let simulator = try Simulation().simulator
        let tokens = try [defect, defect, nil, nil].map { defect in
            try simulator.mintMediaToken(for: "REF30", resource: "news", mvpd: "SampleCable", defect: defect)
        }
        #expect(tokens[0] == tokens[1])
        #expect(tokens[2] == tokens[3] && tokens[0] != tokens[2])
    }

    @Test(arguments: MalformedAnswer.allCases)
    func `A spoiled answer is as its name says`(malformation: MalformedAnswer) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        let good = await device.get("/api/v2/REF30/profiles")
        simulation.simulator.activate(ActiveScenario("spoiled", .malformed(malformation)))
        let spoiled = await device.get("/api/v2/REF30/profiles")
        let isJSON = spoiled.body.withSpan { (try? JSONReader.node(of: $0, in: 0..<$0.count)) != nil }
        #expect(isJSON == malformation.keepsJSON)
        #expect(spoiled.status == (malformation == .html ? 500 : 200))
        #expect((spoiled.body == good.body) == [.wrongContentType, .stringsAsNumbers].contains(malformation))
        let profiles = try? spoiled.read(ProfilesResponse.self)
        switch malformation {
        case .unknownFields: #expect(profiles?.unknownFields.count == 1 && profiles?.profiles.count == 1)
        case .unknownWords: #expect(profiles?.profiles.first?.type == "simulatedWord")
        case .numbersAsStrings: #expect(spoiled.text.contains(#""notBefore":"1780"#))
        case .wrongContentType: #expect(spoiled.field("Content-Type") == "text/plain")
        default: break
        }
    }

    @Test func `Strings of digits become numbers`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("spoiled", .malformed(.stringsAsNumbers)))
        let text = await device.startSession(TestDevice.form(mvpd: "SampleCable")).text
        #expect(text.contains(#""notBefore":1780"#))
    }

    @Test func `A scenario meets so many requests, of its endpoints only`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let scenario = ActiveScenario("twice", .error(.internalServerError), endpoints: [.profiles], remaining: 2)
        simulation.simulator.activate(scenario)
        #expect(await device.configuration().status == 200)
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(await device.get("/api/v2/REF30/profiles").status) }
        #expect(statuses == [500, 500, 200])
        #expect(simulation.simulator.scenarios.isEmpty)
        #expect(throws: SimulationError.unknownScenario("twice")) {
            try simulation.simulator.deactivate(scenario: "twice")
        }
        simulation.simulator.activate(scenario)
        try simulation.simulator.deactivate(scenario: "twice")
        #expect(await device.get("/api/v2/REF30/profiles").status == 200)
    }

    @Test func `One request can ask for a scenario, if that is allowed`() async throws {
        for isAllowed in [true, false] {
            let simulation = try Simulation { $0.allowsRequestScenarios = isAllowed }
            let device = try await simulation.device()
            let fields = device.fields().merging(["X-Sim-Scenario": "status:503"]) { $1 }
            #expect(await device.get("/api/v2/REF30/profiles", fields).status == (isAllowed ? 503 : 200))
            #expect(await device.get("/api/v2/REF30/profiles").status == 200)
        }
    }

    @Test func `A request that is one too many uses no scenario up`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("once", .status(503), endpoints: [.profiles], remaining: 1))
        simulation.simulator.setThrottle(ThrottleMode(.always))
        #expect(await device.get("/api/v2/REF30/profiles").status == 429)
        #expect(simulation.simulator.scenarios.map(\.remaining) == [1])
        #expect(simulation.simulator.journal.last?.scenario == nil)
        simulation.simulator.setThrottle(.off)
        #expect(await device.get("/api/v2/REF30/profiles").status == 503)
        #expect(await device.get("/api/v2/REF30/profiles").status == 200)
    }

    @Test func `A scenario that a request asks for by its id is counted, and is for its endpoints only`() async throws {
        let simulation = try Simulation { $0.allowsRequestScenarios = true }
        let device = try await simulation.device()
        _ = try await device.signIn()
        simulation.simulator.activate(ActiveScenario("once", .status(503), endpoints: [.logout], remaining: 1))
        let fields = device.fields().merging(["X-Sim-Scenario": "once"]) { $1 }
        let logout = "/api/v2/REF30/logout/SampleCable?redirectUrl=https%3A%2F%2Fexample.com%2F"
        let note = "X-Sim-Scenario names no scenario for this request"
        #expect(await device.get("/api/v2/REF30/profiles", fields).status == 200)
        #expect(simulation.simulator.journal.last?.notes == [note])
        #expect(simulation.simulator.scenarios.map(\.remaining) == [1])
        #expect(await device.get(logout, fields).status == 503)
        #expect(simulation.simulator.journal.last?.notes == [])
        #expect(simulation.simulator.scenarios.isEmpty)
        #expect(await device.get(logout, fields).status == 200)
        #expect(simulation.simulator.journal.last?.notes == [note])
    }

    @Test(arguments: [
        "invalid_request", "invalid_redirect_uri", "invalid_software_statement", "unapproved_software_statement",
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    ])
    func `Registration fails on demand in its own form`(code: String) async throws {
        let simulation = try Simulation()
        let scenario = Scenario.error(EnhancedErrorCode(code))
        simulation.simulator.activate(ActiveScenario("s", scenario, endpoints: [.register, .token]))
        for path in ["/o/client/register", "/o/client/token"] {
            let answer = await TestDevice.send(simulation.simulator, .post, path, [DeviceInfo.name: "e30="], "")
            #expect(answer.status == 400)
            #expect(try answer.read(RegistrationError.self).error.rawValue == code)
        }
        simulation.simulator.activate(ActiveScenario("s", .error(.internalServerError)))
        let path = "/o/client/token"
        let answer = await TestDevice.send(simulation.simulator, .post, path, [DeviceInfo.name: "e30="], "")
        #expect(answer.status == 500 && answer.errorCode == .internalServerError)
    }

    @Test func `Unknown members change no text, and fit into empty objects`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("spoiled", .malformed(.unknownFields)))
        let empty = await device.get("/api/v2/REF30/profiles")
        #expect(empty.text == #"{"simulatedMember":{"a":[1,null]},"profiles":{"simulatedMember":{"a":[1,null]}}}"#)
        _ = try await device.signIn()
        let answer: DecisionsResponse = try await device.authorize("SampleCable", "a,}b").read()
        #expect(answer.decisions.map(\.resource) == ["a,}b"])
        #expect(answer.decisions.first?.isAuthorized == true)
    }

    @Test func `An answer without a comma cannot lose one`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("spoiled", .malformed(.missingComma)))
        #expect(await device.get("/api/v2/REF30/profiles").text == #"{"profiles":{}}"#)
    }

    @Test func `A denial by scenario names its code in each decision`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("d", .decision(.identityNotRecognizedByMVPD)))
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(decision.error?.code == .identityNotRecognizedByMVPD)
    }

    @Test(arguments: [NetworkFault.dropRequest, .dropAnswer, .resetAfterHead])
    func `A dropped request does nothing; a dropped answer was made`(fault: NetworkFault) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.signIn()
        simulation.simulator.activate(ActiveScenario("net", .network(fault), endpoints: [.logout]))
        var request = HTTPRequest(
            method: .get, scheme: nil, authority: nil,
            path: "/api/v2/REF30/logout/SampleCable?redirectUrl=https%3A%2F%2Fexample.com%2F")
        for (name, value) in device.fields() {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let answer = simulation.simulator.answer(to: request, body: [])
        #expect(answer.fault == fault)
        #expect(try await device.profiles().isEmpty == (fault != .dropRequest))
        #expect(session.code != nil)
    }

    @Test func `A delay is told to the transport, and waited for in process`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("late", .network(.delay(.seconds(5)))))
        let call = Task { await device.configuration() }
        try await eventually { simulation.time.sleepers > 0 }
        simulation.time.advance(by: .seconds(5))
        #expect(await call.value.status == 200)
    }
}
#endif
