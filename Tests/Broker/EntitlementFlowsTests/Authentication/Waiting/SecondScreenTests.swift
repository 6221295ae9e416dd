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

@Suite("A second screen")
struct SecondScreenTests {
    @Test func `A code without a provider is completed on the phone, and the television finds its user`() async throws {
        let bench = try FlowBench()
        let television = try await bench.session(.television, key: "television")
        let phone = try await bench.session(.tablet, key: "phone")
        guard case .showCode(let code) = try await television.requestCode() else {
            Issue.record("no code")
            return
        }
        #expect(code.missingParameters == [.mvpd] && code.url == nil)
        bench.forgetRequests()
        guard case .chooseProvider(let choice, let device) = try await phone.resume(code: code.code) else {
            Issue.record("no picker")
            return
        }
        #expect(choice.providers.count == 6 && device != nil)
        guard case .openUserAgent(let visit) = try await phone.resume(code: code.code, mvpd: "SampleCable") else {
            Issue.record("no visit")
            return
        }
        #expect(visit.code == code.code)
        #expect(bench.requests() == [.session, .configuration, .resumeSession])
        try bench.simulator.logIn(code: code.code.text, as: "ok")
        let signIn = try await bench.flowing { try await television.awaitAuthentication() }
        #expect(signIn.mvpd == "SampleCable")
        #expect(try await television.selectedProvider()?.id == "SampleCable")
        #expect(try await phone.checkAuthentication() == .notAuthenticated)
    }

    @Test func `A code whose session has a provider skips the picker`() async throws {
        let bench = try FlowBench()
        let television = try await bench.session(.television, key: "television")
        let phone = try await bench.session(.tablet, key: "phone")
        let code = try #require(try await television.setSelectedProvider("SampleCable")?.code)
        guard case .openUserAgent = try await phone.resume(code: code) else {
            Issue.record("no visit")
            return
        }
    }

    @Test func `A provider that needs no sign-in is done`() async throws {
        let bench = try FlowBench()
        let television = try await bench.session(.television, key: "television")
        let phone = try await bench.session(.tablet, key: "phone")
        guard case .showCode(let code) = try await television.requestCode() else {
            Issue.record("no code")
            return
        }
        #expect(try await phone.resume(code: code.code, mvpd: "TempPass") == .done(.temporary))
        let signIn = try await bench.flowing { try await television.awaitAuthentication() }
        #expect(signIn.mvpd == "TempPass" && signIn.reason == .temporary)
    }

    @Test(arguments: ["ABCDEFG", "not a code"])
    func `An unknown code has ended`(text: String) async throws {
        let bench = try FlowBench()
        let phone = try await bench.session(.tablet, key: "phone")
        let code = AuthenticationCode(text)
        await #expect(throws: EntitlementFlowError.codeEnded) { try await phone.resume(code: code) }
        await #expect(throws: EntitlementFlowError.codeEnded) {
            try await phone.resume(code: code, mvpd: "SampleCable")
        }
    }
}
#endif
