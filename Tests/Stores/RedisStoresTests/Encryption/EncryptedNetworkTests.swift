#if Redis
import EntitlementValues
import Foundation
import RedisStores
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// Encrypted connections over bad networks.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct EncryptedNetworkTests {
    private let certificates: Certificates
    private let server: EncryptedServer

    init() throws {
        certificates = try Certificates()
        server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
    }

    private func store(
        port: Int,
        limit: TimeToLive = .patient,
        connections: Int = 2,
        time: TimeSource = .fixed(at: noon)
    ) throws -> RedisReplayStore {
        try RedisReplayStore(
            try RedisAddress(.tcp(host: "127.0.0.1", port: port), isEncrypted: true),
            encryption: try RedisEncryption(authorityFile: certificates.authority),
            settings: try RedisPoolSettings(connections: connections, timeLimit: limit, connectTimeLimit: limit),
            time: time)
    }

    @Test func `Of three clients one wins each token`() async throws {
        let tally = Tally(tokens: 5000)
        tally.end()
        let clients = try (0..<3).map { _ in try store(port: server.port) }
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.redeemAll(tally) } }
        }
        #expect(tally.refusals == 0)
        #expect(tally.wins.allSatisfy { $0 == 1 })
    }

    @Test func `Bytes that arrive one by one are enough`() async throws {
        let proxy = try RoughProxy(to: server.port, .drips)
        let store = try store(port: proxy.port)
        #expect(try await store.redeem(1) == .first)
        #expect(try await store.redeem(1) == .seen)
    }

    @Test(arguments: [0, 3, 100, 900])
    func `Handshakes that stall are given up`(_ count: Int) async throws {
        let proxy = try RoughProxy(to: server.port, .stalls(after: count))
        // However slowly the limit passes, the handshake never ends.
        let store = try store(port: proxy.port, limit: TimeToLive(milliseconds: 400))
        await #expect {
            try await store.inspect()
        } throws: { error in
            "\(error)".contains("no_handshake") || "\(error)".contains("no connection in time")
        }
        #expect(await store.refusal(1) != nil)
        #expect(try server.server.say("DBSIZE") == ":0\r\n")
    }

    /// Wherever the connection ends, in the handshake or in a reply, there is an answer, and never two winners.
    @Test func `Connections that end anywhere are refusals`() async throws {
        var (refusals, firsts) = (0, 0)
        for count in stride(from: 0, to: 4500, by: 61) {
            let proxy = try RoughProxy(to: server.port, .cuts(after: count))
            let store = try store(port: proxy.port, connections: 1)
            do {
                firsts += try await store.redeem(count) == .first ? 1 : 0
            } catch {
                refusals += 1
                #expect(error.description.contains("rediss://127.0.0.1:\(proxy.port) "))
            }
        }
        #expect(refusals > 20)
        #expect(refusals + firsts == 74)
        let keys = try server.server.say("DBSIZE").dropFirst().dropLast()
        #expect(try firsts <= #require(Int(keys)))
    }

    @Test func `A server that hangs is refused in time and serves again later`() async throws {
        let time = ManualTime(at: noon)
        let store = try store(port: server.port, limit: .untilMoved, time: time.source)
        #expect(try await store.redeem(1) == .first)
        server.server.kill(SIGSTOP)
        for number in 10..<13 {
            let refusal = await time.pass { await store.refusal(number) }
            #expect(refusal != nil)
        }
        server.server.kill(SIGCONT)
        #expect(try await store.answer(from: 100) { time.advance(by: .seconds(1)) } == .first)
    }
}
#endif
