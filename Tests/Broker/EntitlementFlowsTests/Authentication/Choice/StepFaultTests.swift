#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing
import TestVectors

@Suite("Faults at each step of a sign-in")
struct StepFaultTests {
    /// A step of a sign-in, by the endpoint that it calls.
    private static let steps: [BrokerEndpoint] = [.register, .token, .profiles, .configuration, .startSession]
    private static let faults: [Scenario] = [
        .network(.dropRequest), .network(.dropAnswer), .network(.resetAfterHead), .status(503),
        .throttled(retryAfter: nil), .throttled(retryAfter: 2), .malformed(.truncated), .malformed(.empty),
        .error(.internalServerError),
    ]

    private static func goThrough(_ session: EntitlementSession) async throws -> AuthenticationStep? {
        _ = try await session.getAuthentication()
        return try await session.setSelectedProvider("SampleCable")
    }

    @Test(arguments: steps, faults)
    func `A step that fails says why, leaves nothing behind, and can be taken again`(
        endpoint: BrokerEndpoint,
        fault: Scenario
    ) async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(fault, at: endpoint)
        let failure = await #expect(throws: EntitlementFlowError.self) {
            try await bench.flowing { _ = try await Self.goThrough(session) }
        }
        switch failure {
        case .broker(_)?: break
        case .noOrigin(let failures)?: #expect(failures.count == 1)
        default: Issue.record("\(String(describing: failure))")
        }
        #expect(!session.queue.isBusy)
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode == nil)
        try bench.simulator.deactivate(scenario: endpoint.rawValue)
        let step = try await bench.flowing { try await Self.goThrough(session) }
        guard case .openUserAgent? = step else {
            Issue.record("no visit")
            return
        }
    }

    @Test(arguments: [BrokerEndpoint.profiles, .configuration], [Scenario.network(.dropAnswer), .status(503)])
    func `A question that fails twice is answered the third time`(
        endpoint: BrokerEndpoint, fault: Scenario
    ) async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(fault, at: endpoint, times: 2)
        let step = try await bench.flowing { try await session.getAuthentication() }
        guard case .chooseProvider = step else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `A session that may have been started is not started twice`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(.network(.dropAnswer), at: .startSession, times: 1)
        await #expect(throws: EntitlementFlowError.self) { try await session.setSelectedProvider("SampleCable") }
        #expect(bench.requests() == [.startSession])
    }

    @Test func `A cancelled call ends at once, and the next one has its turn`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(.network(.delay(.seconds(5))), at: .profiles, times: 1)
        let asking = Task { try await session.getAuthentication() }
        try await eventually { bench.requests() == [.profiles] }
        let next = Task { try await session.checkAuthentication(.localOnly) }
        try await eventually { session.queue.waitingCount == 1 }
        asking.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await asking.value }
        #expect(try await next.value == .unknown)
    }
}
#endif
