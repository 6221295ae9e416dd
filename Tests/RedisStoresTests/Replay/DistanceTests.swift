#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TestServers
import Testing
import TokenRedemption

/// A server that is far away.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .timeLimit(.minutes(15)))
struct DistanceTests {
    @Test(arguments: [60, 80, 150])
    func withALimitThatSuitsTheDistanceEveryFirstRedemptionPassesOnce(_ roundTrip: Int) async throws {
        let server = try RedisServer()
        let proxy = try DelayingProxy(to: server.socketPath, roundTrip: roundTrip)
        let stores = try (0..<2).map { _ in
            try RedisReplayStore(
                try RedisAddress(.unixSocket(path: proxy.path)),
                settings: try RedisPoolSettings(connections: 4, timeLimit: .seconds(5)))
        }
        let tally = Tally(tokens: 200)
        tally.end()
        // The first redemptions wait for the connections, too.
        await withTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { await store.redeemAll(tally) } }
        }
        #expect(tally.refusals == 0)
        #expect(tally.wins.allSatisfy { $0 == 1 })
    }

    /// The round trip is below the limit of a command, and connecting takes several of them.
    @Test func connectingMayTakeLongerThanACommand() async throws {
        let server = try RedisServer()
        let proxy = try DelayingProxy(to: server.socketPath, roundTrip: 400)
        let limit = TimeToLive(milliseconds: 600)
        let store = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: proxy.path)),
            settings: try RedisPoolSettings(connections: 1, timeLimit: limit, connectTimeLimit: .seconds(20)))
        #expect(await store.refusal(0)?.contains("did not answer in time") == true)
        var answers: [Redemption] = []
        for number in 1..<100 where answers.count < 3 {
            if let answer = try? await store.redeem(number) { answers.append(answer) }
        }
        #expect(answers == [.first, .first, .first])
        // Refused while the connection was opened, so never sent.
        #expect(try await store.redeem(0) == .first)
    }

    @Test func aConnectionThatTakesTooLongIsGivenUp() async throws {
        let server = try RedisServer()
        let proxy = try DelayingProxy(to: server.socketPath, roundTrip: 400)
        let store = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: proxy.path)),
            settings: try RedisPoolSettings(
                timeLimit: .seconds(5), connectTimeLimit: TimeToLive(milliseconds: 100)))
        #expect(await store.refusal(1)?.contains("no connection in time") == true)
        await #expect(throws: ReplayStoreError.self) { try await store.inspect() }
    }

    @Test func connectionsHaveTheNameThatWasGiven() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(
            try server.address, settings: try RedisPoolSettings(timeLimit: .seconds(5), clientName: "tve-eu-1"))
        #expect(try await store.redeem(1) == .first)
        #expect(try server.say("CLIENT LIST").contains("name=tve-eu-1 "))
    }

    @Test(arguments: ["-ERR unknown subcommand\r\n", "-NOPERM no permissions\r\n"])
    func aServerThatTakesNoNamesIsAsGood(_ answer: String) async throws {
        let server = try FakeServer { command in
            switch command[0] {
            case "INFO": .say(FakeServer.info(of: command[1]))
            case "CLIENT": .say(answer)
            default: .say("+OK\r\n")
            }
        }
        defer { server.stop() }
        #expect(try await RedisReplayStore(socket: server.path).redeem(1) == .first)
    }
}
#endif
