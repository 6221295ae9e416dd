#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TVETesting
import Testing

@Suite("The status of an authentication")
struct StatusTests {
    @Test func `Of several profiles the one that ends last counts, and temporary access after all others`() async throws
    {
        let bench = try await AuthorizationBench()
        let start = AuthorizationBench.start
        let profiles = [("Late", Int64(2), "regular"), ("Early", 1, "regular"), ("Trial", 3, "temporary")].map {
            name, hours, type in
            let times = #""notBefore":\#(start.milliseconds),"notAfter":\#((start + .hours(hours)).milliseconds)"#
            return #""\#(name)":{\#(times),"type":"\#(type)","attributes":{}}"#
        }
        let body = #"{"profiles":{\#(profiles.joined(separator: ","))}}"#
        bench.transport.onAnswer { path, answer in
            path.contains("/profiles") ? HTTPAnswer(answer.head, body: Array(body.utf8)) : answer
        }
        guard case .authenticated(let signIn) = try await bench.session.checkAuthentication() else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.mvpd == "Late" && signIn.until == start + .hours(2))
        #expect(try await bench.record().otherProfiles.keys.map(\.rawValue) == ["Early"])
    }

    @Test func `A record that has never asked asks once by itself, and then never`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        #expect(try await session.checkAuthentication(.localOnly) == .unknown)
        #expect(bench.simulator.journal.isEmpty)
        #expect(await log.names().isEmpty)
        #expect(try await session.checkAuthentication() == .notAuthenticated)
        #expect(bench.requests() == [.profiles])
        let told = ["not authenticated", "status N000 (Info)", "tracking of authentication"]
        #expect(await log.names() == told)
        #expect(try await session.checkAuthentication() == .notAuthenticated)
        #expect(bench.requests() == [.profiles])
        #expect(await log.names() == told)
    }

    @Test func `A profile is known until its end without the network`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let log = EventLog(of: session)
        let status = try await session.checkAuthentication()
        let end = FlowBench.start + .hours(30 * 24)
        #expect(status == .authenticated(SignIn(mvpd: "SampleCable", until: end)))
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
        bench.time.set(end)
        #expect(try await session.checkAuthentication() == .notAuthenticated)
        #expect(bench.requests().isEmpty)
    }

    @Test func `The broker's answer replaces the record's`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let generation = await session.state.permits.generation
        guard case .authenticated = try await session.checkAuthentication(.broker) else {
            Issue.record("not signed in")
            return
        }
        #expect(await session.state.permits.generation == generation)
        bench.simulator.expire(.profiles)
        #expect(try await session.checkAuthentication(.broker) == .notAuthenticated)
        #expect(await session.state.permits.generation == generation + 1)
        #expect(bench.requests() == [.profile, .profile])
    }

    @Test func `A sign-in that was known before does not end the wait for a code`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let phone = try await bench.session(key: "phone")
        try await bench.signIn(session)
        guard case .showCode(let shown) = try await session.requestCode() else {
            Issue.record("no code")
            return
        }
        let log = EventLog(of: session)
        #expect(try await session.checkAuthentication(.broker).isAuthenticated)
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
        try #require(await session.isWaiting)
        // The user takes another provider there.
        _ = try await phone.resume(code: shown.code, mvpd: "SampleSatellite")
        try bench.simulator.logIn(code: shown.code.text, as: "ok")
        let signIn = try await bench.flowing { try await session.awaitAuthentication() }
        #expect(signIn.mvpd == "SampleSatellite")
    }

    @Test func `A failed question is told, and the record stays unknown`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        bench.activate(.error(.invalidHeaderDeviceInfo), at: .profiles, times: 1)
        await #expect(throws: EntitlementFlowError.self) { try await session.checkAuthentication() }
        #expect(await log.names().first == "not authenticated")
        #expect(try await session.checkAuthentication(.localOnly) == .unknown)
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }

    @Test func `A returning subscriber's first play is one request, a play with a known profile another`() async throws
    {
        let bench = try FlowBench()
        try await bench.signIn(try await bench.session())
        let session = try await bench.session(of: bench.otherProcess)
        guard case .authenticated = try await session.getAuthentication() else {
            Issue.record("not signed in")
            return
        }
        for count in 1...2 {
            guard case .permitted = try await session.getAuthorization("news") else {
                Issue.record("not permitted")
                return
            }
            #expect(bench.simulator.journal.compactMap(\.endpoint) == Array(repeating: .authorize, count: count))
        }
    }

    @Test func `A return to the foreground that asks the broker, and the first play, are two requests`() async throws {
        let bench = try FlowBench()
        try await bench.signIn(try await bench.session())
        let session = try await bench.session(of: bench.otherProcess)
        #expect(try await session.synchronize().question == nil)
        _ = try await session.getAuthorization("news")
        #expect(bench.simulator.journal.compactMap(\.endpoint) == [.profile, .authorize])
    }

    @Test func `A session that was made with another identifier goes on with that of the record`() async throws {
        let bench = try FlowBench()
        try await bench.signIn(try await bench.session())
        let device = Device(
            key: "device", identifier: try DeviceIdentifier("another"), info: try DeviceInfo([.model: "Model"]))
        let session = EntitlementSession(of: device, for: bench.otherProcess)
        let log = EventLog(of: session)
        try await session.setRequestor(FlowBench.requestor)
        guard case .authenticated = try await session.checkAuthentication(.broker) else {
            Issue.record("not signed in")
            return
        }
        #expect(await log.names().first == "status SEC412 (Warning)")
        #expect(await session.device.identifier.text == "identifier of device")
    }

    @Test func `New options go on later calls, and another platform has a list of its own`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.getAuthentication()
        var options = SessionOptions()
        options.visitorIdentifier = try VisitorIdentifier("12345678901234567890123456789012345678")
        await session.setOptions(options, deviceInfo: try DeviceInfo([.model: "Phone", .osName: "Android"]))
        bench.forgetRequests()
        let sent = bench.transport.requests.count
        _ = try await session.getAuthentication()
        #expect(bench.requests() == [.configuration])
        _ = try await session.checkAuthentication(.broker)
        let last = try #require(bench.transport.requests.dropFirst(sent).last)
        #expect(last.headerFields.contains { $0.name.rawName == "AP-Visitor-Identifier" })
    }
}

#endif
