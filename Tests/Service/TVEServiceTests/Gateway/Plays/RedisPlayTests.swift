#if Service && Redis
import BrokerSimulation
import EntitlementValues
import Foundation
import TestServers
import Testing

/// Used tokens are remembered by a server, which several replicas share, and which may be away.
@Suite(
    "Plays with Redis",
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct RedisPlayTests {
    @Test(arguments: [SIGSTOP, SIGKILL])
    func `A server that is away lets nothing be played, and is used again once it is back`(signal: Int32) async throws {
        let server = try RedisServer()
        try await GatewayBench.spread(RunningService.settings(of: server)) { bench in
            let token = try await bench.signedIn()
            let first = try await bench.play(token: token)
            #expect(first.code == "playing", "\(first.text)")
            let pair = try #require(first["Set-Cookie"]?.split(separator: ";").first)
            server.kill(signal)
            let answer = try await bench.play("Other", token: token)
            #expect(answer.status == 503, "\(answer.text)")
            #expect(answer.code == "redemption_unknown")
            #expect(answer.object["action"] as? String == "retry")
            #expect(answer["Retry-After"] == "5")
            #expect(answer.object["session"] == nil)
            // A session that was started needs no store.
            let passed = try await bench.service.authorize(["Cookie: \(pair)"], uri: "/live/TestChannel/1.ts")
            #expect(passed.status == 200)
            if signal == SIGSTOP { server.kill(SIGCONT) } else { try server.start() }
            try await bench.service.until { _ in try await bench.play("Other", token: token).code == "playing" }
        }
    }

    @Test func `Of two replicas that got the same token, one plays`() async throws {
        let server = try RedisServer()
        try await GatewayBench.withReplicas(RunningService.settings(of: server)) { replicas in
            let token = try await replicas.first.signedIn()
            replicas.first.simulator.freezeClock()
            async let one = replicas.first.play(token: token)
            async let other = replicas.second.play(token: token)
            let codes = try await [one.code, other.code].compactMap(\.self).sorted()
            #expect(codes == ["playing", "token_replayed"])
            // With the next second comes another token, which either replica may use.
            replicas.first.simulator.freezeClock(false)
            replicas.first.simulator.advanceClock(by: .seconds(1))
            #expect(try await replicas.second.play(token: token).code == "playing")
        }
    }
}
#endif
