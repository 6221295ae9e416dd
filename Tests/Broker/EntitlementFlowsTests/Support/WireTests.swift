#if Client
import BrokerBench
import BrokerClient
import BrokerSimulation
import EntitlementValues
import Foundation
import HTTPTypes
import TestVectors
import TVETesting
import Testing

/// Faults of the network are the same over both wires, so that one suite holds over both.
@Suite("The wires of the benches")
struct WireTests {
    private static let time = ManualTime(at: FlowBench.start)

    private let simulator: BrokerSimulator

    init() throws { simulator = try BrokerSimulator(keys: try AuthorizationBench.keys.get(), time: Self.time.source) }

    private func registration() -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "https", authority: "broker.example", path: "/o/client/register")
    }

    @Test(arguments: Wire.allCases)
    func `An answer comes as the simulator gave it`(wire: Wire) async throws {
        let transport = wire.transport(to: simulator, time: Self.time.source)
        let answer = try await transport.send(registration(), body: [], within: .seconds(60))
        #expect(answer.head.status.code == 400)
        #expect(answer.head.headerFields[try #require(HTTPField.Name("X-Simulated"))] == "true")
        #expect(String(decoding: answer.body, as: UTF8.self).contains("invalid_request"))
        #expect(simulator.journal.map(\.endpoint) == [.register])
        #expect(!transport.isCarrying)
    }

    @Test(
        arguments: Wire.allCases,
        [
            (.dropRequest, .connecting, false), (.dropAnswer, .reset, true), (.resetAfterHead, .reset, true),
        ] as [(NetworkFault, TransportFailure.Reason, Bool)])
    func `A fault is carried out once`(
        wire: Wire,
        fault: (NetworkFault, reason: TransportFailure.Reason, mayHaveBeenSent: Bool)
    ) async throws {
        let transport = wire.transport(to: simulator, time: Self.time.source)
        simulator.activate(ActiveScenario("fault", .network(fault.0), endpoints: [.register], remaining: 1))
        let failure = await #expect(throws: TransportFailure.self) {
            try await transport.send(registration(), body: [], within: .seconds(60))
        }
        #expect(failure?.reason == fault.reason && failure?.mayHaveBeenSent == fault.mayHaveBeenSent)
        #expect(try await transport.send(registration(), body: [], within: .seconds(60)).head.status.code == 400)
        #expect(simulator.journal.count == 2)
    }

    @Test(arguments: Wire.allCases)
    func `An answer that is held back waits for the time of the bench, or for a cancellation`(wire: Wire) async throws {
        let time = ManualTime(at: FlowBench.start)
        let transport = wire.transport(to: simulator, time: time.source)
        simulator.activate(ActiveScenario("late", .network(.delay(.seconds(5))), endpoints: [.register]))
        let late = Task { try await transport.send(registration(), body: [], within: .seconds(60)) }
        try await eventually { time.sleepers == 1 }
        #expect(!transport.isCarrying)
        time.advance(by: .seconds(5))
        #expect(try await late.value.head.status.code == 400)
        let cancelled = Task { try await transport.send(registration(), body: [], within: .seconds(60)) }
        try await eventually { time.sleepers == 1 }
        cancelled.cancel()
        let failure = await #expect(throws: TransportFailure.self) { try await cancelled.value }
        #expect(failure?.reason == .cancelled)
        try await eventually { time.sleepers == 0 }
    }

    @Test func `The benches take the wire of the environment`() async throws {
        let transport = Wire.current.transport(to: simulator, time: Self.time.source)
        let isSocket = ProcessInfo.processInfo.environment["TVE_WIRE"] == "socket"
        #expect((transport is SocketTransport) == isSocket)
    }
}
#endif
