#if Redis
import EntitlementValues
import Foundation
import RedisStores
import Synchronization
import TVETesting
import TestServers
import TestVectors
import Testing
import TokenRedemption

/// What becomes of redemptions while some connections of a store are lost.
@Suite(.onOwnThreads)
struct ReconnectionTests {
    /// Whether a server takes no further connections, and what keeps its answers back.
    private final class Trouble: Sendable {
        private let isDown = Atomic(false)
        private let answers = DispatchSemaphore(value: 0)

        func begin() { isDown.store(true, ordering: .relaxed) }
        func end() { isDown.store(false, ordering: .relaxed) }
        func hold() { answers.hold() }
        func release(_ count: Int = 1) { for _ in 0..<count { answers.signal() } }

        /// How a healthy server answers what begins a connection, unless there is trouble.
        func greeting(_ command: [String]) -> FakeServer.Reaction {
            if isDown.load(ordering: .relaxed) { return .end("") }
            return .say(command[0] == "INFO" ? FakeServer.info(of: command[1]) : "+OK\r\n")
        }
    }

    /// The key of a token in the server.
    private static func key(_ number: Int) -> String { "tve:\(id(number))" }

    /// A restart cuts all connections at once: that is one failure, and not one for each.
    @Test func `Many connections that are cut delay the next attempt no more than one`() async throws {
        let trouble = Trouble()
        let server = try FakeServer { command in
            guard command[0] == "SET" else { return trouble.greeting(command) }
            guard command[1] != Self.key(1000) else { return .say("+OK\r\n") }
            trouble.hold()
            return .end("")
        }
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.path, connections: 16, time: time.source)
        var refusals: [Task<String?, Never>] = []
        // One for each connection.
        for number in 0..<16 {
            refusals.append(Task { await store.refusal(number) })
            try await eventually { server.commands.count == number + 1 }
        }
        // And some that wait for one.
        for number in 16..<32 { refusals.append(Task { await store.refusal(number) }) }
        trouble.begin()
        trouble.release(16)
        for refusal in refusals { #expect(await refusal.value != nil) }
        trouble.end()
        time.advance(by: TimeToLive(milliseconds: 50))
        #expect(try await store.redeem(1000) == .first)
    }

