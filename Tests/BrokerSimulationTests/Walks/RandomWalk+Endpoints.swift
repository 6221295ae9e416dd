#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TVETesting
import Testing

// The steps of a walk that are taken less often.

extension RandomWalk {
    mutating func lookAtSession(_ device: TestDevice) async {
        guard let code = random.key(codes) else { return }
        check(await device.session(code), SessionStatusResponse.self)
    }

    /// Signs on with the platform, or tries to.
    mutating func signOnWithPlatform(_ device: TestDevice) async throws {
        let mapping = random.element(["sample-satellite", "sample-wireless", "unknown"])
        let framework = PartnerFramework(mappingID: mapping, choice: random.element(PartnerFramework.Choice.allCases))
        var device = device
        device.extra[PartnerFrameworkStatus.name] = try framework.status(at: now).headerValue
        let answer = await device.startPartnerSession()
        check(answer, SessionResponse.self)
        guard answer.status == 200 else { return }
        let session: SessionResponse = try answer.read()
        if let code = session.code?.text { note(code, of: session) }
        guard let request = session.authenticationRequest?.request else {
            #expect(session.actionName != .partnerProfile)
            return
        }
        #expect(framework.choice == .granted && mapping == "sample-satellite", "signed on without permission")
        let saml = try #require(framework.samlResponse(to: request))
        let made = await device.sendPartnerAnswer(saml)
        check(made, ProfilesResponse.self)
        #expect(try made.read(ProfilesResponse.self).profiles.map(\.type) == [.appleSSO])
        #expect(await device.sendPartnerAnswer(saml).errorCode == .invalidParameterSAMLResponse)
    }

    /// The operator gives temporary access anew: to one device, or the promotional one to all persons and devices.
    mutating func resetTrials(_ device: TestDevice, _ index: Int) async {
        let isPromotional = random.below(2) == 0
        let query =
            isPromotional
            ? "reset/generic?requestor_id=REF30&mvpd_id=PromoPass&key=all"
            : "reset?requestor_id=REF30&mvpd_id=TempPass&device_id=walker-\(index)"
        let answer = await TestDevice.send(
            simulation.simulator, .delete, "/reset-tempass/v3/\(query)", device.fields(), "")
        #expect(answer.status == 204 || answer.status == 401)
        guard answer.status == 204 else { return }
        for key in trials.keys {
            let isReset = isPromotional ? key.hasPrefix("PromoPass") : key == "TempPass device \(index)"
            if isReset { trials[key] = nil }
        }
    }

    /// A device that has lost its credentials.
    mutating func registerAnew(_ index: Int) async throws {
        devices[index] = try await newDevice(index)
        #expect(try await devices[index].profiles().isEmpty, "new credentials have old sign-ins")
    }

    mutating func visitOtherBrand(_ device: TestDevice) async throws {
        let crossing = await stranger.get("/api/v2/REF30/profiles")
        #expect(crossing.status == 401)
        if await stranger.configuration().status == 401 { try await stranger.renewToken() }
        #expect(await stranger.get("/api/v2/REF30/profiles").errorCode == .invalidAccessTokenServiceProvider)
        guard let code = random.key(codes) else { return }
        #expect(await stranger.session(code).errorCode == .invalidAuthenticationSession)
        #expect(await stranger.profile(ofCode: code).errorCode == .invalidAuthenticationSession)
        #expect(await stranger.browse("/api/v2/authenticate/REF40/\(code)").status == 400)
    }

    /// The operator ends the credentials of a device, which registers anew.
    mutating func revoke(_ device: TestDevice, _ index: Int) async throws {
        try simulation.simulator.revoke(client: device.credentials.clientID)
        #expect(await device.configuration().errorCode == .invalidAccessTokenClientApplication)
        try await registerAnew(index)
    }

    /// A provider denies whatever it is asked, and uses nothing up by it.
    mutating func deny(_ device: TestDevice) async throws {
        let code = random.element([
            EnhancedErrorCode.authorizationDeniedByParentalControls, .networkConnectionTimeout,
            .identityNotRecognizedByMVPD,
        ])
        simulation.simulator.activate(
            ActiveScenario("walk", .decision(code), endpoints: [.authorize], remaining: 1))
        let answer = await device.authorize(random.element(["SampleCable", "TempPass", "PromoPass"]), "a")
        check(answer, DecisionsResponse.self)
        #expect(simulation.simulator.scenarios.isEmpty)
        guard answer.status == 200 else { return }
        let decision = try #require(try device.decision(answer))
        #expect(!decision.isAuthorized && decision.token == nil && decision.error?.code == code)
    }

    /// Registration fails once, and works the next time.
    mutating func failRegistration(_ device: TestDevice) async throws {
        let code = random.element(["invalid_request", "invalid_client", "unauthorized_client"])
        let path = random.element(["register", "token"])
        simulation.simulator.activate(ActiveScenario("walk", .error(EnhancedErrorCode(code)), remaining: 1))
        let fields = [DeviceInfo.name: device.info.headerValue]
        let answer = await TestDevice.send(simulation.simulator, .post, "/o/client/\(path)", fields, "")
        #expect(answer.status == 400)
        #expect(try answer.read(RegistrationError.self).error.rawValue == code)
        var device = device
        try await device.renewToken()
        #expect(await device.configuration().status == 200)
    }

    func list(_ device: TestDevice) async throws {
        let answer = await device.get("/api/v2/REF30/profiles")
        check(answer, ProfilesResponse.self)
        guard answer.status == 200 else { return }
        let mvpds = try answer.read(ProfilesResponse.self).profiles.map(\.mvpd)
        #expect(!mvpds.contains("TempPass") && !mvpds.contains("PromoPass"), "a sign-in with temporary access")
    }

    mutating func changeRules() throws {
        let effects: [SimulatedRule.Effect] = [
            .admitAll, .permitAll, .permitNone, .deny(.authorizationDeniedByMVPD, details: "No."),
        ]
        var world = simulation.simulator.world
        world.rules = random.below(2) == 0 ? [] : [SimulatedRule("walk", effect: random.element(effects))]
        try simulation.simulator.replaceWorld(by: world)
    }

    func readState() throws {
        let snapshot = simulation.simulator.snapshot
        let copy = try BrokerSimulator(
            keys: try Simulation.keys.get(), settings: simulation.simulator.settings, time: simulation.time.source)
        try copy.restore(snapshot)
        #expect(copy.snapshot == snapshot)
    }
}
#endif
