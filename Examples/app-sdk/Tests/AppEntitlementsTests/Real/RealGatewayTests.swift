import AppEntitlements
import Foundation
import Testing

/// The package against `tve serve`, whose broker is `tve simulate`.
@MainActor @Suite(.serialized, .enabled(if: RealGateway.tool != nil, "TVE has the path of the tool"))
struct RealGatewayTests {
    /// A client of a real gateway, whose pauses take no time.
    private struct App {
        let client: EntitlementClient
        let recorder = Recorder()

        @MainActor
        init(
            _ gateway: RealGateway, place: SignInPlace = .browser(returnTo: RealGateway.returnTo),
            partner: (any PartnerFramework)? = nil, store: any DeviceStateStore = InMemoryDeviceStateStore()
        ) {
            let time = GatewayTime(
                now: GatewayTime.device.now, sleep: { _ in try await Task.sleep(for: .milliseconds(20)) })
            client = EntitlementClient(
                at: gateway.address, device: .phone, signingIn: place, partner: partner, store: store, time: time)
            client.delegate = recorder
        }

        /// Signs in at a provider, in a browser.
        @MainActor
        func signIn(at provider: String) async throws {
            client.setSelectedProvider(provider)
            try await recorder.until("navigateToUrl")
            let end = try await Browser().open(try #require(recorder.urls.last))
            #expect(end.address.hasPrefix("\(RealGateway.returnTo)?returned="))
            client.handleExternalURL(end.address)
            try await recorder.until("setAuthenticationStatus 1")
        }
    }

