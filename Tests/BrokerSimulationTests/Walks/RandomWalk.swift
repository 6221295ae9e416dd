#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// Devices that call all endpoints in random order, with faults and moves of the clock, and what must hold meanwhile.
///
/// 1. A code brings a profile only after a login with that code, or after the code was told that the device is signed in.
/// 2. A new code is never that of a session that still lives.
/// 3. A permit means that there is a profile, degradation or temporary access, and its token verifies.
/// 4. Temporary access ends on time, and permits no more resources than it has.
/// 5. Without a fault, every answer has a documented status, and decodes without defects or unknown members.
/// 6. The platform signs on only whom it was allowed to, and its answer counts once.
/// 7. New credentials have none of the old sign-ins.
/// 8. Another simulator reads the whole state, and has the same one then.
/// 9. Nobody is signed in with temporary access.
/// 10. A code of one brand is unknown to another, and so are its access tokens.
/// 11. Revoked credentials are refused at once, and leave no sign-in; so are all that a withdrawn statement has made.
/// 12. A service token carries a sign-in to whom it names, and as long as it lasts; one that a stranger signed carries none.
/// 13. A token with a defect has the verdict that the defect names, and the next one verifies.
struct RandomWalk {
    var random: Noise
    let simulation: Simulation
    var devices: [TestDevice] = []
    /// A device of another brand.
    var stranger: TestDevice
    /// The codes that were made, with their ends; and those with which a user signed in.
    var codes: [String: Timestamp] = [:]
    private var usedCodes: Set<String> = []
    /// The codes whose second screen was told that the device is signed in.
    private var answeredCodes: Set<String> = []
    /// What temporary access was used for: the first permit, and the resources.
    var trials: [String: (started: Timestamp, resources: Set<String>)] = [:]
    private(set) var logins = 0
    private(set) var permits = 0

    /// The brand's key for service tokens, and a stranger's.
    ///
    /// Making keys takes time, so all walks share them.
    static let serviceKeys = Result {
        (try SigningKey.generated(named: "own"), try SigningKey.generated(named: "other"))
    }
    private static let mvpds = ["SampleCable", "SampleFiber", "SampleSatellite", "TempPass", "PromoPass"]
    private static let resources = ["a", "b", "c", "d", "e", "sim:deny", "sim:timeout"]
    private static let statuses = [200, 201, 204, 302, 400, 401, 403, 500]

    init(seed: UInt64) async throws {
        random = Noise(seed: seed)
        var world = SimulatedWorld.sample
        world.requestors[0].serviceTokenKeys = [try Self.serviceKeys.get().0.publicKeyPEM]
        simulation = try Simulation(world: world) { $0.seed = seed }
        stranger = try await simulation.device("stranger", requestor: "REF40")
        for index in 0..<3 { devices.append(try await newDevice(index)) }
    }

    /// A device with new credentials.
    ///
    /// Two of the devices belong to one person.
    func newDevice(_ index: Int) async throws -> TestDevice {
        var device = try await simulation.device("walker-\(index)")
        let identity = try TemporaryIdentity("viewer-\(index / 2)@example.org")
        device.extra = [TemporaryIdentity.name: identity.headerValue]
        return device
    }

    var now: Timestamp { simulation.simulator.now }

    mutating func step() async throws {
        let index = random.below(devices.count)
        var device = devices[index]
        // Now and then an application knows the household of its viewer, and sign-ins are shared.
        if random.below(4) == 0 { device.extra["Adobe-Subject-Token"] = "eyJh.eyJz.c2l\(random.below(2))" }
        switch random.below(35) {
        case 0...3: try await start(device)
        case 4...6: await browse(device)
        case 7...8: try await poll(device)
        case 9...13: try await authorize(device, index)
        case 14: try await preauthorize(device)
        case 15: check(await device.logOut(random.element(Self.mvpds)), LogoutResponse.self)
        case 16: check(await device.configuration(), ConfigurationResponse.self)
        case 17: changeClock()
        case 18: try await fail(device)
        case 19: try changeRules()
        case 20, 21: await lookAtSession(device)
        case 22: try await signOnWithPlatform(device)
        case 23: await resetTrials(device, index)
        case 24: try await registerAnew(index)
        case 25, 26: try await list(device)
        case 27: try await visitOtherBrand(device)
        case 28: try await revoke(device, index)
        case 29: try await deny(device)
        case 30: try await failRegistration(device)
        case 31: try await carrySignIn(device)
        case 32: try await withdrawStatement()
        case 33: try await spoilToken(device)
        default: try readState()
        }
        if device.requestor == "REF30", await device.configuration().status == 401 {
            try await devices[index].renewToken()
        }
    }

    // MARK: Steps

    private mutating func start(_ device: TestDevice) async throws {
        let mvpd = random.below(4) == 0 ? nil : random.element(Self.mvpds)
        let answer = await device.startSession(TestDevice.form(mvpd: mvpd))
        check(answer, SessionResponse.self)
        guard answer.status == 200 else { return }
        let session: SessionResponse = try answer.read()
        guard let code = session.code?.text else {
            #expect(session.actionName == .authorize)
            return
        }
        note(code, of: session)
        if mvpd == nil {
            let form = TestDevice.form(mvpd: random.element(Self.mvpds))
            let resumed = await random.element(devices).resume(code, form)
            check(resumed, SessionResponse.self)
            let isAnswered = try? resumed.read(SessionResponse.self).reason == .authenticated
            if isAnswered == true { answeredCodes.insert(code) }
        }
    }

    private mutating func browse(_ device: TestDevice) async {
        // Half of them codes that can still be used, so that each walk has logins.
        let waiting = codes.filter { now < $0.value && !usedCodes.contains($0.key) }
        guard let code = random.key(random.below(2) == 0 ? codes : waiting) else { return }
        await logIn(device, code)
    }

