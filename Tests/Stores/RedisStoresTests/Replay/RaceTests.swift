#if Redis
import EntitlementValues
import Foundation
import RedisStores
import Synchronization
import TestServers
import TestVectors
import Testing
import TokenRedemption

/// Three processes that redeem the same tokens at the same time.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct RaceTests {
    static let tokens = 10_000

    @Test func `Of three processes one wins each token`() async throws {
        let server = try RedisServer()
        let (wins, refusals) = try await race(on: "redis+unix://\(server.socketPath)")
        #expect(wins.allSatisfy { $0 == 1 })
        #expect(refusals == 0)
    }

    /// With a log written before each answer, what was answered is still known when the server is back.
    @Test func `No token is won twice where the server dies in the middle`() async throws {
        let server = try RedisServer(onPort: { port in
            ["--port", "\(port)", "--bind", "127.0.0.1", "--appendonly", "yes", "--appendfsync", "always"]
        })
        // Every answer comes through a proxy, which kills the server once a quarter of the tokens is redeemed.
        let watcher = Mutex((socket: try Socket.connected(to: server.socketPath), hasKilled: false))
        let proxy = try RoughProxy(
            to: server.port,
            .ends {
                watcher.withLock { watcher in
                    // Other connections end later, and must not kill the server that was started meanwhile.
                    if watcher.hasKilled { return true }
                    watcher.socket.write(Array("DBSIZE\r\n".utf8))
                    let redeemed = Int(String(decoding: watcher.socket.read(), as: UTF8.self).dropFirst().dropLast())
                    if let redeemed, redeemed < Self.tokens / 4 { return false }
                    server.kill(SIGKILL)
                    watcher.hasKilled = true
                    return true
                }
            })
        let (wins, refusals) = try await race(on: "redis://127.0.0.1:\(proxy.port)")
        #expect(refusals > 0)
        #expect(wins.contains(1) && wins.contains(0))
        try server.start()
        // While it reads its log, it answers nothing, and the time by which the store would ask again stands.
        try await eventually("the end of loading") { try server.say("PING").hasPrefix("+PONG") }
        let tally = Tally(tokens: Self.tokens)
        tally.end()
        await (try RedisReplayStore(socket: server.socketPath)).redeemAll(tally)
        #expect(tally.refusals == 0)
        #expect(zip(wins, tally.wins).allSatisfy { $0 + $1 <= 1 })
    }

    /// Lets three processes redeem all tokens.
    ///
    /// - Returns: How often each token was won, and how many redemptions got no answer.
    private func race(on address: String) async throws -> (wins: [Int], refusals: Int) {
        try await withThrowingTaskGroup(of: [Substring].self) { group in
            for _ in 0..<3 { group.addTask { try await Self.redeemInAnotherProcess(address) } }
            var wins = [Int](repeating: 0, count: Self.tokens)
            var refusals = 0
            for try await lines in group {
                for line in lines {
                    if let number = Int(line) { wins[number] += 1 } else { refusals += 1 }
                }
            }
            return (wins, refusals)
        }
    }

    /// Redeems all tokens from another process.
    ///
    /// - Returns: A line for each redemption that was not lost: the number of a token won, or why there was no answer.
    private static func redeemInAnotherProcess(_ address: String) async throws -> [Substring] {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [address = address as String] in
            let store = try RedisReplayStore(
                try RedisAddress(parsing: address), settings: try .patient(), time: .fixed(at: noon))
            await withTaskGroup(of: Void.self) { group in
                for start in 0..<16 {
                    group.addTask {
                        for number in stride(from: start, to: RaceTests.tokens, by: 16) {
                            do throws(ReplayStoreError) {
                                if try await store.redeem(number) == .first { print("#", number) }
                            } catch {
                                print("#", error.description.contains(address) ? "unavailable" : "odd")
                            }
                        }
                    }
                }
            }
        }
        let output = try #require(result?.standardOutputContent)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        return lines.filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
    }
}
#endif
