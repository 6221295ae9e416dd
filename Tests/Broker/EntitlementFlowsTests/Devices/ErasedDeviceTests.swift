#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// What was erased must not be stored again, whoever erases it and whatever runs meanwhile.
@Suite("Devices that are erased while a server has a session of them")
struct ErasedDeviceTests {
    /// Who erases a device.
    enum Eraser: Sendable, CaseIterable {
        case anotherServer, subscriber, listing
    }

    @Test(arguments: Eraser.allCases)
    func `A device that was erased elsewhere begins anew here`(by eraser: Eraser) async throws {
        let (bench, one, two, device) = try await watched()
        switch eraser {
        case .anotherServer: #expect(try await one.forget("tv"))
        case .subscriber:
            try await bench.directory.change("tv") { record in record.subject = "subscriber" }
            #expect(try await bench.directory.forgetDevices(of: "subscriber") == 1)
        case .listing: #expect(try await bench.directory.forget(at: bench.directory.key(of: "tv")))
        }
        let registrations = bench.count(.register)
        let status = try await two.with(device) { try await $0.checkAuthentication() }
        #expect(status == .notAuthenticated)
        #expect(bench.count(.register) == registrations + 1, "its credentials were erased, so it registers")
        let record = try await bench.record(of: "tv")
        #expect(record.profile == nil && record.provider == nil && record.decisions.isEmpty)
    }

    @Test func `A device that was erased and has registered elsewhere is another one here, too`() async throws {
        let (bench, one, two, device) = try await signedIn()
        #expect(try await one.forget("tv"))
        #expect(try await one.with(device) { try await $0.checkAuthentication() } == .notAuthenticated)
        // The token of the credentials before would still bring the profile.
        let status = try await two.with(device) { try await $0.checkAuthentication(.broker) }
        #expect(status == .notAuthenticated)
        #expect(try await bench.record(of: "tv").profile == nil)
    }

