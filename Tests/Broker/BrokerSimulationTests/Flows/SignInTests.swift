#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import ServiceResponses
import TVETesting
import TextCodecs
import Testing

@Suite("Signing in and out")
struct SignInTests {
    @Test func `First screen, from the session to the profile`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.startSession(with: "SampleCable")
        #expect(session.actionName == .authenticate && session.actionType == .interactive)
        #expect(session.reason == .noReason)
        #expect(session.unknownFields.isEmpty && session.faults.isEmpty)
        #expect(session.notAfter == Simulation.start + .minutes(30))
        let code = try #require(session.code?.text)
        #expect(code.count == 7 && code.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) })
        #expect(session.url == "/api/v2/authenticate/REF30/\(code)")

        #expect(try await device.profile(ofCode: code).read(ProfilesResponse.self).profiles.isEmpty)
        let page = await device.browse(session.url)
        #expect(page.status == 302)
        #expect(page.field("Location") == TestDevice.redirect)
        let profiles = try await device.profile(ofCode: code).read(ProfilesResponse.self)
        #expect(profiles.unknownFields.isEmpty && profiles.faults.isEmpty)
        let profile = try #require(profiles.profiles.first)
        #expect(profile.mvpd == "SampleCable" && profile.type == .regular && profile.issuer == "SampleCable")
        #expect(profile.notBefore == Simulation.start && profile.notAfter == Simulation.start + .hours(720))
        #expect(profile.attributes["userID"]?.json?.string == "a1f0c0de-0001")
        #expect(profile.attributes["zip"]?.json?.text == #"["77754"]"#)
        #expect(try await device.profiles().map(\.mvpd) == ["SampleCable"])

