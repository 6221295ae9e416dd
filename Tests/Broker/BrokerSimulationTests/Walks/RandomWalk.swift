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
/// 1. A code brings a profile only after a login with that code, or after the code was told that the device is signed in; a
///    device is shown the sign-ins that ``SignInBook`` has, and no others.
/// 2. A new code is never that of a session that still lives.
/// 3. A permit means that there is a profile, a rule that admits all, or temporary access, and its token verifies.
/// 4. Temporary access ends on time, and permits no more resources than it has; then its profile is refused.
/// 5. Without a fault, every answer has a documented status, and decodes without defects or unknown members.
/// 6. The platform signs on only whom it was allowed to, and its answer counts once.
/// 7. New credentials have none of the old sign-ins.
/// 8. Another simulator reads the whole state from the folder in which it was kept, and has the same one then.
/// 9. Nobody is signed in with temporary access.
/// 10. A code of one brand is unknown to another, and so are its access tokens.
/// 11. Revoked credentials are refused at once, and leave no sign-in; so are all that a withdrawn statement has made.
/// 12. A service token carries a sign-in to whom it names, and as long as it lasts; one that a stranger signed carries none.
/// 13. A token with a defect has the verdict that the defect names, and the next one verifies.
/// 14. A call that fails before the broker does anything changes nothing, and one whose answer is lost can be made again.
/// 15. Of many requests at once as many pass as the limit allows.
struct RandomWalk {
    var random: Noise
    let simulation: Simulation
    var devices: [TestDevice] = []
    /// A device of another brand.
    var stranger: TestDevice
    /// The codes that were made; and those with which a user signed in.
    var codes: [String: LoginAttempt] = [:]
    private(set) var usedCodes: Set<String> = []
    /// The codes whose second screen was told that the device is signed in.
    private var answeredCodes: Set<String> = []
    /// What temporary access was used for: the first permit, and the resources.
    var trials: [String: (started: Timestamp, resources: Set<String>)] = [:]
    var signIns = SignInBook()
    /// Whether calls do not reach the broker, so that nothing is expected of their answers.
    var isFailing = false
    /// Where the state is kept.
    let folder: SimulatorFolder
    private(set) var logins = 0
    private(set) var permits = 0

    /// The brand's key for service tokens, and a stranger's.
    ///
    /// Making keys takes time, so all walks share them.
    static let serviceKeys = Result {
        (try SigningKey.generated(named: "own"), try SigningKey.generated(named: "other"))
    }
    static let mvpds = ["SampleCable", "SampleFiber", "SampleSatellite", "SampleWireless", "TempPass", "PromoPass"]
    private static let resources = ["a", "b", "c", "d", "e", "sim:deny", "sim:timeout"]
    private static let statuses = [200, 201, 204, 302, 400, 401, 403, 500]

    /// Begins a walk.
    ///
    /// - Parameters:
    ///   - seed: What the walk depends on, and nothing else.
    ///   - folder: Where the state is kept.
    /// - Throws: An error if a device cannot register.
    init(seed: UInt64, keepingStateIn folder: SimulatorFolder) async throws {
        (random, self.folder) = (Noise(seed: seed), folder)
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
        if random.below(4) == 0 { device.extra[SignInBook.identityField] = "eyJh.eyJz.c2l\(random.below(2))" }
        switch random.below(41) {
        case 0...3: try await start(device)
        case 4...6: await browse(device)
        case 7...8: try await poll(device)
        case 9...13: try await authorize(device, index)
        case 14: try await preauthorize(device)
        case 15: await logOut(device)
        case 16: check(await device.configuration(), ConfigurationResponse.self)
        case 17: changeClock()
        case 18: try await fail(device)
        case 19: try changeRules()
        case 20, 21: await lookAtSession(device)
        case 22: try await signOnWithPlatform(device)
        case 23: try await resetTrials(device, index)
        case 24: try await registerAnew(index)
        case 25, 26: try await list(device)
        case 27: try await visitOtherBrand(device)
        case 28: try await revoke(device, index)
        case 29: try await deny(device)
        case 30: try await failRegistration(device)
        case 31: try await carrySignIn(device)
        case 32: try await withdrawStatement()
        case 33: try await spoilToken(device)
        case 34, 35: try await lookUp(device, index)
        case 36, 37: try await failChange(device, index)
        case 38: await limitRequests(device)
        case 39: try await useOtherBrand()
        default: try readState()
        }
        if device.requestor == "REF30", await device.configuration().status == 401 {
            try await devices[index].renewToken()
        }
    }

    // MARK: Steps

