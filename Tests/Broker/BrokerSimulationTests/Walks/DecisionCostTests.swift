#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementKeys
import HTTPTypes
import HostSystem
import OpenSSLBridge
import Testing
import TestVectors

/// What a simulated decision costs: nearly all of it is the media token's signature.
///
/// Processor times differ on a busy machine, also in relation to each other.
@Suite(.serialized, .enabled(if: DeepRun.isAsked, "set TVE_DEEP on a quiet machine"))
struct DecisionCostTests {
    private static let rounds = 15
    private static let calls = 40

    /// It should be at most twice.
    @Test func `How many times the processor time of a signature a decision takes`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.signIn()
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1",
            path: "/api/v2/REF30/decisions/authorize/SampleCable")
        for (name, value) in device.fields() {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let body = Array(#"{"resources":["live"]}"#.utf8)
        let key = simulation.simulator.keys.media
        let digest = try Digest.sha256.hash(body)
        #expect(simulation.simulator.answer(to: request, body: body).head.status == .ok)
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let signing = try Self.nanoseconds { _ = try key.sign(digest: digest, algorithm: .sha256) }
            let deciding = try Self.nanoseconds { _ = simulation.simulator.answer(to: request, body: body) }
            ratios.append(deciding / signing)
        }
        DeepRun.note("a simulated decision ÷ an RSA-2048 signature", ratios.sorted()[Self.rounds / 2], "times")
    }

    /// The processor time of this thread for some calls; nothing in between waits.
    private static func nanoseconds(_ call: () throws -> Void) throws -> Double {
        let start = SystemClock.threadProcessorNanoseconds
        for _ in 0..<calls { try call() }
        return Double(SystemClock.threadProcessorNanoseconds - start)
    }
}
#endif
