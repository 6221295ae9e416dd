#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import MediaTokens
import MetadataDecryption
import ServiceResponses
import TestVectors
import TVETesting
import Testing

@Suite("Decisions")
struct DecisionTests {
    @Test func `A permit brings a media token that a back end accepts`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        let answer = await device.authorize("SampleCable", "news <live> & more")
        let body: DecisionsResponse = try answer.read()
        #expect(body.unknownFields.isEmpty && body.faults.isEmpty)
        let decision = try #require(body.decisions.first)
        #expect(decision.isAuthorized && decision.source == .mvpd && decision.error == nil)
        #expect(decision.notBefore == Simulation.start && decision.notAfter == Simulation.start + .hours(24))
        let token = try #require(decision.token)
        #expect(token.notBefore == Timestamp(milliseconds: 1_780_000_000_000))
        #expect(token.notAfter == Timestamp(milliseconds: 1_780_000_420_000))
        let verified = try simulation.verified(token.serializedToken, "news <live> & more")
        #expect(verified.mvpd == "SampleCable")
        // The MD5 of the provider's id of the user: md5sum of `a1f0c0de-0001`.
        #expect(verified.sessionGUID == "26c7771076460766e56f693181f9e59a")
        let second = try #require(try device.decision(await device.authorize("SampleCable", "news <live> & more")))
        #expect(second.notBefore == decision.notBefore)
    }

    @Test func `A proxied provider is named together with its proxy`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn(with: "SampleFiber")
        let decision = try #require(try device.decision(await device.authorize("SampleFiber", "news")))
        let token = try simulation.verified(try #require(decision.token).serializedToken, "news")
        #expect(token.mvpd == "SampleFiber" && token.proxyMVPD == "SampleProxy")
    }

    @Test(arguments: MagicResource.allCases)
    func `A magic resource brings its error`(magic: MagicResource) async throws {
        let device = try await Simulation().device()
        _ = try await device.signIn()
        let answer = await device.authorize("SampleCable", magic.rawValue)
        #expect(answer.status == 200)
        let decision = try #require(try device.decision(answer))
        #expect(!decision.isAuthorized && decision.token == nil)
        #expect(decision.error?.code == magic.code)
        let before = try #require(try device.decision(await device.preauthorize("SampleCable", magic.rawValue)))
        #expect(before.error?.code == (magic == .denied ? .preauthorizationDeniedByMVPD : magic.code))
    }

    @Test(arguments: [
        ("expired", EnhancedErrorCode.authenticatedProfileExpired),
        ("invalidated", .authenticatedProfileInvalidated), ("none", .authenticatedProfileMissing),
    ])
    func `A profile that does not count is an error of each item`(user: String, code: EnhancedErrorCode) async throws {
        let simulation = try Simulation { $0.login = .automatic(user: user) }
        let device = try await simulation.device()
        if user != "none" { _ = try await device.signIn() }
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(decision.error?.code == code)
        #expect(decision.error?.action == .authentication)
        #expect(try await device.profiles().isEmpty)
    }

    @Test(arguments: [true, false])
    func `A sign-in that the provider ended is gone once a decision finds out`(isForPlayback: Bool) async throws {
        let simulation = try Simulation { $0.login = .form }
        let device = try await simulation.device()
        let begun = try await device.startSession(with: "SampleCable")
        try simulation.simulator.logIn(code: try #require(begun.code?.text), as: "invalidated")
        #expect(try await device.profiles().count == 1)
        let answer =
            isForPlayback
            ? await device.authorize("SampleCable", "news") : await device.preauthorize("SampleCable", "news", "sport")
        let codes = try answer.read(DecisionsResponse.self).decisions.map { $0.error?.code }
        #expect(codes.allSatisfy { $0 == .authenticatedProfileInvalidated })
        #expect(try await device.profiles().isEmpty)
        let again = try await device.startSession(with: "SampleCable")
        #expect(again.actionName == .authenticate)
        try simulation.simulator.logIn(code: try #require(again.code?.text), as: "ok")
        #expect(try device.decision(await device.authorize("SampleCable", "news"))?.isAuthorized == true)
    }

    @Test func `Preauthorization gives neither tokens nor times, and at most five answers`() async throws {
        let device = try await Simulation().device()
        _ = try await device.signIn()
        let body: DecisionsResponse = try await device.preauthorize("SampleCable", "a", "b", "sim:deny").read()
        #expect(body.decisions.map(\.isAuthorized) == [true, true, false])
        #expect(body.decisions.allSatisfy { $0.token == nil && $0.notBefore == nil && $0.notAfter == nil })
        let many: DecisionsResponse = try await device.preauthorize("SampleCable", "a", "b", "c", "d", "e", "f").read()
        #expect(many.decisions.count == 6)
        #expect(many.decisions.allSatisfy { $0.error?.code == .tooManyResources })
        let two: DecisionsResponse = try await device.authorize("SampleCable", "a", "b").read()
        #expect(two.decisions.allSatisfy { $0.error?.code == .tooManyResources && $0.token == nil })
    }

    @Test func `A list that is longer than any is refused as a whole`() async throws {
        let device = try await Simulation().device()
        let list = Array(repeating: #""a""#, count: BrokerRequestLimits.maximumResources + 1).joined(separator: ",")
        let answer = await device.post("/api/v2/REF30/decisions/authorize/SampleCable", #"{"resources":[\#(list)]}"#)
        #expect(answer.status == 403 && answer.errorCode == .tooManyResources)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"resources":[]}"#, #"{"resources":"a"}"#, #"{"resources":[7]}"#, #"{"resources":[""]}"#,
    ])
    func `A body without resources is refused`(body: String) async throws {
        let device = try await Simulation().device()
        let answer = await device.post("/api/v2/REF30/decisions/authorize/SampleCable", body)
        #expect(answer.status == 400)
        #expect(answer.errorCode == .invalidParameterResources)
    }

    @Test func `A rule denies with the provider's words, and later permits do not help`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        #expect(try device.decision(await device.authorize("SampleCable", "sport-1"))?.isAuthorized == true)
        var world = simulation.simulator.world
        world.rules = [
            SimulatedRule(
                "no-sport", resources: "sport*",
                effect: .deny(.authorizationDeniedByParentalControls, details: "Ask your parents."))
        ]
        try simulation.simulator.replaceWorld(by: world)
        let decision = try #require(try device.decision(await device.authorize("SampleCable", "sport-1")))
        #expect(decision.error?.code == .authorizationDeniedByParentalControls)
        #expect(decision.error?.details == "Ask your parents.")
        #expect(try device.decision(await device.authorize("SampleCable", "news"))?.isAuthorized == true)
    }

    @Test func `A slow provider holds the answer back`() async throws {
        let simulation = try Simulation { $0.login = .automatic(user: "slow") }
        let device = try await simulation.device()
        _ = try await device.signIn()
        let play = Task { await device.authorize("SampleCable", "news") }
        try await eventually { simulation.time.sleepers > 0 }
        simulation.time.advance(by: .seconds(3))
        #expect(try device.decision(await play.value)?.isAuthorized == true)
    }

    @Test func `Encrypted attributes open with the programmer's key; without a certificate they are an error`()
        async throws
    {
        let key = try SigningKey.generated(named: "programmer")
        var world = SimulatedWorld.sample
        world.users[4].attributes.append(
            SimulatedAttribute(
                "encryptedNote", json: "\"" + String(repeating: "long ", count: 100) + "\"", isEncrypted: true))
        let simulation = try Simulation(world: world) { $0.login = .automatic(user: "encrypted") }
        let device = try await simulation.device()
        _ = try await device.signIn()
        let refused = await device.profile(with: "SampleCable")
        #expect(refused.status == 500)
        #expect(refused.errorCode == .invalidConfigurationUserMetadataCertificate)

        world.requestors[0].metadataCertificate = key.publicKeyPEM
        try simulation.simulator.replaceWorld(by: world)
        let profile = try #require(try await device.profiles().first)
        let decrypter = MetadataDecrypter(keys: try DecryptionKeys(of: key))
        let attributes = profile.decrypted(with: decrypter).attributes
        #expect(attributes["zip"]?.state == .encrypted)
        #expect(try attributes["zip"]?.value.get().text.contains("77754") == true)
        #expect(try attributes["encryptedNote"]?.value.get().text.utf8.count ?? 0 >= 500)
    }

    @Test func `A decision is no older than the sign-in, and does not outlast it`() async throws {
        var world = SimulatedWorld.sample
        world.lifetimes.profile = .hours(1)
        let simulation = try Simulation(world: world)
        let device = try await simulation.device()
        _ = try await device.signIn()
        let first = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(first.notAfter == Simulation.start + .hours(1))
        simulation.time.advance(by: .minutes(1))
        simulation.simulator.expire(.profiles)
        _ = try await device.signIn()
        let second = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(second.notBefore == Simulation.start + .minutes(1))
        #expect(second.notAfter == Simulation.start + .minutes(61))
    }

    @Test func `An expired decision is asked for again`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        let first = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        simulation.time.advance(by: .minutes(1))
        simulation.simulator.expire(.decisions)
        let second = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(second.notBefore == first.notBefore.map { $0 + .minutes(1) })
        simulation.simulator.expire(.profiles)
        let third = try #require(try device.decision(await device.authorize("SampleCable", "news")))
        #expect(third.error?.code == .authenticatedProfileExpired)
    }
}
#endif