    mutating func start(_ device: TestDevice) async throws {
        let mvpd = random.below(4) == 0 ? nil : random.element(Self.mvpds)
        let answer = await device.startSession(TestDevice.form(mvpd: mvpd))
        check(answer, SessionResponse.self)
        guard answer.status == 200 else { return }
        let session: SessionResponse = try answer.read()
        guard let code = session.code?.text else {
            #expect(session.actionName == .authorize)
            return
        }
        note(code, of: session, by: device, with: mvpd, identity: device.extra[SignInBook.identityField])
        if mvpd == nil {
            let mvpd = random.element(Self.mvpds)
            let resumed = await random.element(devices).resume(code, TestDevice.form(mvpd: mvpd))
            check(resumed, SessionResponse.self)
            guard resumed.status == 200 else { return }
            codes[code]?.mvpd = mvpd
            if try resumed.read(SessionResponse.self).reason == .authenticated { answeredCodes.insert(code) }
        }
    }

    private mutating func browse(_ device: TestDevice) async {
        // Half of them codes that can still be used, so that each walk has logins.
        guard let code = random.key(random.below(2) == 0 ? codes : waitingCodes) else { return }
        await logIn(device, code)
    }

    var waitingCodes: [String: LoginAttempt] {
        codes.filter { now < $0.value.end && !usedCodes.contains($0.key) }
    }

    mutating func logIn(_ device: TestDevice, _ code: String) async {
        let page = await device.browse("/api/v2/authenticate/REF30/\(code)")
        #expect(page.status == 302 || page.status == 400 || isFailing)
        guard page.status == 302 else { return }
        #expect(codes[code].map { now < $0.end } ?? false, "a code was used after its end")
        #expect(usedCodes.insert(code).inserted, "a code was used twice")
        if let attempt = codes[code] { signIns.logIn(attempt, code: code, at: now) }
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

    mutating func authorize(_ device: TestDevice, _ index: Int) async throws {
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
        case .degradation where effect == .admitAll: break
        case .degradation:
            #expect(effect == .permitAll, "a permit that no rule gives")
            try await expectProfile(device, mvpd)
        default:
            #expect(effect == nil, "a permit of the provider against a rule")
            try await expectProfile(device, mvpd)
        }
    }

    /// What the rule of the operator or the provider does; `nil` if there is none.
    ///
    /// The walk's rules are for all brands, providers and resources.
    var effect: SimulatedRule.Effect? { simulation.simulator.world.rules.first?.effect }

    /// Expects that a permit stands on a sign-in that the walk has seen.
    private func expectProfile(_ device: TestDevice, _ mvpd: String) async throws {
        let profiles = try await device.profile(with: mvpd).read(ProfilesResponse.self).profiles
        #expect(profiles.count == 1, "a permit without a profile")
        expect(profiles.first?.type, of: device, mvpd)
    }

    /// Counts what one device used, and for promotional access also one person.
    private mutating func noteTrial(_ mvpd: String, _ resource: String, _ index: Int) {
        let isPromotional = mvpd == "PromoPass"
        for key in ["\(mvpd) device \(index)"] + (isPromotional ? ["\(mvpd) person \(index / 2)"] : []) {
            var trial = trials[key] ?? (now, [])
            #expect(now < trial.started + Self.duration(of: mvpd), "temporary access after its end")
            trial.resources.insert(resource)
            #expect(!isPromotional || trial.resources.count <= 3, "more resources than there are")
            trials[key] = trial
        }
    }

    /// How long temporary access lasts.
    static func duration(of mvpd: String) -> TimeToLive { mvpd == "PromoPass" ? .hours(24) : .minutes(10) }

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
            let things: [BrokerSimulator.Expirable] = [.accessTokens, .codes, .decisions, .profiles]
            expire(random.element(things))
            return
        }
        simulation.simulator.activate(ActiveScenario("walk", random.element(scenarios), remaining: 1))
        let spoiled = await device.get("/api/v2/REF30/profiles")
        #expect(spoiled.field("X-Simulated") == "true")
        #expect(simulation.simulator.scenarios.isEmpty)
        check(await device.get("/api/v2/REF30/profiles"), ProfilesResponse.self)
    }

    // MARK: Checks

    mutating func note(
        _ code: String,
        of session: SessionResponse,
        by device: TestDevice,
        with mvpd: String?,
        identity: String? = nil
    ) {
        #expect(codes[code].map { $0.end <= now } ?? true, "a living code was made again")
        codes[code] = LoginAttempt(
            client: device.credentials.clientID, identity: identity, mvpd: mvpd, end: session.notAfter ?? now)
    }

    func check<Response: FaultListing>(_ answer: TestAnswer, _ type: Response.Type) {
        if isFailing { return }
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
