#if Client
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

@Suite("Authorization while the broker or the network fails")
struct FaultTests {
    /// A failure that lasts, how often the call is made then, and the status that tells it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let scenario: Scenario
        let calls: Int
        let status: String

        var testDescription: String { scenario.name }
    }

    static let faults = [
        Fault(scenario: .network(.dropRequest), calls: 3, status: "CFG404"),
        Fault(scenario: .network(.dropAnswer), calls: 3, status: "Z120"),
        Fault(scenario: .network(.resetAfterHead), calls: 3, status: "Z120"),
        Fault(scenario: .status(503), calls: 3, status: "Z500"),
        // The call, a new access token, and the call with it: a page says nothing of the registration.
        Fault(scenario: .status(401), calls: 3, status: "Z500"),
        Fault(scenario: .error(.internalServerError), calls: 3, status: "Z500"),
        Fault(scenario: .throttled(retryAfter: nil), calls: 4, status: "Z100"),
        Fault(scenario: .malformed(.truncated), calls: 1, status: "Z500"),
        Fault(scenario: .malformed(.empty), calls: 1, status: "Z500"),
        Fault(scenario: .malformed(.missingComma), calls: 1, status: "Z500"),
    ]

    @Test(arguments: faults)
    func `A failure that lasts is an error, and leaves the sign-in`(fault: Fault) async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        bench.activate(fault.scenario, at: .authorize)
        let log = EventLog(of: bench.session)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(error?.isBroker == true)
        #expect(bench.requests.count == fault.calls)
        let events = await log.next()
        #expect(
            events.map(\.description) == [
                "authenticated", "not permitted", "status \(fault.status) (Error)", "tracking of authorization",
            ])
        // The tracking has the error of the callback, whose other arguments are a resource and an empty text.
        let named = try #require(events.tracking?.refusal)
        let callback = try #require(events[1].callbacks().first)
        #expect(callback.arguments == ["news", .string(named), ""])
        #expect(try await bench.record().profile != nil)
    }

    @Test(arguments: [
        Scenario.network(.dropRequest), .network(.dropAnswer), .network(.resetAfterHead), .status(503),
        .throttled(retryAfter: 1), .error(.internalServerError), .decision(.networkConnectionTimeout),
    ])
    func `A failure that passes is repeated`(scenario: Scenario) async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        bench.activate(scenario, at: .authorize, times: 1)
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [.authorize, .authorize])
    }

    @Test func `An access token that has ended is renewed`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        bench.simulator.expire(.accessTokens)
        bench.advance(by: .seconds(1))
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [.authorize, .token, .authorize])
    }

    @Test func `A registration that was revoked is the application's decision`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        try bench.simulator.revoke(statement: SimulatedWorld.sample.requestors[0].statements[0].id)
        let log = EventLog(of: bench.session)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.checkAuthorization("news")
        }
        guard case .broker(.registration(let refusal))? = error else {
            Issue.record("not a refusal of the registration")
            return
        }
        #expect(refusal.decision == .registerAnew)
        #expect(await log.next().statuses == ["R401"])
        #expect(try await bench.record().profile != nil)
    }

    @Test func `A profile that has ended at the broker alone`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        bench.simulator.expire(.profiles)
        #expect(
            try await bench.session.checkAuthorization("news").denial?.error?.code == .authenticatedProfileExpired)
        #expect(try await bench.record().profile == nil)
    }
}
#endif
