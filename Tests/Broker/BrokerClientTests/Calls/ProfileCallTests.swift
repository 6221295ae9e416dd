#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing

/// How a user who is not signed in shows, whichever way the broker says it.
@Suite struct ProfileCallTests {
    static let missing: [(body: String, status: Int)] =
        [(Bodies.noProfiles, 200)]
        + ["authenticated_profile_missing", "authenticated_profile_expired", "authenticated_profile_invalidated"]
        .flatMap { [(Bodies.error($0, status: 403), 403), (#"{"error": \#(Bodies.error($0, status: 403))}"#, 404)] }

    static func profiles(_ endpoint: BrokerEndpoint, of test: TestBroker) async throws -> ProfilesResponse {
        switch endpoint {
        case .profiles: try await test.caller.profiles(requestor: "REF30")
        case .profile: try await test.caller.profile(mvpd: "TestMVPD", requestor: "REF30")
        default:
            try await test.caller.profile(code: EndpointCall.code, requestor: "REF30", priority: .foreground)
        }
    }

    @Test(arguments: [BrokerEndpoint.profiles, .profile, .profileByCode], missing)
    func `No profile is an empty answer`(endpoint: BrokerEndpoint, answer: (body: String, status: Int)) async throws {
        let test = try TestBroker(BrokerRecorder(answering: answer.body, status: answer.status))
        #expect(try await Self.profiles(endpoint, of: test).profiles.isEmpty)
    }

    @Test(arguments: [BrokerEndpoint.profiles, .profile, .profileByCode])
    func `A profile is read`(endpoint: BrokerEndpoint) async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.profiles))
        let profile = try #require(try await Self.profiles(endpoint, of: test).profiles.first)
        #expect(profile.mvpd == "TestMVPD")
        #expect(profile.type == .regular)
        #expect(profile.notAfter.milliseconds == 1_771_072_200_000)
    }

    @Test(arguments: [BrokerEndpoint.profiles, .profile, .profileByCode])
    func `A profile that cannot be read is neither signed in nor signed out`(endpoint: BrokerEndpoint) async throws {
        let body = Bodies.profiles.replacing("1768480200000", with: "1768480200000.0")
        let test = try TestBroker(BrokerRecorder(answering: body))
        let error = await #expect(throws: BrokerError.self) { try await Self.profiles(endpoint, of: test) }
        guard case .unreadable(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == 200)
        #expect(answer.place?.pointer == "/profiles/TestMVPD/notBefore")
    }

    @Test func `Profiles that can be read do not go with one that cannot`() async throws {
        let broken = #""Broken": {"notBefore": 1.5, "notAfter": 1771072200000, "attributes": {}}"#
        let body = Bodies.profiles.replacing(#"{"profiles": {"#, with: #"{"profiles": {\#(broken), "#)
        let test = try TestBroker(BrokerRecorder(answering: body))
        let all = try await test.caller.profiles(requestor: "REF30")
        #expect(all.profiles.map(\.mvpd) == ["TestMVPD"])
        #expect(all.faults.count == 1)
        #expect(
            try await test.caller.profile(mvpd: "TestMVPD", requestor: "REF30").profiles.map(\.mvpd)
                == ["TestMVPD"])
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.profile(mvpd: "Broken", requestor: "REF30")
        }
        #expect(error?.code == "unreadable_answer")
    }

    @Test func `The profile of another provider is not that of the one asked for`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.profiles))
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.profile(mvpd: "OtherMVPD", requestor: "REF30")
        }
        guard case .unreadable(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.fault?.code == "other_than_asked")
        #expect(
            try await test.caller.profile(mvpd: "testmvpd", requestor: "REF30").profiles.map(\.mvpd)
                == ["TestMVPD"])
    }

    @Test(arguments: [
        "temporary_access_duration_limit_exceeded", "temporary_access_resources_limit_exceeded",
        "invalid_authentication_session",
    ])
    func `Temporary access that is used up, and a code that has ended, are errors`(code: String) async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.error(code, status: 403), status: 403))
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.profile(mvpd: "TestMVPD", requestor: "REF30")
        }
        guard case .refused(let refusal, 403) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code?.rawValue == code)
    }

    @Test func `A poll is skipped when it would have to wait, and a question of the user's is not`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        let poll = { () async throws(BrokerError) in
            _ = try await test.caller.profile(code: EndpointCall.code, requestor: "REF30", priority: .polling)
        }
        _ = try await test.caller.profiles(requestor: "REF30")
        try await test.time.sleep(untilUptime: test.time.uptime + .seconds(4))
        try await poll()
        let error = await #expect(throws: BrokerError.self) { try await poll() }
        #expect(error?.code == "poll_skipped")
        #expect(test.recorder.calls.count == 2)
        _ = try await test.caller.profile(code: EndpointCall.code, requestor: "REF30")
        #expect(test.recorder.calls.count == 3)
    }
}
#endif