    mutating func logIn(_ device: TestDevice, _ code: String) async {
        let page = await device.browse("/api/v2/authenticate/REF30/\(code)")
        #expect(page.status == 302 || page.status == 400)
        guard page.status == 302 else { return }
        #expect(codes[code].map { now < $0 } ?? false, "a code was used after its end")
        #expect(usedCodes.insert(code).inserted, "a code was used twice")
        logins += 1
    }

    private mutating func poll(_ device: TestDevice) async throws {
        guard let code = random.key(codes) else { return }
        let answer = await device.profile(ofCode: code)
        check(answer, ProfilesResponse.self)
        guard answer.status == 200 else { return }
        for profile in try answer.read(ProfilesResponse.self).profiles {
            let needsNoLogin = profile.type == .degraded || profile.type == .temporary
            let isExpected = usedCodes.contains(code) || answeredCodes.contains(code)
            #expect(needsNoLogin || isExpected, "a profile without a login")
        }
    }

    private mutating func authorize(_ device: TestDevice, _ index: Int) async throws {
        let (mvpd, resource) = (random.element(Self.mvpds), random.element(Self.resources))
        let answer = await device.authorize(mvpd, resource)
        check(answer, DecisionsResponse.self)
        guard answer.status == 200 else { return }
        let decision = try #require(try device.decision(answer))
        #expect(decision.isAuthorized == (decision.error == nil))
        #expect(decision.isAuthorized == (decision.token != nil))
        guard decision.isAuthorized else { return }
        permits += 1
        _ = try simulation.verified(try #require(decision.token).serializedToken, ResourceID(resource))
        switch decision.source {
        case .temporaryAccess: noteTrial(mvpd, resource, index)
        case .degradation: #expect(!simulation.simulator.world.rules.isEmpty)
        default:
            let profile = await device.profile(with: mvpd)
            #expect(try profile.read(ProfilesResponse.self).profiles.count == 1, "a permit without a profile")
        }
    }

    /// Counts what one device used, and for promotional access also one person.
    private mutating func noteTrial(_ mvpd: String, _ resource: String, _ index: Int) {
        let isPromotional = mvpd == "PromoPass"
        for key in ["\(mvpd) device \(index)"] + (isPromotional ? ["\(mvpd) person \(index / 2)"] : []) {
            var trial = trials[key] ?? (now, [])
            let duration: TimeToLive = isPromotional ? .hours(24) : .minutes(10)
            #expect(now < trial.started + duration, "temporary access after its end")
            trial.resources.insert(resource)
            #expect(!isPromotional || trial.resources.count <= 3, "more resources than there are")
            trials[key] = trial
        }
    }

    private mutating func preauthorize(_ device: TestDevice) async throws {
        let answer = await device.preauthorize(random.element(Self.mvpds), "a", random.element(Self.resources))
        check(answer, DecisionsResponse.self)
        guard answer.status == 200 else { return }
        let decisions = try answer.read(DecisionsResponse.self).decisions
        #expect(decisions.count == 2 && decisions.allSatisfy { $0.token == nil })
    }

    private mutating func changeClock() {
        // Never back: the walk's own bookkeeping could not follow.
        let lengths: [TimeToLive] = [.seconds(1), .minutes(4), .minutes(29), .hours(7)]
        let length = random.element(lengths)
        if random.below(2) == 0 {
            simulation.time.advance(by: length)
        } else {
            simulation.simulator.advanceClock(by: length)
        }
    }

    /// Lets one request of a device fail, and sees that the next one is as if nothing had been.
    private mutating func fail(_ device: TestDevice) async throws {
        let scenarios: [Scenario] =
            [
                .error(.internalServerError), .status(502), .throttled(retryAfter: nil), .network(.dropRequest),
                .network(.dropAnswer), .network(.resetAfterHead), .token(.badSignature),
            ] + MalformedAnswer.allCases.map { .malformed($0) }
        if random.below(4) == 0 {
            let things: [BrokerSimulator.Perishable] = [.accessTokens, .codes, .decisions]
            let thing = random.element(things)
            simulation.simulator.expire(thing)
            if thing == .codes { codes = [:] }
            return
        }
        simulation.simulator.activate(ActiveScenario("walk", random.element(scenarios), remaining: 1))
        let spoiled = await device.get("/api/v2/REF30/profiles")
        #expect(spoiled.field("X-Simulated") == "true")
        #expect(simulation.simulator.scenarios.isEmpty)
        check(await device.get("/api/v2/REF30/profiles"), ProfilesResponse.self)
    }

    // MARK: Checks

    mutating func note(_ code: String, of session: SessionResponse) {
        #expect(codes[code].map { $0 <= now } ?? true, "a living code was made again")
        codes[code] = session.notAfter ?? now
    }

    func check<Response: FaultListing>(_ answer: TestAnswer, _ type: Response.Type) {
        #expect(Self.statuses.contains(answer.status))
        #expect(answer.field("X-Simulated") == "true")
        if answer.status < 300 {
            let response = try? answer.read(type)
            #expect(response?.faults.isEmpty == true && response?.unknownFields.isEmpty == true)
        } else {
            #expect(answer.errorCode != nil)
        }
    }
}

/// An answer that lists what could not be read in it.
protocol FaultListing: ServiceResponse {
    var faults: [ServiceResponseError] { get }
    var unknownFields: [JSONField] { get }
}

extension ConfigurationResponse: FaultListing {}
extension DecisionsResponse: FaultListing {}
extension LogoutResponse: FaultListing {}
extension ProfilesResponse: FaultListing {}
extension SessionResponse: FaultListing {}
extension SessionStatusResponse: FaultListing {}
#endif
