#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TestServers
import Testing
import TokenRedemption

/// A primary that Sentinels watch, and that dies.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .timeLimit(.minutes(15)))
struct SentinelTests {
    private static func store(_ address: RedisAddress, _ notes: Notes = Notes()) throws -> RedisReplayStore {
        try RedisReplayStore(
            address, settings: try RedisPoolSettings(timeLimit: .seconds(5), connectTimeLimit: .seconds(5)),
            time: .fixed(at: noon), onWarning: notes.note)
    }

    @Test func redemptionsGoToTheReplicaThatTakesOver() async throws {
        let servers = try WatchedServers()
        let notes = Notes()
        let stores = try [Notes(), notes].map { try Self.store(try servers.address(), $0) }
        // Redeemed and replicated before the primary dies: none of these may pass again.
        let kept = Tally(tokens: 1000)
        kept.end()
        await stores[0].redeemAll(kept)
        #expect(kept.wins.allSatisfy { $0 == 1 } && kept.refusals == 0)
        try servers.waitForReplica()
        // Redeemed while it dies: those that were answered and not replicated are lost.
        let tally = Tally(tokens: 50_000)
        async let redemptions: Void = withTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { await store.redeemAll(tally) } }
        }
        while tally.wins.reduce(0, +) < 1000 { try await Task.sleep(for: .milliseconds(5)) }
        servers.primary.kill(SIGKILL)
        let inFlight = tally.wins.reduce(0, +)
        try servers.waitForFailover()
        for store in stores {
            var answer: Redemption?
            for number in 100_000..<101_000 where answer == nil {
                answer = try? await store.redeem(number)
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(answer != nil)
        }
        tally.end()
        await redemptions
        await stores[1].redeemAll(kept)
        #expect(kept.wins.allSatisfy { $0 == 1 })
        let twice = tally.wins.count { $0 > 1 }
        print("# of \(inFlight) redemptions before the failover, \(twice) were lost and their tokens passed twice")
        #expect(tally.wins.allSatisfy { $0 <= 2 })
        // Of both stores, each has at most its redemptions in flight on the way.
        #expect(twice <= 128)
        #expect(notes.all.contains(.restarted))
    }

    /// The old primary is alive, and a replica now.
    @Test func aPrimaryThatBecomesAReplicaIsLeft() async throws {
        let servers = try WatchedServers(sentinels: 1)
        let store = try Self.store(try servers.address())
        #expect(try await store.redeem(1) == .first)
        try servers.waitForReplica()
        #expect(try servers.sentinels[0].say("SENTINEL FAILOVER \(WatchedServers.name)") == "+OK\r\n")
        try servers.waitForFailover()
        // Until then it goes on redeeming, and what it redeems is lost: Redis offers no more.
        try servers.waitForDemotion()
        var answer: Redemption?
        for number in 100..<400 where answer == nil {
            answer = try? await store.redeem(number)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(answer == .first)
        #expect(try await store.redeem(1) == .seen)
        // The commands went to the new primary.
        #expect(try servers.replica.say("CLIENT LIST").contains("name=tve "))
    }

    @Test func oneSentinelThatAnswersIsEnough() async throws {
        let servers = try WatchedServers()
        servers.sentinels[0].kill(SIGKILL)
        servers.sentinels[1].kill(SIGSTOP)
        let store = try Self.store(try servers.address(database: 3))
        #expect(try await store.redeem(1) == .first)
        #expect(try servers.primary.say("INFO keyspace").contains("db3:keys=1"))
        servers.sentinels[1].kill(SIGCONT)
    }

    @Test func whatIsWrongIsSaid() async throws {
        let server = try RedisServer()
        let port = try Socket.freePort()
        let plain = try RedisServer("--port", "\(port)", "--bind", "127.0.0.1")
        let sentinelPort = try Socket.freePort()
        let sentinel = try RedisServer(sentinel: [
            "port \(sentinelPort)", "bind 127.0.0.1", "sentinel monitor tokens 127.0.0.1 \(port) 1",
        ])
        func refusal(_ text: String) async throws -> String {
            try await Self.store(try RedisAddress(parsing: text)).refusal(1) ?? "no refusal"
        }
        let free = try Socket.freePort()
        #expect(
            try await refusal("redis+sentinel://127.0.0.1:\(sentinelPort)/other").contains("no primary of this name"))
        #expect(
            try await refusal("redis+sentinel://127.0.0.1:\(free)/tokens").contains("the Sentinel 127.0.0.1:\(free)"))
        #expect(try await refusal("redis+sentinel://127.0.0.1:\(port)/tokens").contains("(ERR)"))
        #expect(try await refusal("redis://127.0.0.1:\(sentinelPort)").contains("redis+sentinel://"))
        plain.kill(SIGKILL)
        let gone = try await refusal("redis+sentinel://127.0.0.1:\(sentinelPort)/tokens")
        #expect(gone.contains("a primary that cannot be used: 127.0.0.1:\(port) cannot be reached"))
        _ = (server, sentinel)
    }

    @Test(arguments: [
        "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n99999\r\n", "*1\r\n$9\r\n127.0.0.1\r\n",
        "*2\r\n:1\r\n:2\r\n", "*0\r\n", "+OK\r\n", "*2\r\n$4\r\na b!\r\n$4\r\n6379\r\n",
        "*2\r\n$9\r\n127.0.0.1\r\n$-1\r\n",
    ])
    func whatNoSentinelSaysIsNoAddress(_ answer: String) async throws {
        let (listener, port) = try Socket.listening()
        Thread.detachNewThread {
            while let peer = listener.nextPeer() {
                _ = peer.read()
                peer.write(Array(answer.utf8))
            }
        }
        defer { listener.shut() }
        let store = try Self.store(try RedisAddress(parsing: "redis+sentinel://127.0.0.1:\(port)/tokens"))
        #expect(await store.refusal(1)?.contains("does not belong to the command") == true)
    }
}
#endif
