#if Client
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

@Suite("The profile of the user")
struct ProfileTests {
    @Test func `A profile that is known is not asked for`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let profile = try #require(try await bench.session.profile())
        #expect(profile.mvpd == "SampleCable")
        #expect(profile.attributes["zip"] != nil)
        #expect(try await bench.session.profile(.localOnly)?.notAfter == profile.notAfter)
        #expect(bench.requests == [])
    }

    @Test func `One of which only the existence is known is asked for once`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker()
        try await bench.choose("SampleCable")
        try await bench.change { $0.adopt(ProfileHint(ofUnknownEnd: "SampleCable"), askedAt: AuthorizationBench.start) }
        bench.forgetRequests()
        #expect(try await bench.session.profile(.localOnly) == nil)
        #expect(bench.requests == [])
        #expect(try await bench.session.profile()?.mvpd == "SampleCable")
        #expect(try await bench.session.profile()?.mvpd == "SampleCable")
        #expect(bench.requests == [.profile])
    }

    @Test func `A user who is not signed in has none, without a call`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        #expect(try await bench.session.profile() == nil)
        #expect(bench.requests == [])
    }

    @Test func `A profile that has ended is none`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.advance(by: .seconds(31 * 24 * 3600))
        #expect(try await bench.session.profile() == nil)
        #expect(try await bench.session.profile(.localOnly) == nil)
        #expect(bench.requests == [])
    }

    @Test func `A profile that cannot be read signs nobody out`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let recorder = bench.session.recordEvents()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/profiles/") else { return answer }
            let body = #"{"profiles": {"SampleCable": {"notBefore": 1.5, "notAfter": 2.5, "attributes": {}}}}"#
            return HTTPAnswer(answer.head, body: Array(body.utf8))
        }
        let error = await #expect(throws: EntitlementFlowError.self) { try await bench.session.profile(.broker) }
        guard case .broker(.unreadable)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await bench.record().profile != nil)
        #expect(!recorder.take().map(\.description).contains("not authenticated"))
    }

    @Test func `Asked anew, the broker's word counts, and a change is told`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let recorder = bench.session.recordEvents()
        #expect(try await bench.session.profile(.broker) != nil)
        #expect(recorder.take().isEmpty)
        bench.simulator.expire(.profiles)
        #expect(try await bench.session.profile() != nil)
        #expect(try await bench.session.profile(.broker) == nil)
        #expect(recorder.take().map(\.description) == ["not authenticated", "tracking of authentication"])
        #expect(try await bench.session.profile() == nil)
        #expect(bench.requests == [.profile, .profile])
    }
}
#endif
