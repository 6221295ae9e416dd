#if Client
import BrokerSimulation
import EntitlementValues
import ServiceResponses
import Testing

@Suite("Degradation")
struct DegradationTests {
    func device(_ effect: SimulatedRule.Effect) async throws -> TestDevice {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("degraded", requestor: "REF30", mvpd: "SampleCable", effect: effect)]
        return try await Simulation(world: world).device()
    }

    @Test func `AuthNAll lets everybody in without a login`() async throws {
        let device = try await device(.admitAll)
        let session = try await device.startSession(with: "SampleCable")
        #expect(session.actionName == .authorize && session.reason == .degraded)
        let profiles: ProfilesResponse = try await device.profile(with: "SampleCable").read()
        #expect(profiles.profiles.first?.type == .degraded)
        #expect(profiles.profiles.first?.attributes["userID"]?.json?.string?.hasPrefix("95cf93bcd183214a") == true)
        #expect(try await device.profiles().isEmpty)
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(decision.isAuthorized && decision.source == .degradation && decision.token != nil)
        #expect(decision.notAfter == nil)
        let logout: LogoutResponse = try await device.logOut("SampleCable").read()
        #expect(logout.logouts.first?.actionName == .complete)
        #expect(try await device.startSession(with: "SampleFiber").actionName == .authenticate)
    }

    @Test func `AuthNAll for some resources permits these, and degrades nothing else`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("sport", resources: "sport*", effect: .admitAll)]
        let simulation = try Simulation(world: world)
        let device = try await simulation.device()
        #expect(try await device.startSession(with: "SampleCable").actionName == .authenticate)
        #expect(try await device.profile(with: "SampleCable").read(ProfilesResponse.self).profiles.isEmpty)
        let news = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(news.error?.code == .authenticatedProfileMissing)
        let sport = try #require(try device.decision(await device.authorize("SampleCable", "sport-1")))
        #expect(sport.isAuthorized && sport.source == .degradation)
        _ = try simulation.verified(try #require(sport.token).serializedToken, "sport-1")
        let logout: LogoutResponse = try await device.logOut("SampleCable").read()
        #expect(logout.logouts.first?.actionName == .invalid)
    }

    @Test func `AuthZAll permits everything to those who are signed in`() async throws {
        let device = try await device(.permitAll)
        let before = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(before.error?.code == .authenticatedProfileMissing)
        _ = try await device.signIn()
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(decision.isAuthorized && decision.source == .degradation)
    }

    @Test(arguments: [SimulatedRule.Effect.admitAll, .permitAll, .permitNone])
    func `A rule for one brand leaves another alone`(effect: SimulatedRule.Effect) async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("degraded", requestor: "REF40", mvpd: "SampleCable", effect: effect)]
        let simulation = try Simulation(world: world)
        let (one, other) = (try await simulation.device(), try await simulation.device(requestor: "REF40"))
        let before = try #require(try one.decision(await one.authorize("SampleCable", "news")))
        #expect(before.error?.code == .authenticatedProfileMissing)
        #expect(try await one.signIn().actionName == .authenticate)
        let decision = try #require(try one.decision(await one.authorize("SampleCable", "news")))
        #expect(decision.isAuthorized && decision.source == .mvpd)
        let form = TestDevice.form(mvpd: "SampleCable", domain: "example.org", redirect: "https://example.org/")
        _ = await other.browse(try await other.startSession(form).read(SessionResponse.self).url)
        let degraded = try #require(try other.decision(await other.authorize("SampleCable", "news")))
        #expect(degraded.isAuthorized == (effect != .permitNone) && degraded.source == .degradation)
    }

    @Test func `AuthZNone permits nothing`() async throws {
        let device = try await device(.permitNone)
        _ = try await device.signIn()
        for answer in [await device.authorize("SampleCable", "a"), await device.preauthorize("SampleCable", "a")] {
            let decision = try #require(try device.decision(answer))
            #expect(!decision.isAuthorized && decision.source == .degradation)
            #expect(decision.error?.code == .authorizationDeniedByDegradationRule)
        }
    }
}
#endif
