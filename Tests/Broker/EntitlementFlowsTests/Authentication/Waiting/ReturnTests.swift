#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TestVectors
import TVETesting
import Testing

@Suite("The browser's return")
struct ReturnTests {
    @Test func `A sign-in goes on with a provider's page that sends itself`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.simulator.activate(ActiveScenario("form", .form, endpoints: [.userAgent]))
        guard case .openUserAgent(let visit) = try await session.setSelectedProvider("SampleCable") else {
            Issue.record("no page")
            return
        }
        let origin = bench.origins[0]
        #expect(visit.url.hasPrefix("\(origin)/"))
        let path = String(visit.url.dropFirst("\(origin)".count))
        let page = HTTPRequest(method: .get, scheme: "https", authority: origin.authority, path: path)
        #expect(await bench.simulator.respond(to: page, body: []).0.status == .ok)
        guard case .authenticated = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
    }

    @Test func `The profile is the verdict, at once`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try bench.logIn(try await session.setSelectedProvider("SampleCable"))
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        bench.forgetRequests()
        let log = EventLog(of: session)
        let outcome = try await session.handleExternalURL(FlowBench.redirect + "?status=failed#x")
        guard case .authenticated(let signIn) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(signIn.mvpd == "SampleCable" && signIn.until == FlowBench.start + .hours(30 * 24))
        #expect(try await waiting.value == signIn)
        #expect(bench.requests() == [.profileByCode])
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
        // Once more: nothing is asked, and nothing told.
        guard case .authenticated = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        #expect(bench.requests() == [.profileByCode])
        #expect(await log.names().isEmpty)
    }

    @Test func `Nothing is asked before the browser comes back, only the record is looked at`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        bench.forgetRequests()
        let waiting = Task { try await session.awaitAuthentication() }
        try await bench.pass(20, with: 1)
        #expect(bench.requests().isEmpty)
        // The browser comes back to another process.
        try bench.logIn(step)
        let other = try await bench.session(of: bench.otherProcess)
        guard case .authenticated = try await other.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        #expect(try await bench.flowing { try await waiting.value }.mvpd == "SampleCable")
        #expect(bench.requests() == [.profileByCode])
    }

    @Test func `If no task waits anymore, nothing is looked at`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { bench.time.rests(with: 1) }
        waiting.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await waiting.value }
        try await eventually { bench.time.sleepers == 0 }
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode != nil)
    }

    @Test func `A user who cancelled at the provider is asked for until the code ends`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        bench.forgetRequests()
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .waiting)
        try await bench.pass(10, with: 1)
        #expect(bench.requests() == [.profileByCode, .profileByCode, .profileByCode])
        let waiting = Task { try await session.awaitAuthentication() }
        try bench.logIn(step)
        #expect(try await bench.flowing { try await waiting.value }.mvpd == "SampleCable")
    }

    @Test func `A broker that cannot be asked is told at once, and the session goes on asking`() async throws {
        var settings = FlowBench.patientSettings
        settings.maximumRepeatsAfterFailures = 0
        let bench = try FlowBench(settings: settings)
        let session = try await bench.session()
        guard case .needsAuthentication(_, let request) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        try bench.logIn(try await session.setSelectedProvider("SampleCable"))
        bench.activate(.status(503), at: .profileByCode, times: 1)
        let log = EventLog(of: session)
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .waiting)
        let told = await log.next()
        guard case .authenticationStatus(.unconfirmed)? = told.first else {
            Issue.record("not told")
            return
        }
        #expect(
            told.map(\.description) == ["not authenticated", "status N500 (Error)", "tracking of authentication"])
        // What waits for the sign-in goes on waiting.
        #expect(await session.state.pending === request)
        #expect(try await bench.flowing { try await session.awaitAuthentication() }.mvpd == "SampleCable")
        #expect(try await request.outcome().playback != nil)
    }

    @Test func `A cancelled return ends nothing for the tasks that wait`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        bench.forgetRequests()
        bench.activate(.network(.delay(.seconds(5))), at: .profileByCode, times: 1)
        let returned = Task { try await session.handleExternalURL(FlowBench.redirect) }
        try await eventually { bench.requests() == [.profileByCode] }
        returned.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await returned.value }
        try bench.logIn(step)
        #expect(try await bench.flowing { try await waiting.value }.mvpd == "SampleCable")
    }

    @Test func `A return after the code's end says so`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.setSelectedProvider("SampleCable")
        bench.time.advance(by: .minutes(30))
        bench.forgetRequests()
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.codeEnded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        #expect(bench.requests().isEmpty)
        #expect(await log.names().first == "not authenticated")
        await #expect(throws: EntitlementFlowError.self) { try await session.awaitAuthentication() }
    }

    @Test(arguments: [
        ("https://app.example.com/done", true), ("HTTPS://APP.Example.com/done", true),
        ("https://app.example.com/done?code=1", true), ("https://app.example.com/done#end", true),
        ("https://app.example.com/Done", false), ("https://app.example.com/done/", false),
        ("https://app.example.com:8443/done", false), ("https://app.example.com.evil.example/done", false),
        ("https://evil.example/?https://app.example.com/done", false), ("http://app.example.com/done", false),
        ("app.example.com/done", false), ("", false), ("://", false), ("https://app.example.com", false),
    ])
    func `Scheme, host and path are compared, and nothing else`(url: String, isOurs: Bool) {
        #expect((ReturnAddress(url) == ReturnAddress(FlowBench.redirect)) == isOurs)
    }

    @Test func `The constant of older applications, and a host with or without a slash`() {
        #expect(ReturnAddress("adobepass://ios.app") == ReturnAddress("adobepass://ios.app/"))
        #expect(ReturnAddress("adobepass://ios.app") == ReturnAddress("adobepass://ios.app?x=1"))
        #expect(ReturnAddress("adobepass://ios.app") != ReturnAddress("adobepass://ios.apple"))
    }

    @Test func `Each sign-in may come back to an address of its own`() async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.redirect = "https://app.example.com/v1/return/one"
        let session = try await bench.session(options: options)
        let step = try await session.setSelectedProvider("SampleCable")
        let code = try #require(step?.code)
        #expect(try bench.simulator.logIn(code: code.text, as: "ok") == options.redirect)
        bench.forgetRequests()
        for other in [FlowBench.redirect, "https://app.example.com/v1/return/two"] {
            #expect(try await session.handleExternalURL(other) == .otherAddress)
        }
        #expect(bench.requests().isEmpty)
        guard case .authenticated = try await session.handleExternalURL("https://app.example.com/v1/return/one") else {
            Issue.record("not signed in")
            return
        }
        #expect(bench.requests() == [.profileByCode])
        // The browser that ends the provider's session comes back there, too.
        let steps = try await session.logout().steps
        guard case .openUserAgent(let visit)? = steps.first else {
            Issue.record("no visit of the logout page")
            return
        }
        #expect(visit.url.hasSuffix("redirectUrl=https%3A%2F%2Fapp.example.com%2Fv1%2Freturn%2Fone"))
        #expect(try await session.handleExternalURL("https://app.example.com/v1/return/one") == .signedOut)
    }

    @Test func `A second screen sends its browser back to the address of the device's sign-in`() async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.redirect = "https://app.example.com/v1/return/tv"
        let television = try await bench.session(.television, options: options)
        guard case .showCode(let shown) = try await television.requestCode() else {
            Issue.record("no code")
            return
        }
        guard case .openUserAgent = try await television.resume(code: shown.code, mvpd: "SampleCable") else {
            Issue.record("no login")
            return
        }
        #expect(try bench.simulator.logIn(code: shown.code.text, as: "ok") == options.redirect)
    }

    @Test func `A logout's return is told once`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        try await session.logout()
        let log = EventLog(of: session)
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .signedOut)
        #expect(await log.names() == ["not authenticated"])
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .nothingAwaited)
        #expect(await log.names().isEmpty)
    }
}
#endif