        let again = try await device.startSession(with: "SampleCable")
        #expect(again.actionName == .authorize && again.reason == .authenticated && again.code == nil)
    }

    @Test func `Second screen, with the parameters filled in one by one`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device("television")
        let phone = try await simulation.device("phone")
        let begun: SessionResponse = try await device.startSession("").read()
        #expect(begun.actionName == .resume && begun.actionType == .direct && begun.url == nil)
        #expect(begun.missingParameters == [.mvpd, .domain, .redirectURL])
        let code = try #require(begun.code?.text)

        let status: SessionStatusResponse = try await phone.session(code).read()
        #expect(status.missingParameters == [.mvpd, .domain, .redirectURL])
        #expect(status.existingParameters.serviceProvider == "REF30")
        #expect(status.device?.operatingSystem?.version?.major == 18)
        #expect(status.unknownFields.isEmpty && status.faults.isEmpty)

        let half: SessionResponse = try await phone.resume(code, "mvpd=SampleCable").read()
        #expect(half.actionName == .retry && half.missingParameters == [.domain, .redirectURL])
        let form = TestDevice.form(mvpd: nil)
        let complete: SessionResponse = try await phone.resume(code, form).read()
        #expect(complete.actionName == .authenticate && complete.code?.text == code)
        _ = await phone.browse(complete.url)
        #expect(try await device.profile(ofCode: code).read(ProfilesResponse.self).profiles.count == 1)
        #expect(try await device.profiles().count == 1)
        #expect(try await phone.profiles().isEmpty)
        let done: SessionResponse = try await phone.resume(code, form).read()
        #expect(done.actionName == .authorize && done.reason == .authenticated)
    }

    @Test func `A TV that is signed in already finds its profile by the code of a second screen`() async throws {
        let simulation = try Simulation()
        let (television, phone) = (try await simulation.device("television"), try await simulation.device("phone"))
        _ = try await television.signIn()
        let begun: SessionResponse = try await television.startSession("").read()
        let code = try #require(begun.code?.text)
        #expect(try await television.profile(ofCode: code).read(ProfilesResponse.self).profiles.isEmpty)
        let form = TestDevice.form(mvpd: "SampleCable")
        let answer: SessionResponse = try await phone.resume(code, form).read()
        #expect(answer.actionName == .authorize && answer.reason == .authenticated)
        let profiles: ProfilesResponse = try await television.profile(ofCode: code).read()
        #expect(profiles.profiles.map(\.mvpd) == ["SampleCable"])
        #expect(profiles.profiles.map(\.type) == [.regular])
        let snapshot = simulation.simulator.snapshot
        try simulation.simulator.restore(snapshot)
        #expect(try await television.profile(ofCode: code).read(ProfilesResponse.self).profiles.count == 1)
        // Asked about another provider, the same code waits for a login again.
        let other: SessionResponse = try await phone.resume(code, TestDevice.form(mvpd: "SampleFiber")).read()
        #expect(other.actionName == .authenticate)
        #expect(try await television.profile(ofCode: code).read(ProfilesResponse.self).profiles.isEmpty)
    }

    @Test func `Nobody signs in for temporary access`() async throws {
        for login in [SimulatorSettings.Login.automatic(user: "ok"), .form] {
            let simulation = try Simulation { $0.login = login }
            let device = try await simulation.device()
            let begun: SessionResponse = try await device.startSession(TestDevice.form(mvpd: nil)).read()
            let code = try #require(begun.code?.text)
            let answer: SessionResponse = try await device.resume(code, "mvpd=TempPass").read()
            #expect(answer.actionName == .authorize && answer.reason == .temporary)
            #expect(await device.browse("/api/v2/authenticate/REF30/\(code)").status == 400)
            #expect(throws: SimulationError.unknownCode) { try simulation.simulator.logIn(code: code, as: "ok") }
            #expect(throws: SimulationError.unknownCode) { try simulation.simulator.cancelLogin(code: code) }
            #expect(try await device.profiles().isEmpty)
        }
    }

    @Test func `A sign-in with a provider that now gives temporary access is not listed`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        var world = simulation.simulator.world
        let offer = try #require(world.mvpds.compactMap(\.temporaryAccess).first)
        let index = try #require(world.mvpds.firstIndex { $0.id == "SampleCable" })
        world.mvpds[index].temporaryAccess = offer
        try simulation.simulator.replaceWorld(by: world)
        #expect(try await device.profiles().isEmpty)
    }

    @Test func `A code that was used does not lead to a second login after a logout`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.signIn()
        let code = try #require(session.code?.text)
        let form = TestDevice.form(mvpd: "SampleCable")
        #expect(try await device.resume(code, form).read(SessionResponse.self).actionName == .authorize)
        _ = await device.logOut("SampleCable")
        let answer = await device.resume(code, form)
        #expect(answer.status == 400 && answer.errorCode == .invalidAuthenticationSession)
    }

    @Test func `A code is used once, however many calls come at the same time`() async throws {
        let simulation = try Simulation { $0.login = .form }
        let device = try await simulation.device()
        let simulator = simulation.simulator
        for _ in 0..<200 {
            let begun = try await device.startSession(with: "SampleCable")
            let code = try #require(begun.code?.text)
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { _ = await device.resume(code, TestDevice.form(mvpd: "SampleCable")) }
                }
                group.addTask { _ = try? simulator.logIn(code: code, as: "ok") }
            }
            #expect(throws: SimulationError.unknownCode) { try simulator.logIn(code: code, as: "ok") }
            #expect(try await device.profiles().count == 1)
            _ = await device.logOut("SampleCable")
        }
    }

    @Test func `A code is used once, and ends`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.signIn()
        #expect(await device.browse(session.url).status == 400)
        let code = try #require(session.code?.text)
        simulation.time.advance(by: .seconds(1799))
        #expect(await device.profile(ofCode: code).status == 200)
        simulation.time.advance(by: .seconds(1))
        for answer in [
            await device.profile(ofCode: code), await device.session(code), await device.resume(code, ""),
        ] {
            #expect(answer.status == 400)
            #expect(answer.errorCode == .invalidAuthenticationSession)
        }
    }

    @Test(arguments: ["short", "LOWERcase", "ABCDEFGH", "ABC-EFG", "%00BCDEFG", "ABCDEF%C3%89"])
    func `What cannot be a code is refused as a parameter`(code: String) async throws {
        let device = try await Simulation().device()
        #expect(await device.session(code).errorCode == .invalidParameterCode)
    }

    @Test(arguments: [
        (TestDevice.form(mvpd: "Nobody"), EnhancedErrorCode.invalidParameterMVPD),
        (TestDevice.form(mvpd: "SampleCable", redirect: "https://example.net/"), .invalidParameterRedirectURL),
        (
            TestDevice.form(mvpd: "SampleCable", redirect: "https://example.com@example.net/"),
            .invalidParameterRedirectURL
        ),
        (
            TestDevice.form(mvpd: "SampleCable", redirect: "https://example.net\\.example.com/"),
            .invalidParameterRedirectURL
        ),
        (TestDevice.form(mvpd: "SampleCable", redirect: "//example.com/"), .invalidParameterRedirectURL),
        (
            TestDevice.form(mvpd: "SampleCable", redirect: "javascript://example.com/%0aalert(1)"),
            .invalidParameterRedirectURL
        ),
        (TestDevice.form(mvpd: "SampleCable", redirect: "https://notexample.com/"), .invalidParameterRedirectURL),
        (TestDevice.form(mvpd: "SampleCable", domain: "example.net"), .invalidParameterRedirectURL),
        ("mvpd=%zz", .invalidParameterMVPD),
    ])
    func `A session with bad parameters is refused`(form: String, code: EnhancedErrorCode) async throws {
        let device = try await Simulation().device()
        let answer = await device.startSession(form)
        #expect(answer.status == 400)
        #expect(answer.errorCode == code)
    }

    @Test func `A provider without an agreement is refused`() async throws {
        let device = try await Simulation().device(requestor: "REF40")
        let form = TestDevice.form(mvpd: "SampleFiber", domain: "example.org", redirect: "https://example.org/")
        #expect(await device.startSession(form).errorCode == .invalidIntegration)
    }

    @Test(arguments: [("SampleCable", "logout", "interactive"), ("SampleFiber", "complete", "none")])
    func `Logging out deletes the profile`(mvpd: String, action: String, type: String) async throws {
        let device = try await Simulation().device()
        let session = try await device.signIn(with: mvpd)
        let step = try #require(try await device.logOut(mvpd).read(LogoutResponse.self).logouts.first)
        #expect(step.actionName.rawValue == action && step.actionType.rawValue == type)
        #expect((step.url == nil) == (action == "complete"))
        if let url = step.url {
            let page = await device.browse(url)
            #expect(page.status == 302 && page.field("Location") == TestDevice.redirect)
        }
        #expect(try await device.profiles().isEmpty)
        let code = try #require(session.code?.text)
        #expect(try await device.profile(ofCode: code).read(ProfilesResponse.self).profiles.isEmpty)
        let again = try #require(try await device.logOut(mvpd).read(LogoutResponse.self).logouts.first)
        #expect(again.actionName == .invalid && again.actionType == .noAction)
    }

    @Test func `A logout leads back to the brand's own addresses only`() async throws {
        let device = try await Simulation().device()
        for query in ["", "?redirectUrl=https%3A%2F%2Fexample.net%2F", "?redirectUrl=%zz"] {
            #expect(
                await device.get("/api/v2/REF30/logout/SampleCable\(query)").errorCode == .invalidParameterRedirectURL)
            #expect(await device.browse("/sim/logout/REF30\(query)").status == 400)
        }
    }

    @Test func `A field without a value counts as absent, and so does one with the name that answers use`() async throws
    {
        let device = try await Simulation().device()
        let session: SessionResponse = try await device.startSession("mvpd=&domain=example.com&redirectUrl=").read()
        #expect(session.actionName == .resume && session.missingParameters == [.mvpd, .domain, .redirectURL])
    }

    @Test func `The provider's logout page is no call of the broker`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("down", .status(503)))
        let calls = simulation.simulator.journal.count
        let url = "/sim/logout/REF30?redirectUrl=\(Percent.encode(TestDevice.redirect.utf8))"
        let page = await device.browse(url)
        #expect(page.status == 302 && page.field("Location") == TestDevice.redirect)
        #expect(page.field("X-Simulated") == "true")
        let wrong = await device.post(url, "")
        #expect(wrong.status == 405 && wrong.field("Allow") == "GET")
        #expect(simulation.simulator.journal.count == calls)
    }

    @Test func `With a login form the browser is sent there, and the simulator waits for the user`() async throws {
        let simulation = try Simulation { $0.login = .form }
        let device = try await simulation.device()
        let session = try await device.startSession(with: "SampleCable")
        let code = try #require(session.code?.text)
        #expect(await device.browse(session.url).field("Location") == "/sim/login?code=\(code)")
        #expect(try simulation.simulator.cancelLogin(code: code) == TestDevice.redirect)
        #expect(try await device.profiles().isEmpty)
        #expect(throws: SimulationError.unknownUser("nobody")) {
            try simulation.simulator.logIn(code: code, as: "nobody")
        }
        #expect(try simulation.simulator.logIn(code: code, as: "nozip") == TestDevice.redirect)
        #expect(throws: SimulationError.unknownCode) { try simulation.simulator.logIn(code: code, as: "ok") }
        let profile = try #require(try await device.profiles().first)
        #expect(profile.attributes["zip"] == nil && profile.attributes["householdID"] != nil)
    }

    @Test func `Two devices of one user do not share a profile`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device("one")
        _ = try await device.signIn()
        let other = try await simulation.device("other")
        #expect(try await other.profiles().isEmpty)
        // The same identifier with other credentials is another device, too.
        let namesake = try await simulation.device("one")
        #expect(try await namesake.profiles().isEmpty)
        #expect(try await device.profiles().count == 1)
    }

    @Test func `The configuration shows partner members to Apple's devices only`() async throws {
        let device = try await Simulation().device()
        let shown: ConfigurationResponse = try await device.configuration().read()
        #expect(shown.requestor.mvpds.count == 6 && shown.unknownFields.isEmpty && shown.faults.isEmpty)
        #expect(shown.requestor.mvpds.compactMap(\.boardingStatus) == [.supported, .picker])
        #expect(shown.requestor.mvpds.filter { $0.isTemporaryAccess == true }.map(\.id) == ["TempPass", "PromoPass"])
        let other = try DeviceInfo([.model: "TV", .osName: "Tizen"])
        let fields = device.fields(without: [DeviceInfo.name])
            .merging([DeviceInfo.name: other.headerValue]) { $1 }
        let hidden: ConfigurationResponse = try await device.get("/api/v2/REF30/configuration/", fields).read()
        #expect(hidden.requestor.mvpds.count == 6)
        #expect(hidden.requestor.mvpds.allSatisfy { $0.boardingStatus == nil && $0.platformMappingID == nil })
    }
}
#endif
