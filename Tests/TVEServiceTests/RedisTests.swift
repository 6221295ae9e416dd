#if Service && Redis
import EntitlementValues
import Foundation
import TVEService
import TestServers
import Testing

/// A store on a server that may be slow or hang.
@Suite(.enabled(if: RedisServer.executable != nil)) struct RedisTests {
    @Test func aServerThatHangsIsA503UntilItIsBack() async throws {
        let server = try RedisServer()
        try await RunningService.with(["store.address": "redis+unix://\(server.socketPath)"]) { service in
            #expect(try await service.passes("/live/1"))
            server.kill(SIGSTOP)
            let start = ContinuousClock.now
            let token = try RunningService.token(issued: .now - .seconds(350))
            let answer = try await service.authorize(["X-Media-Token: \(token)"])
            #expect(start.duration(to: .now) < .seconds(2))
            #expect(answer.status == 503)
            try await service.until { try await $0.ready() == 503 }
            server.kill(SIGCONT)
            try await service.until { try await $0.passes("/live/1") }
            try await service.until { try await $0.ready() == 200 }
        }
    }

    @Test func manyProbesOfASlowServerAreOneRedemption() async throws {
        let server = try RedisServer()
        try await RunningService.with(["store.address": "redis+unix://\(server.socketPath)"]) { service in
            #expect(try await service.ready() == 200)
            // Until the result of the first probe is too old to be used again.
            try await Task.sleep(for: .milliseconds(1100))
            let before = try Self.redemptions(server)
            try server.say("CLIENT PAUSE 150 ALL")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await service.ready() } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try Self.redemptions(server) == before + 1)
        }
    }

    /// The number of redemptions that the server has answered.
    private static func redemptions(_ server: RedisServer) throws -> Int {
        let statistics = try server.say("INFO commandstats")
        let calls = statistics.components(separatedBy: "cmdstat_set:calls=").dropFirst().first
        return calls.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }
}

extension RunningService {
    fileprivate func ready() async throws -> Int { try await askInternal(request("GET", "/readyz")).status }
}
#endif