    @Test func `A viewer signs in in a browser, plays, and logs out`() async throws {
        let items = ["R1", "R2", "R3", "C1", "A1", "A3", "L1", "H1", "H2", "H3"]
        try await RealGateway.with(passing: items) { gateway in
            let app = App(gateway)
            app.client.setRequestor("tv")
            app.client.checkAuthentication()
            try await app.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
            app.client.getAuthorization("TestChannel")
            try await app.recorder.until("displayProviderDialog SampleCable SampleFiber TempPass PromoPass")
            try await app.signIn(at: "SampleCable")
            try await app.recorder.until("setToken TestChannel")
            #expect(try await app.recorder.rest().contains { $0.hasPrefix("sendTrackingData 1 true SampleCable") })
            let session = try #require(app.recorder.tokens["TestChannel"])
            #expect(try await gateway.authorizes(session, for: "TestChannel"))
            #expect(try await gateway.authorizes(session, for: "OtherChannel") == false)
            let renewed = try await app.client.renewPlayback(of: "TestChannel")
            #expect(try await gateway.authorizes(renewed.session, for: "TestChannel"))
            app.client.endPlayback(of: "TestChannel")
            app.client.getMetadata(["METADATA_OPCODE_KEY": "3", "METADATA_USER_META_KEY": "zip"])
            try await app.recorder.until("setMetadataStatus a list of")
            #expect(try await gateway.authorizes(renewed.session, for: "TestChannel") == false)
            app.client.getSelectedProvider()
            try await app.recorder.until("selectedProvider SampleCable Sample Cable")
            app.client.getAuthentication()
            try await app.recorder.until("setAuthenticationStatus 1")
            app.client.logout()
            try await app.recorder.until("navigateToUrl")
            let end = try await Browser().open(try #require(app.recorder.urls.last))
            #expect(end.address == RealGateway.returnTo)
            app.client.handleExternalURL(end.address)
            try await app.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("tokenRequestFailed TestChannel|User Not Authenticated Error|")
        }
    }

    @Test func `Each denial comes with its old words, and preauthorizations tell it beforehand`() async throws {
        try await RealGateway.with(passing: ["A1", "P2", "P3", "Z2", "H1"]) { gateway in
            let app = App(gateway)
            app.client.setRequestor("tv")
            try await app.signIn(at: "SampleFiber")
            for (resource, original, code) in [
                ("sim:deny", "User not Authorized Error", "Z100 error"),
                ("sim:deny-parental", "User not Authorized Error", "Z100 error"),
                ("sim:deny-hba", "User not Authorized Error", "Z100 error"),
                ("sim:too-many", "Generic Authorization Error", "Z130 error"),
                ("sim:degraded-none", "User not Authorized Error", "Z169 error"),
            ] {
                app.client.checkAuthorization(resource)
                try await app.recorder.until("tokenRequestFailed \(resource)|\(original)|")
                try await app.recorder.until("status \(code)")
                try await app.recorder.until("sendTrackingData 1 false - - - \(original)")
            }
            let response = await app.client.preauthorize(["sim:deny", "TestChannel"])
            #expect(response.resources.map(\.authorized) == [false, true])
            #expect(response.resources.first?.code == "preauthorization_denied_by_mvpd")
            app.client.setSelectedProvider("Nonsense")
            try await app.recorder.until("setAuthenticationStatus 0 Provider not Available Error")
        }
    }

    @Test func `A TV shows a code, and goes on once it was activated; a gateway that restarts does not stop it`()
        async throws
    {
        try await RealGateway.with { gateway in
            let tv = App(gateway, place: .otherScreen)
            tv.client.setRequestor("tv")
            tv.client.setSelectedProvider("SampleCable")
            try await tv.recorder.until("status REGCODE success")
            let address = try #require(tv.recorder.codes.last?["activationURLComplete"])
            // The long poll of the TV is cut, and for a while nothing listens.
            gateway.stopServing()
            try await Task.sleep(for: .milliseconds(200))
            try await gateway.serve()
            try await Browser().activate(address, at: gateway.address.absoluteString)
            try await tv.recorder.until("setAuthenticationStatus 1")
            #expect(try await tv.recorder.rest().allSatisfy { !$0.hasPrefix("setAuthenticationStatus 0") })
        }
    }

    @Test func `Giving up a code makes it void`() async throws {
        try await RealGateway.with { gateway in
            let tv = App(gateway, place: .otherScreenWithPicker)
            tv.client.setRequestor("tv")
            tv.client.getAuthentication()
            try await tv.recorder.until("status REGCODE success")
            let address = try #require(tv.recorder.codes.last?["activationURLComplete"])
            tv.client.setSelectedProvider(nil)
            try await tv.recorder.until("setAuthenticationStatus 0 Provider not Selected Error")
            #expect(try await Browser().open(address).page.contains("No device shows this code"))
        }
    }

    @Test func `Temporary access needs no browser, and says when it ends`() async throws {
        // R2: the gateway registers a device once more for a sign-in that begins while the user is signed in.
        try await RealGateway.with(passing: ["R3", "H1", "H2"], failing: ["R2"]) { gateway in
            let app = App(gateway)
            app.client.setRequestor("tv")
            app.client.setSelectedProvider("TempPass")
            try await app.recorder.until("setAuthenticationStatus 1")
            try await app.recorder.until("status N011 info")
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("setToken TestChannel")
            try await app.recorder.until("status Z011 info")
            #expect(app.client.playback(of: "TestChannel")?.temporaryUntil != nil)
            app.client.setSelectedProvider("PromoPass")
            try await app.recorder.until("setAuthenticationStatus 0 Generic Authentication Error")
            app.client.getAuthentication(withData: ["email": "viewer@example.org"])
            app.client.setSelectedProvider("PromoPass")
            app.client.getAuthorization("TestChannel")
            try await app.recorder.until("setToken TestChannel")
            #expect(app.client.playback(of: "TestChannel")?.remainingResources != nil)
        }
    }

    @Test func `A token is renewed when it ends soon, and one that is void is replaced`() async throws {
        try await RealGateway.with { gateway in
            let store = InMemoryDeviceStateStore()
            // The clock of the device is ahead, so that less than a week is left of the token.
            let time = GatewayTime(
                now: { GatewayTime.device.now() + 25 * 24 * 3_600_000 }, sleep: GatewayTime.device.sleep)
            let early = try Gateway(at: gateway.address, for: "tv", device: .phone, store: store)
            _ = try await early.send(.beginSignIn())
            let first = store.load(for: "tv")
            let late = try Gateway(at: gateway.address, for: "tv", device: .phone, store: store, time: time)
            #expect(try await late.send(.signInStatus()).code == "not_authenticated")
            #expect(store.load(for: "tv") != first)
            // The older token ended with the first use of the newer one.
            let copy = InMemoryDeviceStateStore()
            copy.save(first, for: "tv")
            let old = try Gateway(at: gateway.address, for: "tv", device: .phone, store: copy)
            #expect(try await old.send(.signInStatus()).code == "not_authenticated")
            #expect(copy.load(for: "tv") != first && copy.load(for: "tv") != store.load(for: "tv"))
        }
    }

    @Test
    func `A broker that sends nonsense, and a gateway that is away, are told by their codes, and nothing is lost`()
        async throws
    {
        try await RealGateway.with { gateway in
            let app = App(gateway)
            app.client.setRequestor("tv")
            try await app.signIn(at: "SampleCable")
            let scenario = #"{"scenario":"malformed:truncated","endpoints":["authorize"]}"#
            try await gateway.control("PUT", "sim/scenarios/one", scenario)
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("tokenRequestFailed TestChannel|Internal Authorization Error|")
            try await app.recorder.until("status Z500 error")
            try await gateway.control("DELETE", "sim/scenarios/one")
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("setToken TestChannel")
            gateway.stopServing()
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("tokenRequestFailed TestChannel|Generic Authorization Error|")
            try await app.recorder.until("status CFG404 error")
            app.client.checkAuthentication()
            try await app.recorder.until("setAuthenticationStatus 1")
            try await gateway.serve()
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("setToken TestChannel")
        }
    }

    @Test func `Too many devices of one address are CFG429`() async throws {
        try await RealGateway.with(devicesPerMinute: 1) { gateway in
            App(gateway).client.setRequestor("tv")
            let app = App(gateway)
            try await Task.sleep(for: .milliseconds(300))
            app.client.setRequestor("tv")
            let lines = try await app.recorder.until("status")
            #expect(lines == ["setRequestorComplete 0", "status CFG429 error"])
        }
    }

    @Test func `An app that the gateway does not have is CFG400`() async throws {
        try await RealGateway.with { gateway in
            let app = App(gateway)
            app.client.setRequestor("unknown")
            let lines = try await app.recorder.until("status")
            #expect(lines == ["setRequestorComplete 0", "status CFG400 error"])
        }
    }

    /// The account of the device's system, which the simulated broker plays.
    private final class Account: PartnerFramework {
        let gateway: RealGateway

        init(_ gateway: RealGateway) { self.gateway = gateway }

        func status(mayInterrupt: Bool) async -> PartnerStatus? {
            PartnerStatus(.granted, provider: "sample-satellite", expires: GatewayTime.device.now() + 86_400_000)
        }

        func ask(_ question: PartnerQuestion) async -> PartnerReply {
            guard let status = await status(mayInterrupt: false) else { return .cancelled }
            guard case .confirm(_, let token, _, _) = question else { return .status(status) }
            let body = #"{"mappingId":"sample-satellite","verificationToken":"\#(token)"}"#
            let answer = try? await gateway.control("POST", "sim/partner", body)
            return answer?["samlResponse"]?.text.map { .answer(status, response: $0) } ?? .cancelled
        }
    }

    @Test func `The account of the device signs the viewer in silently, and stays after a logout`() async throws {
        try await RealGateway.with { gateway in
            let app = App(gateway, partner: Account(gateway))
            app.client.setRequestor("tv")
            #expect(try await app.recorder.until("setRequestorComplete") == ["setRequestorComplete 1"])
            app.client.checkAuthorization("TestChannel")
            try await app.recorder.until("setToken TestChannel")
            #expect(app.client.playback(of: "TestChannel")?.mvpd == "SampleSatellite")
            app.client.logout()
            try await app.recorder.until("status VSA203 info")
            try await app.recorder.until("setAuthenticationStatus 0")
        }
    }
}
