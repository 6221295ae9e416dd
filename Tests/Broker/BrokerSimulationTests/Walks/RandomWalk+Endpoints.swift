#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import MediaTokens
import RequestorSigning
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
        if let code = session.code?.text { note(code, of: session, by: device, with: session.mvpd?.rawValue) }
        guard let request = session.authenticationRequest?.request else {
            #expect(session.actionName != .partnerProfile)
            return
        }
        #expect(framework.choice == .granted && mapping == "sample-satellite", "signed on without permission")
        let saml = try #require(framework.samlResponse(to: request))
        let made = await device.sendPartnerAnswer(saml)
        check(made, ProfilesResponse.self)
        #expect(try made.read(ProfilesResponse.self).profiles.map(\.type) == [.appleSSO])
        signIns.signOn(device, "SampleSatellite", at: now)
        #expect(await device.sendPartnerAnswer(saml).errorCode == .invalidParameterSAMLResponse)
    }

    /// The operator gives temporary access anew: to one device, or the promotional one to all persons and devices.
    mutating func resetTrials(_ device: TestDevice, _ index: Int) async throws {
        let isPromotional = random.below(2) == 0
        let query =
            isPromotional
            ? "reset/generic?requestor_id=REF30&mvpd_id=PromoPass&key=all"
            : "reset?requestor_id=REF30&mvpd_id=TempPass&device_id=walker-\(index)"
        let answer = await TestDevice.send(
            simulation.simulator, .delete, "/reset-tempass/v3/\(query)", try await simulation.resetFields(), "")
        #expect(answer.status == 204 || isFailing)
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
        signIns.revoke { $0 == device.credentials.clientID }
        #expect(await device.configuration().errorCode == .invalidAccessTokenClientApplication)
        try await registerAnew(index)
    }

    /// The operator withdraws the statement of the brand, and approves it again.
    mutating func withdrawStatement() async throws {
        let simulator = simulation.simulator
        let (world, statement) = (simulator.world, try simulator.softwareStatement(of: "REF30"))
        for index in devices.indices { try await devices[index].renewToken() }
        try await stranger.renewToken()
        try simulator.revoke(statement: world.requestors[0].statements[0].id)
        signIns.revoke { _ in true }
        for device in devices {
            #expect(await device.configuration().errorCode == .invalidAccessTokenClientApplication)
        }
        #expect(await stranger.configuration().errorCode != .invalidAccessTokenClientApplication)
        let fields = [DeviceInfo.name: devices[0].info.headerValue]
        let refused = await TestDevice.send(
            simulator, .post, "/o/client/register", fields, #"{"software_statement":"\#(statement)"}"#)
        #expect(refused.status == 400)
        #expect(try refused.read(RegistrationError.self).error == .unapprovedSoftwareStatement)
        try simulator.replaceWorld(by: world)
        for index in devices.indices {
            #expect(try await devices[index].profiles().isEmpty, "a sign-in has outlived the statement")
            try await registerAnew(index)
        }
    }

    /// Signs in with a service token, which another device has, too.
    mutating func carrySignIn(_ device: TestDevice) async throws {
        let (own, other) = try Self.serviceKeys.get()
        let isOwn = random.below(3) > 0
        // No other sign-in is for this household.
        let claims = ServiceTokenClaims(
            issuer: "identity.example", subject: "household-\(logins)", audience: ["adobe"], lifetime: .hours(1))
        let token = try ServiceTokenSigner(key: isOwn ? own : other, keyID: "one").sign(claims, at: now)
        var guest = try await simulation.device("guest")
        guest.extra[ServiceToken.name] = token
        var device = device
        device.extra = guest.extra
        let answer = await device.startSession(TestDevice.form(mvpd: "SampleFiber"))
        check(answer, SessionResponse.self)
        guard answer.status == 200 else { return }
        let session: SessionResponse = try answer.read()
        guard let code = session.code?.text else { return }
        note(code, of: session, by: device, with: "SampleFiber")
        await logIn(device, code)
        #expect(try await guest.profiles().map(\.type) == (isOwn ? [.serviceTokenSSO] : []))
        simulation.simulator.advanceClock(by: .hours(2))
        #expect(try await guest.profiles().isEmpty, "a sign-in has outlived the service token")
    }

    /// A permit comes with a token that no verifier takes, or with an odd one that all take.
    mutating func spoilToken(_ device: TestDevice) async throws {
        let defect = random.element(MediaTokenDefect.allCases)
        simulation.simulator.activate(
            ActiveScenario("walk", .token(defect), endpoints: [.authorize], remaining: 1))
        let spoiled = await device.authorize("SampleCable", "a")
        check(spoiled, DecisionsResponse.self)
        #expect(simulation.simulator.scenarios.isEmpty)
        guard spoiled.status == 200, let token = try device.decision(spoiled)?.token else { return }
        #expect(verdict(of: token.serializedToken) == defect.expectedStatus, "\(defect)")
        let next = try #require(try device.decision(await device.authorize("SampleCable", "a"))?.token)
        #expect(verdict(of: next.serializedToken) == .validToken)
    }

    private func verdict(of token: String) -> MediaTokenStatus? {
        do {
            _ = try simulation.verified(token, "a")
            return .validToken
        } catch {
            return (error as? MediaTokenError)?.status
        }
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

    mutating func changeRules() throws {
        let effects: [SimulatedRule.Effect] = [
            .admitAll, .permitAll, .permitNone, .deny(.authorizationDeniedByMVPD, details: "No."),
        ]
        var world = simulation.simulator.world
        world.rules = random.below(2) == 0 ? [] : [SimulatedRule("walk", effect: random.element(effects))]
        try simulation.simulator.replaceWorld(by: world)
    }

    /// Keeps the state as the tool does, and has another simulator go on from it.
    func readState() throws {
        let snapshot = simulation.simulator.snapshot
        try folder.keep(snapshot)
        let copy = try BrokerSimulator(
            keys: try Simulation.keys.get(), settings: simulation.simulator.settings, time: simulation.time.source)
        try copy.restore(try #require(try folder.keptState()))
        #expect(copy.snapshot == snapshot)
    }
}
#endif