    /// Else, under load, each worker without a connection would knock at a server that takes no further ones.
    @Test func `A connection from before does not hasten others that are refused`() async throws {
        let trouble = Trouble()
        let server = try FakeServer { command in
            guard command[0] == "SET" else { return trouble.greeting(command) }
            if (0..<8).contains(where: { command[1] == Self.key($0) }) { trouble.hold() }
            return .say("+OK\r\n")
        }
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.path, time: time.source)
        #expect(try await store.redeem(1000) == .first)
        trouble.begin()
        for number in 0..<8 {
            let held = Task { try await store.redeem(number) }
            try await eventually { server.commands.count == 2 * number + 2 }
            // It waits for the other connection, which is refused, and then for this one.
            let waiting = Task { try await store.redeem(number + 100) }
            if number == 0 { try await eventually { server.ended == 2 } }
            // For as long as attempts without a pause would take. If that is too short here, the test shows less.
            try? await eventually(within: .milliseconds(50)) { server.ended >= 2 * (number + 1) }
            trouble.release()
            #expect(try await held.value == .first)
            #expect(try await waiting.value == .first)
            time.advance(by: TimeToLive(milliseconds: 50))
        }
        // Twice at first, and then after 50, 150 and 350 ms.
        #expect((3...6).contains(server.connections))
        trouble.end()
        time.advance(by: .seconds(1))
        let held = Task { try await store.redeem(0) }
        try await eventually { server.commands.count == 18 }
        #expect(try await store.redeem(200) == .first)
        trouble.release()
        #expect(try await held.value == .first)
    }

    /// Else the first attempt after a restart would be followed by the pause that refusals of long ago had come to.
    @Test func `Refusals are forgotten while a connection from before works`() async throws {
        let trouble = Trouble()
        let server = try FakeServer { command in
            guard command[0] == "SET" else { return trouble.greeting(command) }
            if command[1] == Self.key(0) { trouble.hold() }
            return .say("+OK\r\n")
        }
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.path, time: time.source)
        /// How often the other connection is tried, and refused, while the first one is busy.
        @Sendable func attempts() async throws -> Int {
            let (ended, commands) = (server.ended, server.commands.count)
            let held = Task { try await store.redeem(0) }
            try await eventually { server.commands.count == commands + 1 }
            let waiting = Task { try await store.redeem(100) }
            try? await eventually(within: .milliseconds(50)) { server.ended >= ended + 2 }
            trouble.release()
            #expect(try await held.value == .first)
            #expect(try await waiting.value == .first)
            return server.ended - ended
        }
        #expect(try await store.redeem(1000) == .first)
        trouble.begin()
        _ = try await attempts()
        // The retry at once shows it. If an attempt takes longer than is looked for it, the next ones show it.
        try await eventually {
            time.advance(by: .seconds(2))
            #expect(try await store.redeem(1000) == .first)
            return try await attempts() == 2
        }
    }

    /// A command that one connection was to take is not left alone while another one is idle.
    @Test func `Another connection takes what one cannot`() async throws {
        let trouble = Trouble()
        let server = try FakeServer { command in
            guard command[0] == "SET" else { return trouble.greeting(command) }
            if command[1] == Self.key(1) { trouble.hold() }
            return .say("+OK\r\n")
        }
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        // Both connections are opened, since the first one is busy.
        let first = Task { try await store.redeem(1) }
        try await eventually { server.commands.count == 1 }
        #expect(try await store.redeem(2) == .first)
        trouble.release()
        #expect(try await first.value == .first)
        trouble.begin()
        server.end(0)
        for number in 3..<6 { #expect(try await store.redeem(number) == .first) }
        #expect(server.commands.map { $0[1] } == (1..<6).map(Self.key))
    }

    /// Without `+info` nobody sees that a server is another one: its address says it.
    @Test func `Connections to a former primary are left also if servers do not show their runs`() async throws {
        let trouble = Trouble()
        let servers = try (0..<2).map { _ in
            try FakeServer.onPort { command in
                switch command[0] {
                case "INFO": return .say("-NOPERM no permissions\r\n")
                case "SET" where command[1] == Self.key(1): trouble.hold()
                case "SET" where command[1] == Self.key(2): return .end("+OK\r\n")
                default: break
                }
                return .say("+OK\r\n")
            }
        }
        let primary = Mutex(0)
        let sentinel = try FakeServer.onPort { _ in
            let port = "\(servers[primary.withLock { $0 }].port)"
            return .say("*2\r\n$9\r\n127.0.0.1\r\n$\(port.utf8.count)\r\n\(port)\r\n")
        }
        defer { for server in servers + [sentinel] { server.stop() } }
        let store = try RedisReplayStore(
            try RedisAddress(.sentinels([.init("127.0.0.1", port: sentinel.port)], primary: "tokens")),
            settings: try .patient(), time: .fixed(at: noon))
        // The first connection is busy, and the second one ends.
        let first = Task { try await store.redeem(1) }
        try await eventually { servers[0].commands.count == 1 }
        #expect(try await store.redeem(2) == .first)
        try await eventually { servers[0].ended == 1 }
        primary.withLock { $0 = 1 }
        #expect(try await store.answer(from: 100) == .first)
        trouble.release()
        #expect(try await first.value == .first)
        let before = servers[0].commands.count
        for number in 1000..<1010 { #expect(try await store.redeem(number) == .first) }
        #expect(servers[0].commands.count == before)
        #expect(Set(servers[1].commands.map { $0[1] }).isSuperset(of: (1000..<1010).map(Self.key)))
    }
}
#endif
