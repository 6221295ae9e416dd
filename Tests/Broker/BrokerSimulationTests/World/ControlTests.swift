#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import MediaTokens
import ServiceResponses
import TVETesting
import Testing

@Suite("Control")
struct ControlTests {
    @Test func `The journal has what clients did, and no secret`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device("secret-device")
        let session = try await device.signIn()
        _ = await device.profile(ofCode: try #require(session.code?.text))
        _ = await device.get("/api/v2/REF30/profiles/Nobody")
        let journal = simulation.simulator.journal
        #expect(journal.map(\.endpoint) == [.register, .token, .startSession, .userAgent, .profileByCode, .profile])
        #expect(journal.map(\.status) == [201, 201, 200, 302, 200, 400])
        #expect(journal.map(\.number) == Array(1...6))
        #expect(journal.last?.errorCode == "invalid_parameter_mvpd")
        let text = "\(journal)"
        for secret in [
            session.code?.text ?? "-", device.token.text, device.credentials.clientSecret, "secret-device",
            device.identifier.headerValue,
        ] {
            #expect(!text.contains(secret))
        }
        simulation.simulator.clearJournal()
        #expect(simulation.simulator.journal.isEmpty)
    }

    @Test func `The journal tells which fields a client sent, for which provider, and about how much`() async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        device.extra = ["X-Own-Field": "own-value"]
        _ = await device.authorize("SampleCable", "news", "sport")
        let decision = try #require(simulation.simulator.journal.last)
        #expect(decision.fields == ["AP-Device-Identifier", "Authorization", "X-Device-Info", "X-Own-Field"])
        #expect(decision.mvpd == "SampleCable" && decision.resources == 2)
        #expect(!"\(decision)".contains("own-value"))
        _ = await device.startSession(TestDevice.form(mvpd: "SampleFiber"))
        #expect(simulation.simulator.journal.last?.mvpd == "SampleFiber")
        #expect(simulation.simulator.journal.last?.resources == nil)
        _ = await device.configuration()
        #expect(simulation.simulator.journal.last?.mvpd == nil)
        // A request may have very many fields, and the journal has many requests.
        for number in 0..<100 { device.extra["X-Field-\(number)"] = "x" }
        _ = await device.configuration()
        #expect(simulation.simulator.journal.last?.fields.count == 64)
    }

    @Test func `The journal keeps the last thousand requests`() async throws {
        let simulation = try Simulation()
        for _ in 0..<1003 { _ = await TestDevice.send(simulation.simulator, .get, "/nothing", [:], "") }
        let journal = simulation.simulator.journal
        #expect(journal.map(\.number) == Array(4...1003))
    }

    @Test func `A profile can be granted without a browser`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let client = device.credentials.clientID
        try simulation.simulator.grantProfile(of: "SampleCable", client: client, device: "device-1")
        #expect(try await device.profiles().map(\.mvpd) == ["SampleCable"])
        #expect(throws: SimulationError.unknownClient) {
            try simulation.simulator.grantProfile(of: "SampleCable", client: "none", device: "device-1")
        }
        #expect(throws: SimulationError.unknownUser("none")) {
            try simulation.simulator.grantProfile(of: "SampleCable", client: client, device: "d", user: "none")
        }
        #expect(throws: SimulationError.unknownIntegration) {
            try simulation.simulator.grantProfile(of: "TempPass", client: client, device: "d")
        }
        #expect(throws: SimulationError.unknownClient) { try simulation.simulator.revoke(client: "none") }
        #expect(throws: SimulationError.unknownClient) { try simulation.simulator.revoke(statement: "none") }
    }

    @Test func `A minted token verifies; a moved issue time does not`() throws {
        let simulation = try Simulation()
        let simulator = simulation.simulator
        let token = try simulator.mintMediaToken(for: "REF30", resource: "news", mvpd: "SampleCable", user: "nozip")
        _ = try simulation.verified(token, "news")
        simulator.setIssueTimeOffset(.minutes(30))
        let early = try simulator.mintMediaToken(for: "REF30", resource: "news", mvpd: "SampleCable")
        #expect(throws: MediaTokenError.self) { try simulation.verified(early, "news") }
        #expect(throws: SimulationError.unknownIntegration) {
            try simulator.mintMediaToken(for: "REF40", resource: "news", mvpd: "SampleFiber")
        }
    }

    @Test func `The weak key is served, and a verifier that is given it accepts what it signs`() throws {
        let simulation = try Simulation()
        let simulator = simulation.simulator
        let site = try SimulatorSite(simulator, settings: SiteSettings(origin: "http://127.0.0.1:8090"))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8090", path: "/sim/keys/weak.pem")
        let keys = try VerificationKeys(site.answer(to: request, body: []).body, named: "weak.pem")
        #expect(keys.keys.map(\.bits) == [1024] && keys.keys.map(\.isWeak) == [true])
        let verifier = MediaTokenVerifier(keys: keys)
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly("news"))
        let weak = try simulator.mintMediaToken(
            for: "REF30", resource: "news", mvpd: "SampleCable", defect: .weakKey)
        _ = try verifier.verify(weak, expecting: expectations, at: simulator.now)
        #expect(throws: MediaTokenError.self) { try simulation.verified(weak, "news") }
        let other = try simulator.mintMediaToken(
            for: "REF30", resource: "news", mvpd: "SampleCable", defect: .otherKey)
        #expect(throws: MediaTokenError.self) {
            try verifier.verify(other, expecting: expectations, at: simulator.now)
        }
    }

    @Test func `A reset forgets everything but the keys, and returns to the starting world`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        var world = simulation.simulator.world
        world.rules = [SimulatedRule("degraded", effect: .admitAll)]
        try simulation.simulator.replaceWorld(by: world)
        try simulation.simulator.revoke(statement: SimulatedWorld.sample.requestors[0].statements[0].id)
        simulation.simulator.activate(ActiveScenario("s", .status(500)))
        try simulation.simulator.reset()
        #expect(simulation.simulator.scenarios.isEmpty && simulation.simulator.journal.isEmpty)
        #expect(await device.configuration().errorCode == .invalidAccessTokenClientApplication)
        #expect(simulation.simulator.world == .sample)
        #expect(try await simulation.device().configuration().status == 200)
        try simulation.simulator.reset(to: world)
        #expect(simulation.simulator.world == world)
    }

    @Test func `A state of another version is refused, and nothing changes`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let snapshot = simulation.simulator.snapshot
        let text = String(decoding: snapshot, as: UTF8.self)
        let now = #"{"schema":3,"#
        try #require(text.hasPrefix(now))
        let old = Array((#"{"schema":1,"# + text.dropFirst(now.count)).utf8)
        do throws(SimulationError) {
            try simulation.simulator.restore(old)
            Issue.record("an old state was read")
        } catch {
            #expect(error.code == "unreadable_state")
            #expect(error.description.contains("remove the file"))
        }
        #expect(simulation.simulator.snapshot == snapshot)
        #expect(await device.configuration().status == 200)
    }

    /// People keep such states: a member of another name or form would be lost, or refused.
    @Test func `A state is written to the letter as it was read`() throws {
        let world =
            #"{"requestors":[{"id":"R","name":"Brand","domains":["example.com"],"mvpds":["M","T"],"statements":[{"id":"s","#
            + #""scopes":["api:client:v2"],"issued":946684800000,"isRevoked":true}],"serviceTokenKeys":[]}],"#
            + #""mvpds":[{"id":"M","displayName":"Cable","logoUrl":"https://logos.example/m.png","hasLogoutPage":false,"#
            + #""proxy":"P","partner":{"mappingId":"m-1","boarding":"PICKER","isEnabled":true,"isInPlatformPicker":false,"#
            + #""enforcesPermissions":true}},{"id":"T","displayName":"Trial","logoUrl":"u","hasLogoutPage":true,"#
            + #""temporaryAccess":{"duration":600000,"maximumResources":3,"isPromotional":true}}],"users":[{"name":"u","#
            + #""guid":"g","behavior":"slow","attributes":[{"name":"zip","value":["77754"],"isEncrypted":true}]}],"#
            + #""rules":[{"id":"1","requestor":"R","mvpd":"M","resources":"a*","effect":"permit-all"},{"id":"2","#
            + #""resources":"*","effect":"deny","code":"c","details":"d"}],"lifetimes":{"accessToken":1,"code":2,"#
            + #""profile":3,"decision":4,"mediaToken":5},"limits":{"authorizedResources":1,"preauthorizedResources":5,"#
            + #""slowness":3000}}"#
        let text =
            #"{"schema":3,"world":\#(world),"clock":{"offset":-5,"frozen":7,"issueTimeOffset":9},"#
            + #""ids":"18446744073709551615","clients":[{"id":"c","secret":"s","statement":"s","requestor":"R","#
            + #""scopes":["api:client:v2"],"redirectUris":["app://x"],"issued":1,"isRevoked":false,"generation":2}],"#
            + #""sessions":[{"id":"i","code":"ABCDEFG","requestor":"R","client":"c","device":"d","#
            + #""identities":[{"issuer":"i","subject":"s"},{"platform":"p"}],"notBefore":1,"notAfter":2,"mvpd":"M","#
            + #""domain":"example.com","redirectUrl":"https://example.com/","deviceInfo":"{\"model\":\"TV\"}","#
            + #""clientAddress":"192.0.2.1","isCompleted":true,"isAnswered":false}],"profiles":[{"client":"c","device":"d","#
            + #""mvpd":"M","user":"u","guid":"g","type":"regular","notBefore":1,"notAfter":2,"isInvalidated":true,"#
            + #""code":"ABCDEFG"}],"sharedProfiles":[{"issuer":"i","subject":"s","client":"c","device":"d","mvpd":"M","#
            + #""user":"u","guid":"g","type":"regular","notBefore":1,"notAfter":2,"isInvalidated":false},{"platform":"p","#
            + #""client":"c","device":"d","mvpd":"M","user":"u","guid":"g","type":"regular","notBefore":1,"notAfter":2,"#
            + #""isInvalidated":false}],"trials":[{"requestor":"R","mvpd":"T","device":"d","started":1,"resources":["a"],"#
            + #""people":["{\"a\":1}"]},{"requestor":"R","mvpd":"T","identity":"{}","started":1,"resources":[],"people":[]}],"#
            + #""decisions":[{"client":"c","device":"d","mvpd":"M","resource":"a","notBefore":1,"notAfter":2}],"#
            + #""partnerRequests":[{"id":"q","client":"c","device":"d","mvpd":"M","notAfter":2}],"scenarios":[{"id":"x","#
            + #""scenario":"throttled:5","endpoints":["configuration"],"requestor":"R","remaining":2}],"#
            + #""throttle":{"mode":"5:10","retryAfter":3}}"#
        let simulator = try Simulation().simulator
        try simulator.restore(Array(text.utf8))
        #expect(String(decoding: simulator.snapshot, as: UTF8.self) == text)
        #expect(String(decoding: simulator.world.json, as: UTF8.self) == world)
    }

    /// Sends as many requests as it takes until what is over is forgotten.
    private func answerMany(_ simulation: Simulation) async {
        for _ in 0..<256 { _ = await TestDevice.send(simulation.simulator, .get, "/nothing", [:], "") }
    }

    @Test func `Profiles are forgotten after their end`() async throws {
        let simulation = try Simulation()
        var one = try await simulation.device("one")
        one.extra = ["Adobe-Subject-Token": "eyJh.eyJz.c2ln"]
        _ = try await one.signIn()
        _ = try await simulation.device("other").signIn()
        func keeps(_ text: String) -> Bool {
            String(decoding: simulation.simulator.snapshot, as: UTF8.self).contains(text)
        }
        simulation.time.advance(by: .hours(720))
        await answerMany(simulation)
        // The day of grace: until then the error says that the profile expired.
        #expect(!keeps(#""profiles":[],"#))
        simulation.time.advance(by: .hours(48))
        await answerMany(simulation)
        #expect(keeps(#""profiles":[],"#) && keeps(#""sharedProfiles":[],"#))
    }

    @Test func `Counts of temporary access go with the offer`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = await device.authorize("TempPass", "news")
        var world = simulation.simulator.world
        let index = try #require(world.mvpds.firstIndex { $0.id == "TempPass" })
        world.mvpds[index].temporaryAccess = nil
        try simulation.simulator.replaceWorld(by: world)
        await answerMany(simulation)
        #expect(String(decoding: simulation.simulator.snapshot, as: UTF8.self).contains(#""trials":[],"#))
    }

    @Test func `Of too many clients and counts the oldest are forgotten, those with a sign-in last`() async throws {
        let simulation = try Simulation { $0.rememberedClients = 3 }
        var devices: [TestDevice] = []
        for number in 0..<6 {
            let device = try await simulation.device("device-\(number)")
            if number == 0 { _ = try await device.signIn() }
            _ = await device.authorize("TempPass", "news")
            devices.append(device)
            simulation.time.advance(by: .seconds(1))
        }
        await answerMany(simulation)
        var statuses: [Int] = []
        for device in devices { statuses.append(await device.configuration().status) }
        #expect(statuses == [200, 401, 401, 401, 200, 200])
        #expect(try await devices[0].profiles().count == 1)
        let text = String(decoding: simulation.simulator.snapshot, as: UTF8.self)
        #expect((3...5).allSatisfy { text.contains(#""device":"device-\#($0)","started""#) })
        #expect((0...2).allSatisfy { !text.contains(#""device":"device-\#($0)","started""#) })
    }

    @Test(arguments: BrokerSimulator.Expirable.allCases)
    func `Each thing can be made to end at once`(what: BrokerSimulator.Expirable) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.signIn()
        _ = await device.authorize("TempPass", "news")
        simulation.simulator.expire(what)
        let code = await device.profile(ofCode: try #require(session.code?.text)).errorCode
        switch what {
        case .accessTokens: #expect(code == .invalidAccessTokenClientApplication)
        case .codes: #expect(code == .invalidAuthenticationSession)
        case .profiles:
            #expect(try await device.profiles().isEmpty)
            #expect(await device.profile(with: "TempPass").status == 403)
        case .decisions: #expect(try await device.profiles().count == 1)
        case .mediaTokens:
            #expect(try await device.profiles().count == 1)
            let ended = try #require(try device.decision(await device.authorize("SampleCable", "news"))?.token)
            #expect(try #require(ended.notAfter) < simulation.simulator.now)
            #expect(throws: MediaTokenError.self) { try simulation.verified(ended.serializedToken, "news") }
            let next = try #require(try device.decision(await device.authorize("SampleCable", "news"))?.token)
            _ = try simulation.verified(next.serializedToken, "news")
        }
    }
}
#endif
