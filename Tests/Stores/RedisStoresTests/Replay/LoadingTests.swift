#if Redis
import EntitlementValues
import RedisStores
import TestServers
import Testing
import TokenRedemption

import CLibrary

/// A server that still reads its data says of its settings what is not true yet.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct LoadingTests {
    @Test func `A server that starts is warned of nowhere`() async throws {
        let server = try RedisServer("--appendonly", "yes", "--appendfsync", "always")
        try server.say("EVAL \"for i=1,100000 do redis.call('SET','k'..i,'v') end\" 0")
        server.kill(SIGKILL)
        // Each key takes a millisecond until the delay is taken away, and the server looks at its clients after each
        // thousand.
        try server.start("--key-load-delay", "1000")
        let notes = Notes()
        let store = try RedisReplayStore(socket: server.socketPath, onWarning: notes.note)
        #expect(await store.refusal(1)?.contains("still reads its data (LOADING)") == true)
        #expect(try server.say("CONFIG SET key-load-delay 0") == "+OK\r\n")
        #expect(try await store.answer(from: 2) == .first)
        #expect(notes.all == [])
    }

    @Test func `A server that loads is not judged by its settings`() async throws {
        let server = try FakeServer { command in
            guard command[0] == "INFO" else { return .say("+OK\r\n") }
            let loading = command[1] == "persistence" ? "$24\r\nloading:1\r\naof_enabled:0\r\n" : nil
            return .say(loading ?? FakeServer.info(of: command[1]))
        }
        defer { server.stop() }
        let notes = Notes()
        let store = try RedisReplayStore(socket: server.path, onWarning: notes.note)
        #expect(await store.refusal(1)?.contains("LOADING") == true)
        await #expect(throws: ReplayStoreError.self) { try await store.inspect() }
        #expect(notes.all == [] && server.commands.isEmpty)
    }
}
#endif
