#if Client
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TVETesting
import Testing

/// The flows do what the operator's checklist asks of applications.
@Suite struct AcceptanceTests {
    /// Opens an address of the broker, as a browser does.
    private func browse(_ url: String, at bench: FlowBench) async {
        let path = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last?.drop { $0 != "/" }
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "broker0.example", path: path.map(String.init))
        _ = await bench.simulator.respond(to: request, body: [])
    }

    /// From the list of providers to the logout, on one screen.
    private func watch(_ session: EntitlementSession, at bench: FlowBench) async throws {
        let list = ["news", "sports", MagicResource.denied.resource]
        let shown = try await session.preauthorize(list)
        #expect(shown.permitted == ["news", "sports"])
        // The list is shown again within a minute, and the denied resource is tried again at once.
        for _ in 0..<2 {
            bench.time.advance(by: .seconds(20))
            let again = try await session.preauthorize(list)
            #expect(again.permitted == shown.permitted && again.answers.last == shown.answers.last)
        }
        bench.time.advance(by: .seconds(30))
        guard case .permitted = try await session.getAuthorization("news") else {
            Issue.record("no permit")
            return
        }
        bench.time.advance(by: .seconds(30))
        for _ in 0..<2 {
            guard case .denied = try await session.getAuthorization(MagicResource.denied.resource) else {
                Issue.record("no denial")
                return
            }
            bench.time.advance(by: .seconds(5))
        }
        bench.time.advance(by: .seconds(30))
        let calls = bench.simulator.journal.compactMap(\.endpoint)
        #expect(calls.count { $0 == .preauthorize } == 1 && calls.count { $0 == .authorize } == 2)
    }

    private func logOut(_ session: EntitlementSession, at bench: FlowBench) async throws {
        for step in try await session.logout().steps {
            guard case .openUserAgent(let visit) = step else { continue }
            await browse(visit.url, at: bench)
            _ = try await session.handleExternalURL(FlowBench.redirect)
        }
    }

    @Test func `A sign-in on one screen, plays and a logout fail no mandatory item`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .chooseProvider = try await session.getAuthentication() else {
            Issue.record("no list of providers")
            return
        }
        bench.time.advance(by: .seconds(8))
        guard case .openUserAgent(let visit)? = try await session.setSelectedProvider("SampleCable") else {
            Issue.record("no visit")
            return
        }
        await browse(visit.url, at: bench)
        bench.time.advance(by: .seconds(20))
        let outcome = try await session.handleExternalURL(FlowBench.redirect)
        guard case .authenticated = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try await watch(session, at: bench)
        bench.time.advance(by: .seconds(600))
        _ = try await session.checkAuthentication()
        try await logOut(session, at: bench)
        let report = bench.simulator.acceptanceReport
        #expect(report.failed == [], "\(report.text)")
        for item in ["P2", "Z2"] { #expect(report.text.contains("pass            \(item)"), "\(report.text)") }
    }

    @Test func `A sign-in on a second screen fails no mandatory item`() async throws {
        let bench = try FlowBench()
        let television = try await bench.session(.television, key: "television")
        let phone = try await bench.session(.tablet, key: "phone")
        guard case .showCode(let code) = try await television.requestCode() else {
            Issue.record("no code")
            return
        }
        _ = try await phone.resume(code: code.code)
        guard case .openUserAgent(let visit) = try await phone.resume(code: code.code, mvpd: "SampleCable") else {
            Issue.record("no visit")
            return
        }
        await browse(visit.url, at: bench)
        let signIn = try await bench.flowing { try await television.awaitAuthentication() }
        #expect(signIn.mvpd == "SampleCable")
        try await watch(television, at: bench)
        try await logOut(television, at: bench)
        let report = bench.simulator.acceptanceReport
        #expect(report.failed == [], "\(report.text)")
        for item in ["P2", "Z2"] { #expect(report.text.contains("pass            \(item)"), "\(report.text)") }
    }
}
#endif
