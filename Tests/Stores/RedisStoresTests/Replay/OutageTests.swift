#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TestVectors
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// A real server that is down, dies, hangs and comes back.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct OutageTests {
    @Test func `A server that is down at the start refuses and is found later`() async throws {
        let server = try RedisServer()
        server.kill(SIGKILL)
        let store = try RedisReplayStore(socket: server.socketPath)
        for number in 0..<20 { #expect(await store.refusal(number)?.contains("cannot be reached") == true) }
        try server.start()
        #expect(try await store.answer(from: 100) == .first)
    }

    @Test func `Hosts that do not answer are refused in time`() async throws {
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
            #expect(await store.refusal(1)?.hasPrefix("\(address) ") == true)
        }
    }

    @Test func `A server that hangs is refused in time and serves again later`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.socketPath, timeLimit: .untilMoved, time: time.source)
        #expect(try await store.redeem(1) == .first)
        server.kill(SIGSTOP)
        let refusals = await time.pass {
            await withTaskGroup(of: Bool.self) { group in
                for number in 1000..<2000 { group.addTask { await store.refusal(number) != nil } }
                return await group.reduce(true) { $0 && $1 }
            }
        }
        #expect(refusals)
        server.kill(SIGCONT)
        #expect(try await store.answer(from: 5000) { time.advance(by: .seconds(1)) } == .first)
        // A refused redemption may have reached the server; no token passes twice.
        for number in 1000..<1010 where try await store.redeem(number) == .first {
            #expect(try await store.redeem(number) == .seen)
        }
    }

    @Test func `A restart is noticed and told`() async throws {
        let server = try RedisServer("--appendonly", "yes")
        let notes = Notes()
        let store = try RedisReplayStore(
            socket: server.socketPath, onWarning: notes.note)
        #expect(try await store.redeem(1) == .first)
        #expect(notes.all == [])
        server.kill(SIGKILL)
        #expect(await store.refusal(2) != nil)
        try server.start()
        #expect(try await store.answer(from: 100) == .first)
        #expect(notes.all == [.restarted])
        #expect(try await store.redeem(1) == .seen)
    }

    /// Three clients and a server that is killed again and again while they redeem the same tokens.
    ///
    /// With a log written before each answer nothing that was answered is forgotten, so no token has two winners,
    /// restarts or not; a client that got no answer was refused.
    @Test func `No token is won twice over crashes of the server`() async throws {
        let tokens = 3000
        let server = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
        let tally = Tally(tokens: tokens)
        let clients = try (0..<3).map { _ in try RedisReplayStore(socket: server.socketPath) }
        async let redemptions: Void = withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.redeemAll(tally) } }
        }
        // The clients go on until they are told, also where something fails here.
        defer { tally.end() }
        // The server dies after so many answers, and comes back once a client was hit.
        for count in [200, 1, 700, 50, 400] {
            let (answers, refusals) = (tally.answers, tally.refusals)
            try await eventually { tally.answers >= answers + count }
            server.kill(SIGKILL)
            try await eventually { tally.refusals > refusals }
            try server.start()
        }
        // At most 192 tokens are under way when the server dies, and all others are won in the end.
        try await eventually { tally.wins.reduce(0, +) > tokens / 2 }
        tally.end()
        await redemptions
        #expect(tally.wins.allSatisfy { $0 <= 1 })
        #expect(tally.wins.reduce(0, +) > tokens / 2)
        #expect(tally.refusals > 0)
    }
}
#endif
