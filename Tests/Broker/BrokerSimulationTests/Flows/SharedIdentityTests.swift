#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import RequestorSigning
import ServiceResponses
import TVETesting
import Testing

@Suite("Single sign-on with service tokens and platform tokens")
struct SharedIdentityTests {
    private func token(_ key: SigningKey, subject: String, at now: Timestamp) throws -> String {
        let signer = try ServiceTokenSigner(key: key, keyID: "one")
        let claims = ServiceTokenClaims(
            issuer: "identity.example", subject: subject, audience: ["adobe"], lifetime: .hours(1))
        return try signer.sign(claims, at: now)
    }

    @Test func `A service token carries the sign-in to another device, and the logout back`() async throws {
        let key = try SigningKey.generated(named: "service")
        var world = SimulatedWorld.sample
        world.requestors[0].serviceTokenKeys = [key.publicKeyPEM]
        let simulation = try Simulation(world: world)
        let extra = [ServiceToken.name: try token(key, subject: "household-1", at: Simulation.start)]
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        (one.extra, two.extra) = (extra, extra)
        let session = try await one.signIn()
        #expect(try await one.profiles().map(\.type) == [.regular])
        #expect(try await two.profiles().map(\.type) == [.serviceTokenSSO])
        #expect(try await two.startSession(with: "SampleCable").reason == .authenticatedSSO)
        #expect(try two.decision(await two.authorize("SampleCable", "news"))?.isAuthorized == true)
        #expect(
            try await two.profile(ofCode: try #require(session.code?.text)).read(ProfilesResponse.self).profiles.count
                == 1)

        var stranger = try await simulation.device("three")
        stranger.extra = [ServiceToken.name: try token(key, subject: "household-2", at: Simulation.start)]
        #expect(try await stranger.profiles().isEmpty)
        stranger.extra = [:]
        #expect(try await stranger.profiles().isEmpty)

        let step = try #require(try await two.logOut("SampleCable").read(LogoutResponse.self).logouts.first)
        #expect(step.actionName == .logout)
        #expect(try await one.profiles().isEmpty)
        #expect(try await two.profiles().isEmpty)
    }

    @Test func `A single logout ends the sign-ins with all providers, and what they decided`() async throws {
        let simulation = try Simulation()
        let field = ["Adobe-Subject-Token": "eyJh.eyJz.c2ln"]
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        (one.extra, two.extra) = (field, field)
        _ = try await one.signIn(with: "SampleCable")
        _ = try await one.signIn(with: "SampleFiber")
        two.extra = [:]
        _ = try await two.signIn(with: "SampleSatellite")
        two.extra = field
        #expect(try one.decision(await one.authorize("SampleCable", "news"))?.notBefore == Simulation.start)
        simulation.time.advance(by: .minutes(1))
        let answer: LogoutResponse = try await two.logOut("SampleFiber").read()
        #expect(Set(answer.logouts.map(\.key)) == ["SampleFiber", "SampleCable"])
        #expect(answer.logouts.count == 2)
        for step in answer.logouts {
            #expect(step.actionName == (step.key == "SampleCable" ? .logout : .complete))
            #expect((step.url != nil) == (step.key == "SampleCable"))
        }
        #expect(try await one.profiles().isEmpty)
        // Nobody shares this one.
        #expect(try await two.profiles().map(\.mvpd) == ["SampleSatellite"])
        _ = try await one.signIn(with: "SampleCable")
        let decision = try #require(try one.decision(await one.authorize("SampleCable", "news")))
        #expect(decision.notBefore == Simulation.start + .minutes(1))
    }

    @Test func `Without an identity a logout is from one provider`() async throws {
        let device = try await Simulation().device()
        _ = try await device.signIn(with: "SampleCable")
        _ = try await device.signIn(with: "SampleFiber")
        let answer: LogoutResponse = try await device.logOut("SampleFiber").read()
        #expect(answer.logouts.map(\.key) == ["SampleFiber"])
        #expect(try await device.profiles().map(\.mvpd) == ["SampleCable"])
    }

    @Test func `What a revoked client shared is gone from other devices`() async throws {
        let simulation = try Simulation()
        let field = ["Adobe-Subject-Token": "eyJh.eyJz.c2ln"]
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        (one.extra, two.extra) = (field, field)
        _ = try await one.signIn(with: "SampleCable")
        _ = try await two.signIn(with: "SampleFiber")
        #expect(try await two.profiles().map(\.mvpd) == ["SampleCable", "SampleFiber"])
        try simulation.simulator.revoke(client: one.credentials.clientID)
        #expect(try await two.profiles().map(\.mvpd) == ["SampleFiber"])
    }

    @Test func `What a client shared long ago is gone with it, too`() async throws {
        let simulation = try Simulation()
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        two.extra = ["Adobe-Subject-Token": "eyJh.eyJz.c2ln"]
        one.extra = two.extra
        _ = try await one.signIn(with: "SampleCable")
        simulation.time.advance(by: .hours(25))
        try await one.renewToken()
        try await two.renewToken()
        // Without the identity, only the device's own profile goes.
        one.extra = [:]
        _ = await one.logOut("SampleCable")
        // After so many answers the session is forgotten, too.
        for _ in 0..<256 { #expect(await one.configuration().status == 200) }
        #expect(try await two.profiles().map(\.mvpd) == ["SampleCable"])
        try simulation.simulator.revoke(client: one.credentials.clientID)
        #expect(try await two.profiles().isEmpty)
    }

    @Test func `A service token that does not verify counts for nothing, and is noted`() async throws {
        let key = try SigningKey.generated(named: "service")
        var world = SimulatedWorld.sample
        world.requestors[0].serviceTokenKeys = [key.publicKeyPEM]
        let simulation = try Simulation(world: world)
        let other = try SigningKey.generated(named: "other")
        let good = try token(key, subject: "household-1", at: Simulation.start)
        let bad = [
            try token(other, subject: "household-1", at: Simulation.start),
            try token(key, subject: "household-1", at: Simulation.start - .hours(2)),
        ]
        var one = try await simulation.device("one")
        one.extra = [ServiceToken.name: good]
        _ = try await one.signIn()
        for text in bad {
            var two = try await simulation.device("two")
            two.extra = [ServiceToken.name: text]
            #expect(try await two.profiles().isEmpty)
            let notes = try #require(simulation.simulator.journal.last?.notes)
            #expect(notes.contains { $0.hasPrefix("AD-Service-Token is not taken") })
            #expect(!notes.joined().contains(text))
        }
    }

    @Test(arguments: ["Adobe-Subject-Token", "X-Roku-Reserved-Roku-Connect-Token"])
    func `A platform's token carries the sign-in, too`(field: String) async throws {
        let simulation = try Simulation()
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        (one.extra, two.extra) = ([field: "eyJh.eyJz.c2ln"], [field: "eyJh.eyJz.c2ln"])
        _ = try await one.signIn()
        #expect(try await two.profiles().map(\.type) == [.platformSSO])
        two.extra = [field: "eyJh.eyJ6.c2ln"]
        #expect(try await two.profiles().isEmpty)
    }
}
#endif
