#if Redis
import EntitlementKeys
import EntitlementValues
import Foundation
import RedisStores
import Synchronization
import TestServers
import Testing
import TestVectors
import TokenRedemption

/// Passwords and certificates that change while tokens are redeemed.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct NewSecretsTests {
    private static func store(
        _ server: RedisServer,
        _ password: String,
        _ notes: Notes = Notes()
    ) throws -> RedisReplayStore {
        try RedisReplayStore(
            try server.address, password: KeyPassword(password),
            settings: try .patient(), time: .fixed(at: noon), onWarning: notes.note)
    }

    /// Ends all connections but that of the caller, so that new ones sign in.
    private static func endConnections(_ server: RedisServer) throws {
        let socket = try Socket.connected(to: server.socketPath)
        for line in ["AUTH geheim", "AUTH neu", "CLIENT KILL TYPE normal SKIPME yes"] {
            socket.write(Array("\(line)\r\n".utf8))
            _ = socket.read()
        }
    }

    /// Sends a line with a password.
    private static func say(_ line: String, as password: String, to server: RedisServer) throws {
        let socket = try Socket.connected(to: server.socketPath)
        for line in ["AUTH \(password)", line] {
            socket.write(Array("\(line)\r\n".utf8))
            #expect(String(decoding: socket.read(), as: UTF8.self) == "+OK\r\n")
        }
    }

    @Test func `A new password is taken into use without losing a redemption`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let store = try Self.store(server, "geheim")
        let tally = Tally(tokens: 2000)
        async let redemptions: Void = store.redeemAll(tally)
        // The store goes on until it is told, also where something fails here.
        defer { tally.end() }
        try await eventually { tally.answers >= 200 }
        try Self.say("CONFIG SET requirepass neu", as: "geheim", to: server)
        try await store.use(password: KeyPassword("neu"))
        tally.end()
        await redemptions
        #expect(tally.refusals == 0)
        #expect(tally.wins.allSatisfy { $0 == 1 })
        try Self.endConnections(server)
        #expect(try await store.redeem(5000) == .first)
    }

    @Test func `A wrong password is reported and the former one stays in use`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let notes = Notes()
        let store = try Self.store(server, "geheim", notes)
        #expect(try await store.redeem(1) == .first)
        let error = await #expect(throws: RedisReloadError.self) {
            try await store.use(password: KeyPassword("falsch"))
        }
        #expect(error?.code == "new_access_refused")
        #expect(error?.description.contains("WRONGPASS") == true)
        #expect(error?.description.contains("falsch") == false)
        #expect(try await store.redeem(2) == .first)
        // New connections, too.
        try Self.endConnections(server)
        #expect(try await store.redeem(3) == .first)
        #expect(notes.all.contains(.newAccessRefused))
    }

    /// The file may be changed before the server is: what was refused once is tried again.
    @Test func `The server may change its password later`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let store = try Self.store(server, "geheim")
        #expect(try await store.redeem(1) == .first)
        await #expect(throws: RedisReloadError.self) { try await store.use(password: KeyPassword("neu")) }
        try Self.say("CONFIG SET requirepass neu", as: "geheim", to: server)
        try Self.endConnections(server)
        #expect(try await store.redeem(2) == .first)
    }

    @Test func `A password may change while the server is away`() async throws {
        let server = try RedisServer("--requirepass", "geheim", "--appendonly", "yes", "--appendfsync", "always")
        let store = try Self.store(server, "geheim")
        #expect(try await store.redeem(1) == .first)
        server.kill(SIGKILL)
        let error = await #expect(throws: RedisReloadError.self) { try await store.use(password: KeyPassword("neu")) }
        #expect(error?.description.contains("cannot be reached") == true)
        // The later argument counts.
        try server.start("--requirepass", "neu")
        #expect(try await store.answer(from: 100) == .first)
        #expect(try await store.redeem(1) == .seen)
    }

    /// A password that worked once is forgotten with the next that works, so that a stolen one is of no use.
    @Test func `The former password is forgotten`() async throws {
        let server = try FakeServer { command in
            switch command[0] {
            case "AUTH", "CLIENT": .say("+OK\r\n")
            case "INFO": .say(FakeServer.info(of: command[1]))
            default: .end("+OK\r\n")
            }
        }
        defer { server.stop() }
        let store = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: server.path)), password: KeyPassword("geheim"),
            settings: try .patient(connections: 1))
        try await store.use(password: KeyPassword("neu"))
        for number in 0..<3 { _ = await store.refusal(number) }
        #expect(Set(server.commands.filter { $0[0] == "AUTH" }.map { $0[1] }) == ["neu"])
    }

    @Test func `New certificates are taken into use`() async throws {
        let certificates = try Certificates()
        let others = try Certificates()
        let server = try EncryptedServer(
            try certificates.make("server"), authority: certificates.authority, wantsCertificates: true)
        let (old, new) = (try certificates.make("old"), try certificates.make("new"))
        func files(_ pair: Certificates.Pair) throws -> RedisEncryption {
            try RedisEncryption(
                authorityFile: certificates.authority, certificateFile: pair.certificate, keyFile: pair.key)
        }
        let store = try RedisReplayStore(
            try server.address(), encryption: try files(old),
            settings: try .patient(), time: .fixed(at: noon))
        #expect(try await store.redeem(1) == .first)
        try await store.use(password: nil, encryption: try files(new))
        #expect(try await store.redeem(2) == .first)
        let error = await #expect(throws: RedisReloadError.self) {
            try await store.use(password: nil, encryption: try files(try others.make("foreign")))
        }
        #expect(error?.description.contains("tls_certificate_refused") == true)
        try server.server.say("CLIENT KILL TYPE normal SKIPME yes")
        // A redemption that is sent before the end of the connection has come is refused.
        #expect(try await store.answer(from: 3) == .first)
        let missing = await #expect(throws: RedisReloadError.self) {
            try await store.use(password: nil, encryption: try RedisEncryption(authorityFile: "/nowhere"))
        }
        #expect(missing?.code == "bad_file")
    }

    /// A Sentinel that refuses a certificate is a server that refuses it: the other certificate is tried.
    @Test func `Certificates that a sentinel refuses are replaced`() async throws {
        let (certificates, others) = (try Certificates(), try Certificates())
        let (own, sentinels) = (try certificates.make("server"), try certificates.make("sentinel"))
        let primary = try EncryptedServer(own, authority: certificates.authority)
        let (port, authority) = (primary.port, others.authority)
        // It asks clients for certificates of another authority than its own.
        let sentinel = try RedisServer(sentinel: { sentinelPort in
            [
                "port 0", "tls-port \(sentinelPort)", "bind 127.0.0.1", "tls-cert-file \(sentinels.certificate)",
                "tls-key-file \(sentinels.key)", "tls-ca-cert-file \(authority)", "tls-auth-clients yes",
                "sentinel monitor tokens 127.0.0.1 \(port) 1",
            ]
        })
        func files(_ pair: Certificates.Pair) throws -> RedisEncryption {
            try RedisEncryption(
                authorityFile: certificates.authority, certificateFile: pair.certificate, keyFile: pair.key)
        }
        let (old, new) = (try others.make("old"), try certificates.make("new"))
        let notes = Notes()
        let store = try RedisReplayStore(
            try RedisAddress(parsing: "rediss+sentinel://127.0.0.1:\(sentinel.port)/tokens"),
            encryption: try files(old), settings: try .patient(), time: .fixed(at: noon), onWarning: notes.note)
        #expect(try await store.redeem(1) == .first)
        let error = await #expect(throws: RedisReloadError.self) {
            try await store.use(password: nil, encryption: try files(new))
        }
        #expect(error?.description.contains("tls_certificate_refused") == true)
        try primary.server.say("CLIENT KILL TYPE normal SKIPME yes")
        #expect(try await store.answer(from: 100) == .first)
        #expect(notes.all.contains(.newAccessRefused))
        // The Sentinel goes over to the other authority, and refuses what worked until then.
        try sentinel.start("--tls-ca-cert-file", certificates.authority)
        try primary.server.say("CLIENT KILL TYPE normal SKIPME yes")
        #expect(try await store.answer(from: 200) == .first)
    }

    /// A wrong file changes nothing, also once the connections of before are gone; and what the server goes over to later
    /// is tried then.
    @Test func `Authorities that do not fit yet change nothing`() async throws {
        let (certificates, others) = (try Certificates(), try Certificates())
        let server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
        let notes = Notes()
        let store = try RedisReplayStore(
            try server.address(), encryption: try RedisEncryption(authorityFile: certificates.authority),
            settings: try .patient(), time: .fixed(at: noon), onWarning: notes.note)
        #expect(try await store.redeem(1) == .first)
        let error = await #expect(throws: RedisReloadError.self) {
            try await store.use(password: nil, encryption: try RedisEncryption(authorityFile: others.authority))
        }
        #expect(error?.description.contains("tls_unknown_authority") == true)
        try server.server.say("CLIENT KILL TYPE normal SKIPME yes")
        #expect(try await store.answer(from: 100) == .first)
        #expect(notes.all.contains(.newAccessRefused))
        let pair = try others.make("server")
        try server.server.start(
            "--tls-cert-file", pair.certificate, "--tls-key-file", pair.key, "--tls-ca-cert-file", others.authority)
        #expect(try await store.answer(from: 200) == .first)
    }
}
#endif
