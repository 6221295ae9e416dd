#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import ServiceResponses
import TVETesting
import Testing

@Suite("Sign-on with a device platform")
struct PartnerTests {
    let framework = PartnerFramework(mappingID: "sample-satellite")

    func device(_ simulation: Simulation, _ framework: PartnerFramework?) async throws -> TestDevice {
        var device = try await simulation.device()
        if let framework {
            let status = try framework.status(at: simulation.simulator.now)
            device.extra = [PartnerFrameworkStatus.name: status.headerValue]
        }
        return device
    }

    @Test func `The platform's answer brings a profile, which needs a current status from then on`() async throws {
        let simulation = try Simulation()
        var device = try await device(simulation, framework)
        let session: SessionResponse = try await device.startPartnerSession().read()
        #expect(session.actionName == .partnerProfile && session.actionType == .direct && session.reason == .noReason)
        #expect(session.unknownFields.isEmpty && session.faults.isEmpty)
        let request = try #require(session.authenticationRequest)
        #expect(request.type == "saml" && request.xml != nil)
        let saml = try #require(framework.samlResponse(to: request.request))
        let created = await device.sendPartnerAnswer(saml)
        #expect(created.status == 201)
        #expect(try created.read(ProfilesResponse.self).profiles.first?.type == .appleSSO)
        #expect(try await device.profiles().map(\.issuer) == ["Apple"])
        #expect(try device.decision(await device.authorize("SampleSatellite", "news"))?.isAuthorized == true)
        // An answer counts once.
        #expect(await device.sendPartnerAnswer(saml).errorCode == .invalidParameterSAMLResponse)
        let again: SessionResponse = try await device.startPartnerSession().read()
        #expect(again.actionName == .authorize && again.reason == .authenticatedSSO)

        let extra = device.extra
        device.extra = [:]
        #expect(try await device.profiles().isEmpty)
        let decision = try #require(try device.decision(await device.authorize("SampleSatellite", "news")))
        #expect(decision.error?.code == .authenticatedProfileMissing)
        device.extra = extra
        let logout = try #require(try await device.logOut("SampleSatellite").read(LogoutResponse.self).logouts.first)
        #expect(logout.actionName == .partnerLogout && logout.actionType == .partnerInteractive && logout.url == nil)
        #expect(try await device.profiles().isEmpty)
    }

    @Test(arguments: [
        (PartnerFramework.Choice.denied, EnhancedErrorCode.invalidHeaderPFSPermissionAccessNotGranted),
        (.undetermined, .invalidHeaderPFSPermissionAccessNotDetermined),
        (.other, .invalidHeaderPFSProviderIDNotDetermined), (.cancel, .invalidHeaderPFSProviderIDNotDetermined),
        (.unsupported, .invalidHeaderPFSProviderIDNotDetermined), (.expired, .invalidHeaderPFSProviderInfoExpired),
    ])
    func `A status that cannot be used falls back, and is an error for a profile`(
        choice: PartnerFramework.Choice, code: EnhancedErrorCode
    ) async throws {
        var framework = framework
        framework.choice = choice
        let device = try await device(Simulation(), framework)
        let session: SessionResponse = try await device.startPartnerSession().read()
        #expect(session.reason == .frameworkStatusFallback && session.code != nil)
        #expect(session.actionName == (choice == .expired ? .authenticate : .resume))
        #expect(framework.samlResponse(to: "AAAA") == nil)
        let refused = await device.sendPartnerAnswer("AAAA")
        #expect(refused.status == 400 && refused.errorCode == code)
    }

    @Test func `Without a status the sign-on falls back, and a profile is refused`() async throws {
        let device = try await device(Simulation(), nil)
        let session: SessionResponse = try await device.startPartnerSession().read()
        #expect(session.reason == .frameworkStatusFallback)
        #expect(await device.sendPartnerAnswer("AAAA").errorCode == .invalidHeaderPFSPermissionAccessNotPresent)
    }

    @Test(arguments: ["sample-wireless", "unknown-mapping"])
    func `A provider that cannot be used with the platform falls back`(mapping: String) async throws {
        let device = try await device(Simulation(), PartnerFramework(mappingID: mapping))
        let session: SessionResponse = try await device.startPartnerSession().read()
        #expect(session.reason == .configurationFallback)
        #expect(session.mvpd == (mapping == "sample-wireless" ? "SampleWireless" : nil))
    }

    @Test func `Missing parameters fall back`() async throws {
        let device = try await device(Simulation(), framework)
        let session: SessionResponse = try await device.startPartnerSession("domainName=example.com").read()
        #expect(session.reason == .missingParametersFallback && session.actionName == .resume)
        #expect(session.missingParameters == [.redirectURL])
    }

    @Test func `An answer counts for its device, its provider and its time`() async throws {
        let simulation = try Simulation()
        let device = try await device(simulation, framework)
        let session: SessionResponse = try await device.startPartnerSession().read()
        let request = try #require(session.authenticationRequest).request
        let saml = try #require(framework.samlResponse(to: request))
        var other = try await simulation.device("other")
        other.extra = device.extra
        #expect(await other.sendPartnerAnswer(saml).errorCode == .invalidParameterSAMLResponse)
        var moved = device
        let status = try PartnerFramework(mappingID: "sample-wireless").status(at: simulation.simulator.now)
        moved.extra = [PartnerFrameworkStatus.name: status.headerValue]
        #expect(await moved.sendPartnerAnswer(saml).errorCode == .invalidHeaderPFSProviderIDMismatch)
        simulation.time.advance(by: .minutes(30))
        #expect(await device.sendPartnerAnswer(saml).errorCode == .invalidParameterSAMLResponse)
    }

    @Test func `Only one platform is known`() async throws {
        let device = try await device(Simulation(), framework)
        for path in ["sessions/sso/Roku", "profiles/sso/apple"] {
            #expect(await device.post("/api/v2/REF30/\(path)", "").errorCode == .invalidParameterPartner)
        }
    }
}
#endif
