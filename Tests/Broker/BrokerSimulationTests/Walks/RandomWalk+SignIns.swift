#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import MediaTokens
import ServiceResponses
import TVETesting
import TestVectors
import Testing

// The steps of a walk that look at sign-ins and end them, and what must be seen then.

extension RandomWalk {
    /// Expects that a device is shown what it should be with a provider; `type` is `nil` for no profile.
    func expect(_ type: ProfileType?, of device: TestDevice, _ mvpd: String) {
        #expect(type == signIns.type(of: device, mvpd, at: now), "\(mvpd)")
    }

    mutating func list(_ device: TestDevice) async throws {
        var device = device
        if random.below(3) == 0 {
            let framework = PartnerFramework(mappingID: "sample-satellite")
            device.extra[PartnerFrameworkStatus.name] = try framework.status(at: now).headerValue
        }
        let answer = await device.get("/api/v2/REF30/profiles")
        check(answer, ProfilesResponse.self)
        guard answer.status == 200 else { return }
        let profiles = try answer.read(ProfilesResponse.self).profiles
        // Nobody is signed in for temporary access: the book never has that.
        for mvpd in Self.mvpds { expect(profiles.first { $0.mvpd.rawValue == mvpd }?.type, of: device, mvpd) }
        #expect(profiles.allSatisfy { Self.mvpds.contains($0.mvpd.rawValue) })
    }

    /// Asks for the profile with one provider, whatever was decided before.
    mutating func lookUp(_ device: TestDevice, _ index: Int) async throws {
        let mvpd = random.element(Self.mvpds)
        let answer = await device.profile(with: mvpd)
        check(answer, ProfilesResponse.self)
        guard answer.status != 401 else { return }
        let isTemporary = mvpd == "TempPass" || mvpd == "PromoPass"
        let refusal = isTemporary ? refusalOfTrial(mvpd, index) : nil
        #expect(answer.errorCode == refusal)
        guard answer.status == 200 else { return }
        let types = try answer.read(ProfilesResponse.self).profiles.map(\.type)
        #expect(types.count <= 1)
        if isTemporary {
            #expect(types == [.temporary])
        } else if effect == .admitAll {
            #expect(types == [.degraded])
        } else {
            expect(types.first ?? nil, of: device, mvpd)
        }
    }

    /// Why a device has no temporary access any more; `nil` if it has.
    private func refusalOfTrial(_ mvpd: String, _ index: Int) -> EnhancedErrorCode? {
        let isPromotional = mvpd == "PromoPass"
        let keys = ["\(mvpd) device \(index)"] + (isPromotional ? ["\(mvpd) person \(index / 2)"] : [])
        let used = keys.compactMap { trials[$0] }
        if used.contains(where: { $0.started + Self.duration(of: mvpd) <= now }) {
            return .temporaryAccessDurationLimitExceeded
        }
        let isUsedUp = isPromotional && used.contains { $0.resources.count >= 3 }
        return isUsedUp ? .temporaryAccessResourcesLimitExceeded : nil
    }

    mutating func logOut(_ device: TestDevice) async {
        let mvpd = random.element(Self.mvpds)
        let answer = await device.logOut(mvpd)
        check(answer, LogoutResponse.self)
        if answer.status == 200 { signIns.logOut(device, mvpd, at: now) }
    }

    /// All things of a kind end at once.
    mutating func expire(_ thing: BrokerSimulator.Expirable) {
        simulation.simulator.expire(thing)
        switch thing {
        case .codes: codes = [:]
        case .profiles:
            signIns.expire()
            for (key, trial) in trials {
                let start = min(trial.started, now - Self.duration(of: String(key.prefix { $0 != " " })))
                trials[key]?.started = start
            }
        default: break
        }
    }

    // MARK: Faults

    /// A call that changes something fails, and is made again.
    ///
    /// Either the broker did not get so far, or only its answer is lost; the device cannot know which, and the walk can.
    mutating func failChange(_ device: TestDevice, _ index: Int) async throws {
        let simulator = simulation.simulator
        let isDone = random.below(2) == 0
        let scenarios: [Scenario] =
            isDone
            ? [.network(.dropAnswer), .network(.resetAfterHead)]
            : [.error(.internalServerError), .status(502), .throttled(retryAfter: nil), .network(.dropRequest)]
        let endpoints: Set<BrokerEndpoint> = [
            .startSession, .userAgent, .logout, .resetTemporaryAccess, .resetPromotionalAccess, .authorize,
        ]
        let code = random.key(waitingCodes)
        let change = random.below(code == nil ? 4 : 5)
        simulator.activate(ActiveScenario("walk", random.element(scenarios), endpoints: endpoints, remaining: 1))
        // The second attempt is the first one again.
        let noise = random
        for isRepeated in [false, true] {
            random = noise
            isFailing = !isDone && !isRepeated
            switch (change, code) {
            case (0, _): try await start(device)
            case (1, _): await logOut(device)
            case (2, _): try await resetTrials(device, index)
            case (4, let code?): await logIn(device, code)
            default: try await authorize(device, index)
            }
            #expect(simulator.scenarios.isEmpty)
        }
        try await list(device)
        try await lookUp(device, index)
    }

    /// Many requests come at once, and then one more.
    mutating func limitRequests(_ device: TestDevice) async {
        let burst = 1 + random.below(3)
        simulation.simulator.setThrottle(ThrottleMode(.bucket(perSecond: 1, burst: burst)))
        var isLimited: [Bool] = []
        for _ in 0..<5 { isLimited.append(await device.configuration().status == 429) }
        #expect(isLimited == (0..<5).map { $0 >= burst })
        simulation.time.advance(by: .seconds(1))
        #expect(await device.configuration().status != 429)
        #expect(await device.configuration().status == 429)
        simulation.simulator.setThrottle(.off)
    }

    // MARK: The other brand

    /// The other brand has sign-ins and permits of its own.
    mutating func useOtherBrand() async throws {
        if await stranger.configuration().status == 401 { try await stranger.renewToken() }
        let form = TestDevice.form(mvpd: "SampleCable", domain: "example.org", redirect: "https://example.org/")
        let answer = await stranger.startSession(form)
        check(answer, SessionResponse.self)
        let session: SessionResponse = try answer.read()
        if let code = session.code?.text {
            #expect(codes[code].map { $0.end <= now } ?? true, "a living code was made again")
            #expect(await devices[0].profile(ofCode: code).status != 200)
            #expect(await stranger.browse("/api/v2/authenticate/REF30/\(code)").status == 400)
            #expect(await stranger.browse(session.url).status == 302)
        }
        let decision = try #require(try stranger.decision(await stranger.authorize("SampleCable", "a")))
        #expect(decision.isAuthorized == (effect == nil || effect == .permitAll || effect == .admitAll))
        if let token = decision.token {
            _ = try simulation.verified(token.serializedToken, "a", requestor: "REF40")
            #expect(throws: MediaTokenError.self) { try simulation.verified(token.serializedToken, "a") }
        }
        #expect(await stranger.authorize("SampleFiber", "a").errorCode == .invalidIntegration)
        if random.below(2) == 0 {
            let path = "/api/v2/REF40/logout/SampleCable?redirectUrl=https%3A%2F%2Fexample.org%2F"
            check(await stranger.get(path), LogoutResponse.self)
            #expect(try await stranger.profiles().isEmpty)
        }
    }
}
#endif
