#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import RequestorSigning
import ServiceResponses
import TVETesting
import Testing
import TextCodecs

@Suite("Registration and access tokens")
struct RegistrationTests {
    let info = ["X-Device-Info": Base64.encode(Array(#"{"model":"TV"}"#.utf8))]

    func register(_ simulation: Simulation, _ body: String, _ fields: [String: String]? = nil) async -> TestAnswer {
        await TestDevice.send(simulation.simulator, .post, "/o/client/register", fields ?? info, body)
    }

    @Test func `A statement brings credentials, and these an access token`() async throws {
        let simulation = try Simulation()
        let statement = try simulation.simulator.softwareStatement(of: "REF30")
        let answer = await register(
            simulation, #"{"software_statement":"\#(statement)","redirect_uri":"https://example.com/back"}"#)
        #expect(answer.status == 201)
        #expect(answer.field("X-Simulated") == "true")
        let credentials: ClientCredentials = try answer.read()
        #expect(credentials.redirectURIs == ["https://example.com/back"])
        #expect(credentials.scopes == [.apiV2])
        #expect(credentials.grantTypes == [.clientCredentials])
        #expect(credentials.unknownFields.isEmpty && credentials.faults.isEmpty)
        #expect(credentials.issuedAt == Timestamp(milliseconds: 1_780_000_000_000))

        let form = "client_id=\(credentials.clientID)&client_secret=\(credentials.clientSecret)"
        let issued = await TestDevice.send(
            simulation.simulator, .post, "/o/client/token", info, form + "&grant_type=client_credentials")
        #expect(issued.status == 201)
        let token: AccessToken = try issued.read()
        #expect(token.createdAt == Simulation.start)
        #expect(token.lifetime == .hours(6))
        #expect(token.unknownFields.isEmpty && token.faults.isEmpty)
        let claims = try UnverifiedJSONWebToken(parsing: token.bearer.text)
        #expect(claims.header.members.map(\.name) == ["alg"])
        #expect(claims.payload.members.map(\.name) == ["sub", "nbf", "iss", "scopes", "exp", "iat"])
        #expect(claims.payload["iss"]?.string == "simulator.invalid")
        #expect(claims.payload["sub"]?.string == credentials.clientID)
        #expect(claims.payload["scopes"]?.string == "api:client:v2")
        #expect(claims.payload["exp"]?.number == 1_780_021_600)
    }

    @Test func `The statement has the claims of a real one, and verifies`() throws {
        let simulation = try Simulation()
        let text = try simulation.simulator.softwareStatement(of: "REF30")
        let statement = try UnverifiedJSONWebToken(parsing: text)
        #expect(statement.header.members.map(\.name) == ["alg"])
        #expect(statement.payload.members.map(\.name) == ["sub", "nbf", "iss", "scopes", "iat"])
        let keys = try VerificationKeys(
            Array(simulation.simulator.keys.access.publicKeyPEM.utf8), named: "access")
        let expectations = JSONWebTokenExpectations(
            issuer: .exactly("simulator.invalid"), subject: .unchecked, audience: .unchecked)
        let verifier = JSONWebTokenVerifier(keys: keys, policy: .softwareStatement)
        _ = try verifier.verify(text, expecting: expectations, at: simulation.simulator.now)
    }

    @Test(arguments: [
        ("", "invalid_request"), ("{", "invalid_request"), ("[]", "invalid_request"), ("{}", "invalid_request"),
        (#"{"software_statement":""}"#, "invalid_request"), (#"{"software_statement":7}"#, "invalid_request"),
        (#"{"software_statement":"a.b.c"}"#, "invalid_software_statement"),
        (#"{"software_statement":"STATEMENT","redirect_uri":"https://example.net/"}"#, "invalid_redirect_uri"),
        (#"{"software_statement":"STATEMENT","redirect_uri":"javascript://example.com/"}"#, "invalid_redirect_uri"),
        (#"{"software_statement":"UNKNOWN"}"#, "invalid_software_statement"),
        (#"{"software_statement":"FOREIGN"}"#, "invalid_software_statement"),
        (#"{"software_statement":"ACCESS"}"#, "invalid_software_statement"),
    ])
    func `A bad registration is refused as RFC 7591 says`(body: String, code: String) async throws {
        let simulation = try Simulation()
        let simulator = simulation.simulator
        let unknown = try simulator.softwareStatement(SimulatedStatement(id: "no-such-application"))
        let foreign = try BrokerSimulator(time: simulation.time.source).softwareStatement(of: "REF30")
        let access = try await simulation.device().token.text
        var text = body
        for (name, value) in [
            ("STATEMENT", try simulator.softwareStatement(of: "REF30")), ("UNKNOWN", unknown), ("FOREIGN", foreign),
            ("ACCESS", access),
        ] {
            text = text.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
        }
        let answer = await register(simulation, text)
        #expect(answer.status == 400)
        #expect(try answer.read(RegistrationError.self).error.rawValue == code)
    }

    @Test(arguments: [
        ("", "invalid_request"), ("grant_type=client_credentials", "invalid_request"),
        ("grant_type=client_credentials&client_id=ID&client_id=ID&client_secret=SECRET", "invalid_request"),
        ("grant_type=client_credentials&client_id=%zz&client_secret=SECRET", "invalid_request"),
        ("grant_type=refresh_token&client_id=ID&client_secret=SECRET", "unsupported_grant_type"),
        ("grant_type=client_credentials&client_id=ID&client_secret=wrong", "invalid_client"),
        ("grant_type=client_credentials&client_id=wrong&client_secret=SECRET", "invalid_client"),
    ])
    func `A bad request for a token is refused as RFC 6749 says`(form: String, code: String) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        var text = form
        for (name, value) in [("ID", device.credentials.clientID), ("SECRET", device.credentials.clientSecret)] {
            text = text.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
        }
        let answer = await TestDevice.send(simulation.simulator, .post, "/o/client/token", info, text)
        #expect(answer.status == 400)
        #expect(try answer.read(RegistrationError.self).error.rawValue == code)
    }

    @Test func `Registration needs the device's description`() async throws {
        let simulation = try Simulation()
        let statement = try simulation.simulator.softwareStatement(of: "REF30")
        let answer = await register(simulation, #"{"software_statement":"\#(statement)"}"#, [:])
        #expect(try answer.read(RegistrationError.self).error.rawValue == "invalid_request")
    }

    @Test func `A revoked statement ends its credentials and refuses new ones`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        #expect(try await device.profiles().count == 1)
        let statement = SimulatedWorld.sample.requestors[0].statements[0].id
        try simulation.simulator.revoke(statement: statement)
        let answer = await device.get("/api/v2/REF30/profiles")
        #expect(answer.status == 401)
        #expect(answer.errorCode == .invalidAccessTokenClientApplication)
        #expect(try answer.read(EnhancedError.self).action == .applicationRegistration)
        let text = try simulation.simulator.softwareStatement(of: "REF30")
        let refused = await register(simulation, #"{"software_statement":"\#(text)"}"#)
        #expect(try refused.read(RegistrationError.self).error.rawValue == "unapproved_software_statement")
    }

    @Test func `Revoked credentials are refused everywhere, and other ones are not`() async throws {
        let simulation = try Simulation()
        let (one, other) = (try await simulation.device("one"), try await simulation.device("other"))
        try simulation.simulator.revoke(client: one.credentials.clientID)
        #expect(await one.configuration().status == 401)
        #expect(await other.configuration().status == 200)
        let form =
            "grant_type=client_credentials&client_id=\(one.credentials.clientID)"
            + "&client_secret=\(one.credentials.clientSecret)"
        let answer = await TestDevice.send(simulation.simulator, .post, "/o/client/token", info, form)
        #expect(try answer.read(RegistrationError.self).error.rawValue == "invalid_client")
    }

    @Test func `A token ends on time, and at once when it is told to`() async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        simulation.time.advance(by: .seconds(21_599))
        #expect(await device.configuration().status == 200)
        simulation.time.advance(by: .seconds(1))
        #expect(await device.configuration().status == 401)
        try await device.renewToken()
        #expect(await device.configuration().status == 200)
        // Several times at one instant, with a token of each.
        for _ in 0..<3 {
            simulation.simulator.expire(.accessTokens)
            #expect(await device.configuration().status == 401)
            try await device.renewToken()
            #expect(await device.configuration().status == 200)
        }
    }

    @Test func `After all tokens ended and the clock went back, a new token is taken at once`() async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        simulation.simulator.expire(.accessTokens)
        simulation.simulator.advanceClock(by: .hours(-1))
        try await device.renewToken()
        #expect(await device.configuration().status == 200)
        try simulation.simulator.restore(simulation.simulator.snapshot)
        #expect(await device.configuration().status == 200)
    }

    @Test func `A token counts for its own brand only`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let answer = await device.get("/api/v2/REF40/profiles")
        #expect(answer.status == 401)
        #expect(answer.errorCode == .invalidAccessTokenServiceProvider)
        #expect(await device.get("/api/v2/REF99/profiles").errorCode == .invalidParameterServiceProvider)
    }

    @Test func `A statement without the scope of version 2 brings a token that is refused`() async throws {
        var world = SimulatedWorld.sample
        world.requestors[0].statements[0].scopes = ["config:client"]
        let device = try await Simulation(world: world).device()
        #expect(await device.configuration().errorCode == .invalidAccessTokenClientApplication)
    }
}
#endif
