#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TestVectors
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// A server that is far away.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct DistanceTests {
    @Test(arguments: [60, 80, 150])
    func `With a limit that suits the distance every first redemption passes once`(_ roundTrip: Int) async throws {
        let server = try RedisServer()
        let proxy = try DelayingProxy(to: server.socketPath, roundTrip: roundTrip)
        let stores = try (0..<2).map { _ in
            try RedisReplayStore(
                try RedisAddress(.unixSocket(path: proxy.path)),
                settings: try .patient(connections: 4))
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

    /// The server is so far away that its first answer comes when the command that asked for it is refused already.
    @Test func `Connecting may take longer than a command`() async throws {
        let hasArrived = DispatchSemaphore(value: 0)
        let server = try FakeServer { command in
            guard command[0] == "INFO" else { return .say("+OK\r\n") }
            if command[1] == "server" { hasArrived.hold() }
            return .say(FakeServer.info(of: command[1]))
        }
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(
            socket: server.path, timeLimit: .untilMoved, connections: 1, time: time.source)
        let refusal = Task { await store.refusal(0) }
        try await eventually { server.connections == 1 }
        time.advance(by: .seconds(1))
        #expect(await refusal.value?.contains("did not answer in time") == true)
        hasArrived.signal()
        for number in 1...3 { #expect(try await store.redeem(number) == .first) }
        // The connection was waited for, and the command that was refused before it was open is never sent.
        #expect(server.connections == 1)
        #expect(server.commands.map { $0[1] } == (1...3).map { "tve:\(id($0))" })
    }

    @Test func `A connection that takes too long is given up`() async throws {
        let server = try FakeServer { _ in .nothing }
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(
            socket: server.path, connectTimeLimit: .untilMoved, connections: 1, time: time.source)
        let refusal = Task { await store.refusal(1) }
        // The second attempt comes at once, and is the last.
        for attempt in 1...2 {
            try await eventually { server.connections == attempt }
            time.advance(by: .seconds(1))
        }
        #expect(await refusal.value?.contains("no connection in time") == true)
        let inspection = Task { try await store.inspect() }
        // No time passes by this clock until it is moved, however long the server says nothing.
        try await eventually { time.deadlines.contains(time.now + .untilMoved) }
        time.advance(by: .untilMoved)
        await #expect(throws: ReplayStoreError.self) { try await inspection.value }
    }

    @Test func `Connections have the name that was given`() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(
            try server.address, settings: try .patient(clientName: "tve-eu-1"))
        #expect(try await store.redeem(1) == .first)
        #expect(try server.say("CLIENT LIST").contains("name=tve-eu-1 "))
    }

    @Test(arguments: ["-ERR unknown subcommand\r\n", "-NOPERM no permissions\r\n"])
    func `A server that takes no names is as good`(_ answer: String) async throws {
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
