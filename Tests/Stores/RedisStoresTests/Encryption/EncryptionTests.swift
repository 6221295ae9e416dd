#if Redis
import EntitlementKeys
import EntitlementValues
import Foundation
import RedisStores
import TestVectors
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// A real server with TLS, and certificates that are not as they should be.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct EncryptionTests {
    private static func store(
        _ address: RedisAddress,
        _ encryption: RedisEncryption,
        password: KeyPassword? = nil,
        connections: Int = RedisPoolSettings.standard.connections
    ) throws -> RedisReplayStore {
        try RedisReplayStore(
            address, password: password, encryption: encryption, settings: try .patient(connections: connections),
            time: .fixed(at: noon))
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"], ["localhost", "127.0.0.1"])
    func `Redemptions are encrypted`(_ version: String, _ host: String) async throws {
        let certificates = try Certificates()
        let server = try EncryptedServer(
            try certificates.make("server"), authority: certificates.authority, "--tls-protocols", version,
            "--requirepass", "geheim")
        let address = try RedisAddress(parsing: "rediss://\(host):\(server.port)/3")
        let store = try Self.store(
            address, try RedisEncryption(authorityFile: certificates.authority), password: KeyPassword("geheim"))
        #expect(try await store.redeem(1) == .first)
        #expect(try await store.redeem(1) == .seen)
        #expect(try await store.inspect() == [.notPersistent])
        #expect("\(store)" == "rediss://\(host):\(server.port)/3")
    }

    /// Session tickets arrive unasked, and are no reason to open another connection.
    @Test func `Connections are kept`() async throws {
        let certificates = try Certificates()
        let server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
        // A second connection would be opened by a redemption that comes while the first one is being put away.
        let store = try Self.store(
            try server.address(), try RedisEncryption(authorityFile: certificates.authority), connections: 1)
        for number in 0..<20 { #expect(try await store.redeem(number) == .first) }
        #expect(try server.server.say("CLIENT LIST").components(separatedBy: "name=tve ").count == 2)
        // The server ends the connection; the next redemption notices it before it is sent. Nothing tells when the end
        // has come over the network, so it is tried some times.
        var isNoticed = false
        for round in 0..<50 where !isNoticed {
            #expect(try await store.redeem(100 + 2 * round) == .first)
            try server.server.say("CLIENT KILL TYPE normal SKIPME yes")
            try await eventually { try !server.server.say("CLIENT LIST").contains("name=tve ") }
            isNoticed = await store.refusal(101 + 2 * round) == nil
        }
        #expect(isNoticed)
    }

    @Test func `Certificates for another name are refused`() async throws {
        let certificates = try Certificates()
        let encryption = try RedisEncryption(authorityFile: certificates.authority)
        for (names, host) in [
            ("DNS:redis.example.com", "localhost"), ("DNS:localhost", "127.0.0.1"), ("IP:127.0.0.1", "localhost"),
            ("IP:127.0.0.2", "127.0.0.1"), ("DNS:127.0.0.1", "127.0.0.1"), ("DNS:*.localhost", "localhost"),
        ] {
            let server = try EncryptedServer(
                try certificates.make("server", for: names), authority: certificates.authority)
            let store = try Self.store(try server.address(host: host), encryption)
            #expect(await store.refusal(1)?.contains("for another name (tls_wrong_name)") == true, "\(names)")
            #expect(try server.server.say("DBSIZE") == ":0\r\n")
        }
    }

    @Test func `Certificates of unknown authorities and expired ones are refused`() async throws {
        let certificates = try Certificates()
        let others = try Certificates()
        let server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
        for encryption in [RedisEncryption.system, try RedisEncryption(authorityFile: others.authority)] {
            let store = try Self.store(try server.address(), encryption)
            #expect(await store.refusal(1)?.contains("(tls_unknown_authority)") == true)
        }
        let old = try EncryptedServer(
            try certificates.make("old", days: 0), authority: certificates.authority)
        let store = try Self.store(try old.address(), try RedisEncryption(authorityFile: certificates.authority))
        #expect(await store.refusal(1)?.contains("has expired (tls_expired)") == true)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `A server may want a certificate`(_ version: String) async throws {
        let certificates = try Certificates()
        let others = try Certificates()
        let server = try EncryptedServer(
            try certificates.make("server"), authority: certificates.authority, wantsCertificates: true,
            "--tls-protocols", version)
        func store(_ pair: Certificates.Pair?) throws -> RedisReplayStore {
            try Self.store(
                try server.address(),
                try RedisEncryption(
                    authorityFile: certificates.authority, certificateFile: pair?.certificate, keyFile: pair?.key))
        }
        #expect(try await store(try certificates.make("client")).redeem(1) == .first)
        #expect(await (try store(nil)).refusal(2)?.contains("(tls_certificate_wanted)") == true)
        let refused = await (try store(try others.make("client"))).refusal(3)
        #expect(refused?.contains("(tls_certificate_refused)") == true)
        #expect(try server.server.say("DBSIZE") == ":1\r\n")
    }

    @Test func `A port without TLS is not used`() async throws {
        let server = try RedisServer(onPort: { ["--port", "\($0)", "--bind", "127.0.0.1"] })
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(
            try RedisAddress(parsing: "rediss://127.0.0.1:\(server.port)"),
            settings: try RedisPoolSettings(
                connections: 1, timeLimit: .patient, connectTimeLimit: .untilMoved),
            time: time.source)
        // A server that waits for more of the greeting is given up, one that ends the connection at once is asked again:
        // both take time.
        let refusal = await time.pass { await store.refusal(1) }
        #expect(refusal?.contains("TLS at this port") == true)
        #expect(try server.say("DBSIZE") == ":0\r\n")
    }

    @Test func `A port with TLS says so to a connection in clear`() async throws {
        let certificates = try Certificates()
        let server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
        let store = try RedisReplayStore(
            try RedisAddress(parsing: "redis://127.0.0.1:\(server.port)"), settings: try .patient())
        #expect(await store.refusal(1)?.contains("does it speak TLS at this port (rediss://)?") == true)
    }

    @Test func `Servers with old versions are not used`() async throws {
        let certificates = try Certificates()
        let server = try EncryptedServer(
            try certificates.make("server"), authority: certificates.authority, "--tls-protocols", "TLSv1.1",
            "--tls-ciphers", "DEFAULT@SECLEVEL=0")
        let store = try Self.store(
            try server.address(), try RedisEncryption(authorityFile: certificates.authority))
        #expect(await store.refusal(1)?.contains("(tls_old_version)") == true)
    }

    @Test func `Files that cannot be used are named`() throws {
        let certificates = try Certificates()
        let pair = try certificates.make("client")
        let other = try certificates.make("other")
        let address = try RedisAddress(parsing: "rediss://localhost")
        let noise = try certificates.write("geheim", to: "noise.pem")
        let torn = try certificates.write(
            String(decoding: try Data(contentsOf: URL(filePath: pair.certificate)).prefix(300), as: UTF8.self),
            to: "torn.pem")
        let encrypted = try certificates.encrypt(pair.key)
        for (authority, certificate, key, file) in [
            ("/nowhere", nil, nil, "/nowhere"), (noise, nil, nil, noise), (torn, nil, nil, torn),
            (nil, "/nowhere", pair.key, "/nowhere"), (nil, noise, pair.key, noise), (nil, torn, pair.key, torn),
            (nil, pair.certificate, "/nowhere", "/nowhere"), (nil, pair.certificate, noise, noise),
            (nil, pair.certificate, other.key, other.key), (nil, pair.certificate, encrypted, encrypted),
        ] as [(String?, String?, String?, String)] {
            let encryption = try RedisEncryption(
                authorityFile: authority, certificateFile: certificate, keyFile: key)
            let error = #expect(throws: RedisConfigurationError.self) {
                try RedisReplayStore(address, encryption: encryption)
            }
            #expect(error?.code == "bad_file")
            #expect(error?.description.contains(file) == true && error?.description.contains("geheim") == false)
            // A connection in clear needs none of them.
            #expect(throws: Never.self) {
                try RedisReplayStore(try RedisAddress(parsing: "redis://localhost"), encryption: encryption)
            }
        }
        #expect(throws: RedisConfigurationError.self) { try RedisEncryption(certificateFile: pair.certificate) }
        #expect(throws: RedisConfigurationError.self) { try RedisEncryption(keyFile: pair.key) }
    }
}

#endif
