#if Service && Redis
import EntitlementValues
import Foundation
import TVEService
import TVETesting
import TestServers
import Testing

/// A store on a server that may be slow or hang.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct RedisTests {
    @Test func `A server that hangs is a 503 until it is back`() async throws {
        let server = try RedisServer()
        try await RunningService.with(RunningService.settings(of: server)) { service in
            #expect(try await service.passes("/live/1"))
            server.kill(SIGSTOP)
            let answer = try await service.authorize(["X-Media-Token: \(try RunningService.token())"])
            #expect(answer.status == 503)
            // The store's time limit has ended the wait, and nothing else.
            #expect(service.log.events("a store fails").first?.values["cause"]?.contains("in time") == true)
            #expect(try await service.ready("?store=now") == 503)
            server.kill(SIGCONT)
            try await service.until { try await $0.passes("/live/1") }
            try await service.until { try await $0.ready("?store=now") == 200 }
        }
    }

    @Test func `A new password is taken into use by a reload`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let folder = try Folder()
        let file = try folder.write("geheim\n", to: "password")
        let settings = RunningService.settings(of: server, ["store.passwordFile": file])
        try await RunningService.with(settings) { service in
            #expect(try await service.passes("/live/1"))
            // A wrong one is reported, and the former one stays in use.
            _ = try folder.write("falsch\n", to: "password")
            await service.service.reload()
            #expect(service.log.text.contains("the former password and certificates of the store stay in use"))
            #expect(service.log.text.contains("WRONGPASS") && !service.log.text.contains("falsch"))
            #expect(try await service.metrics().contains(#"tve_reloads_total{result="bad"} 1"#))
            #expect(try await service.passes("/live/1"))
            try Self.say(["AUTH geheim", "CONFIG SET requirepass neu"], to: server)
            _ = try folder.write("neu\n", to: "password")
            await service.service.reload()
            #expect(service.log.text.contains("the store accepts its new password"))
            // New connections sign in with the new one.
            try Self.say(["AUTH neu", "CLIENT KILL TYPE normal SKIPME yes"], to: server)
            try await service.until { try await $0.passes("/live/1") }
            // A file that is gone is reported without its name, which may be the password.
            try FileManager.default.removeItem(atPath: file)
            await service.service.reload()
            #expect(service.log.text.contains("the file does not exist"))
            #expect(try await service.passes("/live/1"))
        }
    }

    /// Limits need a restart, and the password that is changed with them does not.
    @Test func `A new password is taken into use together with other limits`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let folder = try Folder()
        let password = try folder.write("geheim\n", to: "password")
        let write = { @Sendable (milliseconds: Int) in
            try folder.write(#"{"store":{"timeoutMilliseconds":\#(milliseconds)}}"#, to: "c.json")
        }
        let settings = RunningService.settings(
            of: server, ["store.passwordFile": password, "store.timeoutMilliseconds": ""])
        try await RunningService.with(settings, file: try write(5000)) { service in
            #expect(try await service.passes("/live/1"))
            try Self.say(["AUTH geheim", "CONFIG SET requirepass neu"], to: server)
            _ = try folder.write("neu\n", to: "password")
            _ = try write(6000)
            await service.service.reload()
            #expect(service.log.text.contains("reloaded in part"))
            #expect(service.log.text.contains("the store accepts its new password"))
            try Self.say(["AUTH neu", "CLIENT KILL TYPE normal SKIPME yes"], to: server)
            try await service.until { try await $0.passes("/live/1") }
        }
    }

    /// The password is that of the server that is used after a restart.
    @Test(arguments: ["store.address", "sessions.store"])
    func `The server in use is not told the password of another one`(_ setting: String) async throws {
        let (old, new) = (try RedisServer("--requirepass", "geheim"), try RedisServer("--requirepass", "neu"))
        let folder = try Folder()
        let password = try folder.write("geheim\n", to: "password")
        let name = setting.split(separator: ".")
        let write = { @Sendable (server: RedisServer) in
            try folder.write(
                #"{"\#(name[0])":{"\#(name[1])":"redis+unix://\#(server.socketPath)"}}"#, to: "c.json")
        }
        var settings = RunningService.settings(
            of: old, try SessionTests.settings(folder, "a").merging(["store.passwordFile": password]) { $1 })
        settings["store.address"] = setting == "store.address" ? "" : "memory:"
        try await RunningService.with(settings, file: try write(old)) { service in
            _ = try write(new)
            await service.service.reload()
            #expect(service.log.text.contains("reloaded in part"))
            _ = try folder.write("neu\n", to: "password")
            // It is said until the restart.
            for number in 1...2 {
                await service.service.reload()
                let faults = service.log.events("the former password and certificates of the store stay in use")
                #expect(faults.count == number)
                #expect(faults.allSatisfy { $0.values["code"] == "needs_restart" && $0.values["setting"] == setting })
            }
            #expect(try await service.metrics().contains(#"tve_reloads_total{result="bad"} 2"#))
            // Nobody has shown the old server a wrong password.
            #expect(try Self.say(["AUTH geheim", "ACL LOG"], to: old) == "*0\r\n")
            // Once the address is that of the server in use again, so is the password.
            _ = try write(old)
            _ = try folder.write("geheim\n", to: "password")
            await service.service.reload()
            #expect(service.log.text.contains("the store accepts its new password"))
        }
    }

    /// Says several lines in one connection.
    ///
    /// - Returns: The last answer.
    @discardableResult
    private static func say(_ lines: [String], to server: RedisServer) throws -> String {
        let socket = try Socket.connected(to: server.socketPath)
        var answer: [UInt8] = []
        for line in lines {
            socket.write(Array("\(line)\r\n".utf8))
            answer = socket.readReply()
            #expect(!answer.isEmpty)
        }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test(arguments: [
        (["store.connections": "65"], ["store.connections bad_value"]),
        (["store.timeoutMilliseconds": "0"], ["store.timeoutMilliseconds bad_value"]),
        (["store.connectTimeoutMilliseconds": "60001"], ["store.connectTimeoutMilliseconds bad_value"]),
        (["store.maximumWaiting": "0"], ["store.maximumWaiting bad_value"]),
        (["store.prefix": "two words"], ["store.prefix bad_setting"]),
        (["store.clientName": "two words"], ["store.clientName bad_setting"]),
        (["store.caFile": "x"], ["store.caFile conflict"]),
        (["store.passwordFile": "5ec2e7"], ["store.passwordFile no_such_file"]),
        (["store.address": "rediss://h", "store.caFile": "/nowhere"], ["store.caFile bad_file"]),
        (["store.address": "rediss://h", "store.keyFile": "x"], ["store.certificateFile missing"]),
    ])
    func `Settings that cannot be meant are faults`(_ changes: [String: String], _ faults: [String]) async throws {
        let settings = ["store.address": "redis+unix:///nowhere/redis.sock"].merging(changes) { $1 }
        let error = await #expect(throws: ServiceSettingsError.self) { try await RunningService.service(settings) }
        #expect(error?.faults.map { "\($0.setting) \($0.code)" } == faults)
        #expect(error?.description.contains("5ec2e7") == false)
    }

    @Test func `A distant server needs a longer time limit`() async throws {
        let server = try RedisServer()
        let proxy = try DelayingProxy(to: server.socketPath, roundTrip: 300)
        let settings = [
            "store.address": "redis+unix://\(proxy.path)", "store.timeoutMilliseconds": "5000",
            "store.connectTimeoutMilliseconds": "5000", "store.connections": "4", "store.clientName": "tve-far",
        ]
        try await RunningService.with(settings) { service in
            for _ in 0..<3 {
                let passes = try await service.passes("/live/1")
                #expect(passes)
            }
            #expect(try server.say("CLIENT LIST").contains("name=tve-far "))
        }
    }

    @Test func `The store may be encrypted`() async throws {
        let certificates = try Certificates()
        let client = try certificates.make("client")
        let server = try EncryptedServer(
            try certificates.make("server"), authority: certificates.authority, wantsCertificates: true)
        let settings = [
            "store.address": "rediss://localhost:\(server.port)/1", "store.caFile": certificates.authority,
            "store.certificateFile": client.certificate, "store.keyFile": client.key,
            "store.timeoutMilliseconds": "5000", "store.connectTimeoutMilliseconds": "5000",
        ]
        try await RunningService.with(settings) { service in
            let passes = try await service.passes("/live/1")
            #expect(passes)
            #expect(try server.server.say("INFO keyspace").contains("db1:"))
        }
    }

    @Test func `A wrong authority is reported and changes nothing`() async throws {
        let (certificates, others) = (try Certificates(), try Certificates())
        let server = try EncryptedServer(try certificates.make("server"), authority: certificates.authority)
        let folder = try Folder()
        let copy = { @Sendable (file: String) in
            try folder.write(try String(contentsOfFile: file, encoding: .utf8), to: "authority.pem")
        }
        let settings = [
            "store.address": "rediss://localhost:\(server.port)", "store.caFile": try copy(certificates.authority),
            "store.timeoutMilliseconds": "5000", "store.connectTimeoutMilliseconds": "5000",
        ]
        try await RunningService.with(settings) { service in
            #expect(try await service.passes("/live/1"))
            _ = try copy(others.authority)
            await service.service.reload()
            #expect(service.log.text.contains("tls_unknown_authority"))
            try server.server.say("CLIENT KILL TYPE normal SKIPME yes")
            try await service.until { try await $0.passes("/live/1") }
        }
    }

    /// The store of sessions learns the new password, although another store refuses it.
    @Test func `Every store is offered the new password`() async throws {
        let tokens = try RedisServer("--requirepass", "geheim")
        let sessions = try RedisServer("--requirepass", "geheim")
        let folder = try Folder()
        let file = try folder.write("geheim\n", to: "password")
        let settings = RunningService.settings(
            of: tokens,
            try SessionTests.settings(folder, "a").merging([
                "store.passwordFile": file, "sessions.store": "redis+unix://\(sessions.socketPath)",
            ]) { $1 })
        try await RunningService.with(settings) { service in
            let cookie = "Cookie: \(SessionTests.cookie)=\(try await SessionTests.start(service))"
            #expect(try await service.authorize([cookie]).status == 200)
            try Self.say(["AUTH geheim", "CONFIG SET requirepass neu"], to: sessions)
            _ = try folder.write("neu\n", to: "password")
            await service.service.reload()
            #expect(service.log.text.contains("the former password and certificates of the store stay in use"))
            try Self.say(["AUTH neu", "CLIENT KILL TYPE normal SKIPME yes"], to: sessions)
            try await service.until { try await $0.authorize([cookie]).status == 200 }
        }
    }

    @Test func `A stall shorter than the grace time leaves the instance ready`() async throws {
        let server = try RedisServer()
        let folder = try Folder()
        let settings = RunningService.settings(of: server, try SessionTests.settings(folder, "a"))
        let time = ManualTime(at: .now)
        try await RunningService.with(settings, time: time.source) { service in
            let session = try await SessionTests.start(service, at: time.now)
            server.kill(SIGSTOP)
            #expect(try await service.ready("?store=now") == 503)
            for _ in 0..<4 {
                #expect(try await service.ready() == 200)
                #expect(try await service.authorize(["Cookie: \(SessionTests.cookie)=\(session)"]).status == 200)
                time.advance(by: .seconds(1))
            }
            // The default grace time of 10 seconds ends.
            time.advance(by: .seconds(7))
            let answer = try await service.askInternal(request("GET", "/readyz"))
            #expect(answer.status == 503)
            #expect(answer.text.contains("store_unavailable"))
            server.kill(SIGCONT)
            try await service.until {
                time.advance(by: .seconds(2))
                return try await $0.ready() == 200
            }
            // The grace time begins anew.
            server.kill(SIGSTOP)
            time.advance(by: .seconds(2))
            #expect(try await service.ready("?store=now") == 503)
            #expect(try await service.ready() == 200)
            server.kill(SIGCONT)
        }
    }

    @Test(arguments: [("0", 503), ("-1", 200)])
    func `The grace time can be none or endless`(_ seconds: String, _ status: Int) async throws {
        let server = try RedisServer()
        let settings = RunningService.settings(of: server, ["readiness.storeGraceSeconds": seconds])
        try await RunningService.with(settings) { service in
            server.kill(SIGSTOP)
            let found = try await service.ready()
            #expect(found == status)
            #expect(try await service.ready("?store=now") == 503)
            server.kill(SIGCONT)
        }
    }

    @Test func `Many probes of a slow server are one redemption`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: .now)
        try await RunningService.with(RunningService.settings(of: server), time: time.source) { service in
            #expect(try await service.ready("?store=now") == 200)
            // Until the result of the first probe is too old to be used again.
            time.advance(by: .seconds(1))
            let before = try Self.redemptions(server)
            try server.say("CLIENT PAUSE 150 ALL")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await service.ready("?store=now") } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try Self.redemptions(server) == before + 1)
        }
    }

    /// The number of redemptions that the server has answered.
    private static func redemptions(_ server: RedisServer) throws -> Int {
        let statistics = try server.say("INFO commandstats")
        let calls = statistics.components(separatedBy: "cmdstat_set:calls=").dropFirst().first
        return calls.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }
}

extension RunningService {
    /// The settings of a service that has its store on a server.
    ///
    /// The store's own limit of 250 ms would be one for a busy machine, and not for the server.
    static func settings(of server: RedisServer, _ changes: [String: String] = [:]) -> [String: String] {
        [
            "store.address": "redis+unix://\(server.socketPath)", "store.timeoutMilliseconds": "5000",
            "store.connectTimeoutMilliseconds": "5000",
        ].merging(changes) { $1 }
    }

    fileprivate func ready(_ query: String = "") async throws -> Int {
        try await askInternal(request("GET", "/readyz\(query)")).status
    }
}
#endif
