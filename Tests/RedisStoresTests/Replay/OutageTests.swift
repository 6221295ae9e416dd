#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TestServers
import Testing
import TokenRedemption

/// A real server that is down, dies, hangs and comes back.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .timeLimit(.minutes(15)))
struct OutageTests {
    @Test func aServerThatIsDownAtTheStartRefusesAndIsFoundLater() async throws {
        let server = try RedisServer()
        server.kill(SIGKILL)
        let store = try RedisReplayStore(socket: server.socketPath, timeLimit: .seconds(1))
        for number in 0..<20 { #expect(await store.refusal(number)?.contains("cannot be reached") == true) }
        try server.start()
        #expect(try await found(store, from: 100) == .first)
    }

    @Test func hostsThatDoNotAnswerAreRefusedInTime() async throws {
        // A listener that accepts nothing, and a name that no host has.
        let path = "/tmp/tve-\(UUID().uuidString.prefix(13)).sock"
        let listener = try Socket.listening(at: path)
        defer {
            listener.shut()
            try? FileManager.default.removeItem(atPath: path)
        }
        for address in ["redis+unix://\(path)", "redis://name.invalid:6379", "redis://192.0.2.1:6379"] {
            let store = try RedisReplayStore(
                try RedisAddress(parsing: address),
                settings: try RedisPoolSettings(timeLimit: TimeToLive(milliseconds: 250)))
            let start = ContinuousClock.now
            #expect(await store.refusal(1)?.hasPrefix("\(address) ") == true)
            #expect(ContinuousClock.now - start < .seconds(120))
        }
    }

    @Test func aServerThatHangsIsRefusedInTimeAndServesAgainLater() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath, timeLimit: TimeToLive(milliseconds: 250))
        #expect(try await found(store, from: 1) == .first)
        server.kill(SIGSTOP)
        let start = ContinuousClock.now
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for number in 1000..<2000 { group.addTask { await store.refusal(number) != nil } }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(refusals)
        #expect(ContinuousClock.now - start < .seconds(120))
        server.kill(SIGCONT)
        #expect(try await found(store, from: 5000) == .first)
        // A refused redemption may have reached the server; no token passes twice.
        for number in 1000..<1010 where try await store.redeem(number) == .first {
            #expect(try await store.redeem(number) == .seen)
        }
    }

    @Test func aRestartIsNoticedAndTold() async throws {
        let server = try RedisServer("--appendonly", "yes")
        let notes = Notes()
        let store = try RedisReplayStore(
            socket: server.socketPath, onWarning: notes.note)
        #expect(try await store.redeem(1) == .first)
        #expect(notes.all == [])
        server.kill(SIGKILL)
        #expect(await store.refusal(2) != nil)
        try server.start()
        #expect(try await found(store, from: 100) == .first)
        #expect(notes.all == [.restarted])
        #expect(try await store.redeem(1) == .seen)
    }

    /// Three clients and a server that is killed again and again while they redeem the same tokens.
    ///
    /// With a log written before each answer nothing that was answered is forgotten, so no token has two winners,
    /// restarts or not; a client that got no answer was refused.
    @Test func noTokenIsWonTwiceOverCrashesOfTheServer() async throws {
        let tokens = 3000
        let server = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
        let tally = Tally(tokens: tokens)
        let clients = try (0..<3).map { _ in
            try RedisReplayStore(socket: server.socketPath, timeLimit: .seconds(1))
        }
        async let redemptions: Void = withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.redeemAll(tally) } }
        }
        // Until a client was hit and half of the tokens are won: a busy machine gets less done in a round.
        for round in 0..<200 where round < 5 || tally.refusals == 0 || tally.wins.reduce(0, +) <= tokens / 2 {
            try await Task.sleep(for: .milliseconds(60))
            server.kill(SIGKILL)
            try server.start()
        }
        tally.end()
        await redemptions
        #expect(tally.wins.allSatisfy { $0 <= 1 })
        #expect(tally.wins.reduce(0, +) > tokens / 2)
        #expect(tally.refusals > 0)
    }

    /// Redeems new IDs until one is answered.
    private func found(_ store: RedisReplayStore, from number: Int) async throws -> Redemption {
        for number in number..<number + 200 {
            if let answer = try? await store.redeem(number) { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await store.redeem(number + 200)
    }
}
#endif