    @Test func `A device that was erased elsewhere is called for as one client, also by callers from before`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let before = try bench.application.broker.caller(await session.device, from: "203.0.113.77")
        #expect(try await bench.otherProcess.broker.records.forget("device"))
        #expect(try await bench.flowing { try await session.checkAuthentication() } == .notAuthenticated)
        #expect(bench.simulator.journal.count { $0.endpoint == .register } == 1)
        // With a registration of its own, it would go on with the token of the client before, which brings the profile.
        #expect(try await before.profiles(requestor: FlowBench.requestor).profiles.isEmpty)
        #expect(bench.simulator.journal.count { $0.endpoint == .register } == 1)
        #expect(bench.simulator.journal.count { $0.endpoint == .token } == 1)
    }

    @Test func `A cancel for an erased device writes nothing from before`() async throws {
        let (bench, one, two, device) = try await watched()
        #expect(try await one.forget("tv"))
        try await two.with(device) { _ = try await $0.setSelectedProvider(nil) }
        #expect(try await bench.record(of: "tv").decisions.isEmpty)
    }

    @Test func `What waits for the sign-in of an erased device ends with the next command`() async throws {
        let bench = try DeviceBench(time: ManualTime(at: DeviceBench.start).source)
        let (one, two) = (try bench.server(), try bench.server())
        let device = try DeviceBench.device("tv")
        let outcome = try await two.with(device, options: Self.withBrowser) { try await $0.getAuthorization("news") }
        guard case .needsAuthentication = outcome else {
            Issue.record("signed in")
            return
        }
        #expect(try await one.forget("tv"))
        let (status, waits) = try await two.with(device) { session in
            (try await session.checkAuthentication(.localOnly), await session.state.pending != nil)
        }
        #expect(status == .unknown && !waits)
    }

    @Test func `An answer about a device that is erased meanwhile is not stored`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker()
        bench.eraseDevice(afterAnswersOf: "/profiles")
        await #expect(throws: EntitlementFlowError.superseded) { try await bench.session.checkAuthentication() }
        #expect(try await bench.directory.record(of: "device-key") == nil)
        bench.transport.onAnswer(nil)
        #expect(try await bench.session.checkAuthentication() == .notAuthenticated)
    }

    @Test func `A permit for a device that is erased meanwhile is neither given nor noted`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.eraseDevice(afterAnswersOf: "/decisions/")
        await #expect(throws: EntitlementFlowError.superseded) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(bench.directory.notedDecisions(requestor: AuthorizationBench.requestor, of: "device-key").isEmpty)
    }

    @Test(arguments: [false, true])
    func `Decision times of a session that has gone are written, but not after an erasure`(
        isErased: Bool
    ) async throws {
        let time = ManualTime(at: DeviceBench.start)
        let (bench, one, two, device) = try await watched(by: time)
        if isErased {
            #expect(try await one.forget("tv"))
            #expect(try await one.with(device) { try await $0.checkAuthentication() } == .notAuthenticated)
        }
        time.advance(by: .seconds(601))
        try await eventually {
            await two.evict()
            return two.count == 0
        }
        try await two.with(device) { _ = try await $0.setSelectedProvider(nil) }
        #expect(try await bench.record(of: "tv").decisions.map(\.resource) == (isErased ? [] : ["news"]))
    }

    @Test(arguments: [0, 1])
    func `Only a registration that is forgotten at the origin of the sign-in ends the wait for it`(
        forgotten: Int
    ) async throws {
        var other = SimulatedWorld.sample
        other.requestors[0].mvpds = ["TempPass"]
        let bench = try FlowBench([other, .sample])
        let session = try bench.newSession(.television)
        try await session.setRequestor(FlowBench.requestor, at: bench.origins)
        let step = try await session.setSelectedProvider("SampleCable")
        #expect(try await session.selectedProvider()?.origin == "\(bench.origins[1])")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        let scope = RegistrationScope(
            origin: "\(bench.origins[forgotten])", application: bench.application.broker.application.name)
        let wasRegistered = try await bench.application.broker.records.change("device") { record -> Bool in
            guard let known = record.registrations[scope] else { return false }
            record.forget(known.credentials, for: scope)
            return true
        }
        #expect(wasRegistered)
        try bench.logIn(step, at: 1)
        let outcome = try await bench.flowing { await waiting.result }
        if forgotten == 1 {
            #expect(throws: EntitlementFlowError.superseded) { try outcome.get() }
        } else {
            #expect(try outcome.get().mvpd == "SampleCable")
        }
    }

    // MARK: Support

    private static var withBrowser: SessionOptions {
        var options = SessionOptions()
        options.hasUserAgent = true
        return options
    }

    private typealias Setting = (bench: DeviceBench, one: DeviceSessions, two: DeviceSessions, device: Device)

    /// Two servers, and a device whose user signs in at the second one: with a browser, so that no session asks at intervals.
    private func signedIn(by time: ManualTime = ManualTime(at: DeviceBench.start)) async throws -> Setting {
        let bench = try DeviceBench(time: time.source)
        let setting: Setting = (bench, try bench.server(), try bench.server(), try DeviceBench.device("tv"))
        try await setting.two.with(setting.device, options: Self.withBrowser) { session in
            let code = try #require(try await session.setSelectedProvider("SampleCable")?.code)
            try bench.simulator.logIn(code: code.text, as: "ok")
            let outcome = try await session.handleExternalURL("https://example.com/done")
            guard case .authenticated = outcome else { throw BenchFault.notSignedIn }
        }
        return setting
    }

    /// The same, and the user has begun to watch.
    private func watched(by time: ManualTime = ManualTime(at: DeviceBench.start)) async throws -> Setting {
        let setting = try await signedIn(by: time)
        let outcome = try await setting.two.with(setting.device) { try await $0.checkAuthorization("news") }
        #expect(outcome.playback != nil)
        return setting
    }
}

extension AuthorizationBench {
    /// Erases the device as soon as answers from a place have come.
    fileprivate func eraseDevice(afterAnswersOf place: String) {
        transport.onAnswer { [directory] path, answer in
            if path.contains(place) { _ = try? await directory.forget("device-key") }
            return answer
        }
    }
}
#endif
