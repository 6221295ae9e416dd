#if Service && Redis
import EntitlementValues
import Foundation
import TVEService
import TVETesting
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
            #expect(try await service.ready("?store=now") == 503)
            server.kill(SIGCONT)
            try await service.until { try await $0.passes("/live/1") }
            try await service.until { try await $0.ready("?store=now") == 200 }
        }
    }

    @Test func aStallShorterThanTheGraceTimeLeavesTheInstanceReady() async throws {
        let server = try RedisServer()
        let folder = try Folder()
        let settings = try SessionTests.settings(folder, "a").merging(
            ["store.address": "redis+unix://\(server.socketPath)"]) { $1 }
        let time = ManualTime(at: .now)
        try await RunningService.with(settings, time: time.source) { service in
            let session = try await SessionTests.start(service)
            server.kill(SIGSTOP)
            #expect(try await service.ready("?store=now") == 503)
            for _ in 0..<4 {
                #expect(try await service.ready() == 200)
                #expect(try await service.authorize(["Cookie: tve_session=\(session)"]).status == 200)
                time.advance(by: .seconds(1))
            }
            // The default grace time of 10 seconds ends.
            time.advance(by: .seconds(7))
            let answer = try await service.askInternal(request("GET", "/readyz"))
            #expect(answer.status == 503)
            #expect(answer.text.contains("store_unavailable"))
            server.kill(SIGCONT)
            try await service.until {
                time.advance(by: .seconds(2))
                return try await $0.ready() == 200
            }
            // The grace time begins anew.
            server.kill(SIGSTOP)
            time.advance(by: .seconds(2))
            #expect(try await service.ready("?store=now") == 503)
            #expect(try await service.ready() == 200)
            server.kill(SIGCONT)
        }
    }

    @Test(arguments: [("0", 503), ("-1", 200)])
    func theGraceTimeCanBeNoneOrEndless(_ seconds: String, _ status: Int) async throws {
        let server = try RedisServer()
        let settings = [
            "store.address": "redis+unix://\(server.socketPath)", "readiness.storeGraceSeconds": seconds,
        ]
        try await RunningService.with(settings) { service in
            server.kill(SIGSTOP)
            let found = try await service.ready()
            #expect(found == status)
            #expect(try await service.ready("?store=now") == 503)
            server.kill(SIGCONT)
        }
    }

    @Test func manyProbesOfASlowServerAreOneRedemption() async throws {
        let server = try RedisServer()
        try await RunningService.with(["store.address": "redis+unix://\(server.socketPath)"]) { service in
            #expect(try await service.ready("?store=now") == 200)
            // Until the result of the first probe is too old to be used again.
            try await Task.sleep(for: .milliseconds(1100))
            let before = try Self.redemptions(server)
            try server.say("CLIENT PAUSE 150 ALL")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await service.ready("?store=now") } }
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
    fileprivate func ready(_ query: String = "") async throws -> Int {
        try await askInternal(request("GET", "/readyz\(query)")).status
    }
}
#endif
