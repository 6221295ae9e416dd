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

@Suite("Questions that sessions of an application share")
struct SharedQuestionTests {
    private static let count = 20

    /// Sessions of as many devices, of which the broker knows that no user is signed in.
    private static func sessions(of bench: FlowBench, _ count: Int = count) async throws -> [EntitlementSession] {
        var sessions: [EntitlementSession] = []
        for number in 0..<count {
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("10.0.0.\(number + 1)")
            let session = try await bench.session(key: DeviceKey("device \(number)"), options: options)
            _ = try await session.checkAuthentication()
            sessions.append(session)
        }
        bench.forgetRequests()
        return sessions
    }

    /// Lets all sessions show the picker at once, and waits until all of them wait for the list.
    private static func pickers(
        of sessions: [EntitlementSession],
        _ bench: FlowBench
    ) async throws -> [Task<AuthenticationStep, any Error>] {
        let tasks = sessions.map { session in Task { try await session.getAuthentication() } }
        let shared = bench.application.shared
        try await eventually { shared.askerCount == sessions.count && !bench.requests().isEmpty }
        return tasks
    }

    @Test func `A list that many want at once is asked for once`() async throws {
        let bench = try FlowBench()
        let sessions = try await Self.sessions(of: bench)
        bench.activate(.network(.delay(.seconds(2))), at: .configuration)
        let tasks = try await Self.pickers(of: sessions, bench)
        try await bench.flowing {
            for task in tasks {
                guard case .chooseProvider(let choice) = try await task.value else {
                    Issue.record("no picker")
                    return
                }
                #expect(choice.providers.count == 6)
            }
        }
        #expect(bench.requests() == [.configuration])
        #expect(bench.application.shared.askerCount == 0)
    }

    @Test func `Another platform has a list of its own`() async throws {
        let bench = try FlowBench()
        let (tablet, television) = (
            try await bench.session(key: "tablet"), try await bench.session(.television, key: "television")
        )
        for session in [tablet, television] { _ = try await session.checkAuthentication() }
        bench.forgetRequests()
        bench.activate(.network(.delay(.seconds(2))), at: .configuration)
        let tasks = [tablet, television].map { session in Task { try await session.getAuthentication() } }
        try await eventually { bench.requests().count == 2 }
        try await bench.flowing { for task in tasks { _ = try await task.value } }
        #expect(bench.requests() == [.configuration, .configuration])
    }

    @Test func `The session that asks may be cancelled: the others get the list all the same`() async throws {
        let bench = try FlowBench()
        let sessions = try await Self.sessions(of: bench, 3)
        bench.activate(.network(.delay(.seconds(2))), at: .configuration)
        let tasks = try await Self.pickers(of: sessions, bench)
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            await #expect(throws: EntitlementFlowError.cancelled) { try await task.value }
        }
        guard case .chooseProvider = try await bench.flowing({ try await tasks[2].value }) else {
            Issue.record("no picker")
            return
        }
        #expect(bench.requests() == [.configuration])
    }

    @Test func `A failure of the broker is that of all`() async throws {
        let bench = try FlowBench()
        let sessions = try await Self.sessions(of: bench, 5)
        bench.simulator.activate(
            ActiveScenario("slow", .network(.delay(.seconds(2))), endpoints: [.configuration], remaining: 1))
        let tasks = try await Self.pickers(of: sessions, bench)
        bench.activate(.status(503), at: .configuration)
        // The first answer still is a list; whoever comes after it asks anew.
        try await bench.flowing { for task in tasks { _ = try await task.value } }
        bench.time.advance(by: .minutes(3))
        bench.forgetRequests()
        // As long as time stands, the question is not asked again, so that all come while it is open.
        let failing = try await Self.pickers(of: sessions, bench)
        try await bench.flowing {
            for task in failing { await #expect(throws: EntitlementFlowError.self) { try await task.value } }
        }
        // One question for all, which is asked three times.
        #expect(bench.requests() == [.configuration, .configuration, .configuration])
    }

    @Test func `A failure of one device is not that of the others`() async throws {
        let bench = try FlowBench()
        let sessions = try await Self.sessions(of: bench, 3)
        // The broker refuses the device that asks, not the others.
        bench.simulator.activate(
            ActiveScenario("slow", .network(.delay(.seconds(2))), endpoints: [.configuration], remaining: 1))
        let refused = Task { try await sessions[0].getAuthentication() }
        try await eventually { bench.requests() == [.configuration] }
        let others = sessions.dropFirst().map { session in Task { try await session.getAuthentication() } }
        try await eventually { bench.application.shared.askerCount == 3 }
        bench.transport.onAnswer { path, answer in
            guard path.contains("/configuration") else { return answer }
            bench.transport.onAnswer(nil)
            return HTTPAnswer(
                .init(status: .badRequest, headerFields: [.contentType: "application/json"]),
                body: Array(#"{"status":400,"code":"invalid_header_device_info","action":"none"}"#.utf8))
        }
        await #expect(throws: EntitlementFlowError.self) { try await bench.flowing { try await refused.value } }
        for task in others {
            guard case .chooseProvider = try await bench.flowing({ try await task.value }) else {
                Issue.record("no picker")
                return
            }
        }
        #expect(bench.requests().allSatisfy { $0 == .configuration } && (2...3).contains(bench.requests().count))
    }
}
#endif
