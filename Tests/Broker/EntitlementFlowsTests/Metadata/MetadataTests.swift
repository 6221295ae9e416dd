#if Client
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementKeys
import EntitlementValues
import MetadataDecryption
import Testing

@Suite("Metadata")
struct MetadataTests {
    @Test func `The end of the sign-in comes from the record`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let end = try #require(try await bench.record().profile?.notAfter)
        #expect(try await bench.session.metadata(.authenticationTTL).value == .instant(end))
        #expect(bench.requests == [])
        #expect(await log.names() == ["metadata"])
    }

    @Test func `An end that is not known is asked for once`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker()
        try await bench.choose("SampleCable")
        try await bench.change { $0.adopt(ProfileHint(ofUnknownEnd: "SampleCable"), askedAt: AuthorizationBench.start) }
        bench.forgetRequests()
        for question: MetadataQuestion in [.authenticationTTL, .userMetadata("zip"), .authenticationTTL] {
            #expect(try await bench.session.metadata(question).value != nil)
        }
        #expect(bench.requests == [.profile])
    }

    @Test(arguments: [MetadataQuestion.authenticationTTL, .authorizationTTL("news"), .userMetadata(nil)])
    func `Who is not signed in gets an empty answer without a call`(question: MetadataQuestion) async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        let answer = try await bench.session.metadata(question)
        #expect(answer.value == nil)
        #expect(!answer.isEncrypted)
        #expect(answer.question == question)
        #expect(bench.requests == [])
    }

    @Test func `A decision's end is known before it is written, and until it has come`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let question = MetadataQuestion.authorizationTTL("news")
        #expect(try await bench.session.metadata(question).value == nil)
        let until = try #require(try await bench.session.checkAuthorization("news").playback?.until)
        #expect(try await bench.session.metadata(question).value == .instant(until))
        #expect(try await bench.session.metadata(.authorizationTTL("other")).value == nil)
        try await bench.change { $0.raiseEpoch() }
        #expect(try await bench.record().decisions.count == 1)
        #expect(try await bench.session.metadata(question).value == .instant(until))
        bench.advance(by: .seconds(24 * 3600))
        #expect(try await bench.session.metadata(question).value == nil)
        #expect(bench.requests == [.authorize])
    }

    @Test func `Attributes are read anew after a permit, once, and the known ones are told if that fails`() async throws
    {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let known = try await bench.session.metadata(.userMetadata("zip")).value
        #expect(bench.requests == [] && known != nil)
        _ = try await bench.session.checkAuthorization("news")
        _ = try await bench.session.checkAuthorization("sim:deny")
        bench.forgetRequests()
        #expect(try await bench.session.metadata(.authenticationTTL).value != nil)
        #expect(bench.requests == [])
        bench.activate(.status(403), at: .profile, times: 1)
        #expect(try await bench.session.metadata(.userMetadata("zip")).value == known)
        #expect(bench.requests == [.profile])
        for _ in 0..<2 { #expect(try await bench.session.metadata(.userMetadata("zip")).value == known) }
        #expect(bench.requests == [.profile, .profile])
    }

    @Test func `The device's identifier is told only if the options say so`() async throws {
        let bench = try await AuthorizationBench()
        #expect(try await bench.session.metadata(.deviceIdentifier).value == nil)
        var options = SessionOptions()
        options.revealsDeviceIdentifier = true
        let open = try await AuthorizationBench(options: options)
        #expect(try await open.session.metadata(.deviceIdentifier).value == .text("television"))
    }

    @Test func `Attributes one by one`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        #expect(try await bench.session.metadata(.userMetadata("householdID")).value == .text("sample-household"))
        #expect(try await bench.session.metadata(.userMetadata("zip")).value == .json(#"["77754"]"#))
        #expect(try await bench.session.metadata(.userMetadata("language")).value == nil)
        #expect(bench.requests == [])
    }

    @Test func `All attributes in the object of the operator's library`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        guard case .json(let json)? = try await bench.session.metadata(.userMetadata(nil)).value else {
            Issue.record("no object")
            return
        }
        let object = try #require(JSON(json: json))
        #expect(object["updated"] == .number(AuthorizationBench.start.milliseconds / 1000))
        #expect(object["encrypted"] == .array([]))
        #expect(object["data"]?["householdID"] == "sample-household")
        #expect(object["data"]?["zip"] == .array(["77754"]))
    }

    /// A bench whose user's postal code is encrypted for a new key.
    private func encryptedBench(knowingKey: Bool) async throws -> AuthorizationBench {
        let key = try SigningKey.generated(named: "programmer")
        var world = SimulatedWorld.sample
        world.requestors[0].metadataCertificate = key.publicKeyPEM
        let bench = try await AuthorizationBench(world: world) { application, _ in
            let used = knowingKey ? key : try SigningKey.generated(named: "other")
            application.decrypter = MetadataDecrypter(keys: try DecryptionKeys(of: used))
        }
        try await bench.signIn(as: "encrypted")
        return bench
    }

    @Test func `Encrypted attributes are decrypted, one and all`() async throws {
        let bench = try await encryptedBench(knowingKey: true)
        let zip = try await bench.session.metadata(.userMetadata("zip"))
        #expect(!zip.isEncrypted)
        #expect(zip.value == .json(#"["77754"]"#))
        let all = try await bench.session.metadata(.userMetadata(nil))
        #expect(!all.isEncrypted)
        guard case .json(let json)? = all.value else {
            Issue.record("no object")
            return
        }
        #expect(JSON(json: json)?["data"]?["zip"] == .array(["77754"]))
        #expect(JSON(json: json)?["encrypted"] == .array([]))
    }

    @Test func `What no key decrypts stays encrypted, and the answer says so`() async throws {
        let bench = try await encryptedBench(knowingKey: false)
        let zip = try await bench.session.metadata(.userMetadata("zip"))
        #expect(zip.isEncrypted)
        guard case .text(let ciphertext)? = zip.value else {
            Issue.record("no ciphertext")
            return
        }
        #expect(ciphertext.utf8.count == 344)
        let all = try await bench.session.metadata(.userMetadata(nil))
        #expect(all.isEncrypted)
        guard case .json(let json)? = all.value else { return }
        #expect(JSON(json: json)?["encrypted"] == .array(["zip"]))
        #expect(try await bench.session.metadata(.userMetadata("householdID")).isEncrypted == false)
    }

    @Test(arguments: [Scenario.throttled(retryAfter: nil), .status(503), .network(.dropAnswer)])
    func `Too many requests are an empty answer, other failures are errors`(scenario: Scenario) async throws {
        let bench = try await AuthorizationBench()
        try await bench.choose("SampleCable")
        bench.activate(scenario, at: .profile)
        let log = EventLog(of: bench.session)
        if scenario == .throttled(retryAfter: nil) {
            #expect(try await bench.session.metadata(.authenticationTTL).value == nil)
        } else {
            let error = await #expect(throws: EntitlementFlowError.self) {
                try await bench.session.metadata(.authenticationTTL)
            }
            #expect(error?.isBroker == true)
        }
        #expect(await log.names() == ["metadata"])
    }

    @Test func `Descriptions do not show values`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let answer = try await bench.session.metadata(.userMetadata("householdID"))
        var shown = "\(answer)"
        dump(answer, to: &shown)
        #expect(!shown.contains("sample-household"))
    }
}
#endif
