#if Redis
import EntitlementKeys
import EntitlementValues
import Foundation
import RedisStores
import Synchronization
import TestVectors
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// Everything that a server could answer; some of it Redis itself answers when it is in trouble.
@Suite(.onOwnThreads)
struct HostileServerTests {
    @Test(arguments: [
        ("-MISCONF Redis is configured to save RDB snapshots", "free the disk"),
        ("-LOADING Redis is loading the dataset in memory", "still reads its data"),
        ("-OOM command not allowed when used memory > 'maxmemory'", "raise its maxmemory"),
        ("-READONLY You can't write against a read only replica", "address of the primary"),
        ("-MASTERDOWN Link with MASTER is down", "address of the primary"),
        ("-NOREPLICAS Not enough good replicas to write", "min-replicas-to-write"),
        ("-NOAUTH Authentication required", "demands a password"),
        ("-WRONGPASS invalid username-password pair", "does not accept the user or the password"),
        ("-NOPERM this user has no permissions", "+set"),
        ("-BUSY Redis is busy running a script", "stop the script"),
        ("-MOVED 3999 127.0.0.1:6381", "without cluster mode"),
        ("-ASK 3999 127.0.0.1:6381", "without cluster mode"),
        ("-CLUSTERDOWN Hash slot not served", "without cluster mode"),
        ("-ERR unknown command", "other than Redis or Valkey"),
        ("-GEHEIM secret", "unknown error"),
        ("-", "unknown error"),
    ])
    func `Errors refuse the redemption and say what to do`(_ answer: String, _ advice: String) async throws {
        let server = try FakeServer(redemptions: { _ in .say(answer + "\r\n") })
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        let refusal = await store.refusal(1)
        #expect(refusal?.contains(advice) == true)
        #expect(refusal?.contains("secret") == false && refusal?.contains("GEHEIM") == false)
    }

    @Test(arguments: [
        "+QUEUED\r\n", "+ok\r\n", "+OK \r\n", "+\r\n", ":1\r\n", ":0\r\n", "$2\r\nOK\r\n", "$0\r\n\r\n",
        "*0\r\n", "*1\r\n+OK\r\n", "*2147483647\r\n", "*1000000000\r\n", "*99999999999999999999\r\n",
        "$2000000000\r\n", "$-2\r\n", "$99999999999999999999\r\n", "$x\r\n", ":x\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
        "\r\n", "\u{0}\u{0}\u{0}\u{0}\r\n", "#t\r\n", ",1\r\n", "+OK\n", "+OK", "$-1", "", "-ERR",
    ])
    func `Nonsense is neither yes nor no`(_ answer: String) async throws {
        let server = try FakeServer(redemptions: { _ in .say(answer) })
        defer { server.stop() }
        // Some of it could become an answer, and is refused in the end because time passes.
        #expect(try await refusal(by: server) != nil)
    }

    /// Redeems, and lets the time limit pass once the server was asked.
    private func refusal(by server: FakeServer) async throws -> String? {
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.path, timeLimit: .untilMoved, time: time.source)
        let refusal = Task { await store.refusal(1) }
        try await eventually { !server.commands.isEmpty }
        time.advance(by: .seconds(1))
        return await refusal.value
    }

    /// "No value" in a protocol that is not asked for: hiredis reads it as that since 1.0, and as nonsense before.
    @Test func `The null of another protocol lets nothing pass`() async throws {
        let server = try FakeServer(redemptions: { _ in .say("_\r\n") })
        defer { server.stop() }
        let answer = try? await RedisReplayStore(socket: server.path).redeem(1)
        #expect(answer == nil || answer == .seen)
    }

    @Test(arguments: ["$-1\r\n", "*-1\r\n"])
    func `Both spellings of no value are seen`(_ answer: String) async throws {
        let server = try FakeServer(redemptions: { _ in .say(answer) })
        defer { server.stop() }
        #expect(try await RedisReplayStore(socket: server.path).redeem(1) == .seen)
    }

    @Test func `An answer too many goes to no other redemption`() async throws {
        let count = Mutex(0)
        let server = try FakeServer(redemptions: { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return .say(isFirst ? "+OK\r\n+OK\r\n" : "$-1\r\n")
        })
        defer { server.stop() }
        // One connection at a time, so that the second one can only replace the first.
        let store = try RedisReplayStore(socket: server.path, connections: 1)
        #expect(try await store.redeem(1) == .first)
        for number in 2..<5 { #expect(try await store.redeem(number) == .seen) }
        #expect(server.connections == 2)
    }

    @Test(arguments: ["", "+", "+O", "+OK", "+OK\r", "$", "$-", "$-1\r", "-", "-OO", "-OOM out"])
    func `Answers that are cut off are none`(_ answer: String) async throws {
        let server = try FakeServer(redemptions: { _ in .end(answer) })
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        #expect(await store.refusal(1)?.contains("closed the connection") == true)
    }

    @Test(arguments: [true, false])
    func `Answers without end cost little memory and time`(isLine: Bool) async throws {
        let flood = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let server = try FakeServer(redemptions: { _ in .sayBytes(Array((isLine ? "+" : "$900000000\r\n").utf8) + flood)
        })
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        #expect(await store.refusal(1)?.contains("is it Redis or Valkey") == true)
    }

    @Test(arguments: ["server", "replication", "memory", "persistence"])
    func `Nonsense before the first redemption is no consent`(_ section: String) async throws {
        for answer in ["+OK\r\n", ":1\r\n", "$-1\r\n", "*0\r\n", "-LOADING\r\n", "-NOAUTH\r\n", "garbage\r\n"] {
            let server = try FakeServer { command in
                guard command[0] == "INFO" else { return .say("+OK\r\n") }
                return .say(command[1] == section ? answer : FakeServer.info(of: command[1]))
            }
            defer { server.stop() }
            let store = try RedisReplayStore(socket: server.path)
            #expect(await store.refusal(1) != nil, "\(answer)")
            #expect(server.commands.isEmpty)
        }
    }

    @Test(arguments: [
        ("role", "slave", "is a replica"), ("redis_mode", "cluster", "without cluster mode"),
        ("redis_mode", "sentinel", "is a Sentinel"),
    ])
    func `Servers that would forget are not asked`(_ name: String, _ value: String, _ reason: String) async throws {
        let server = try FakeServer { command in
            .say(command[0] == "INFO" ? FakeServer.info(of: command[1], [name: value]) : "+OK\r\n")
        }
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        #expect(await store.refusal(1)?.contains(reason) == true)
        #expect(server.commands.isEmpty)
    }

    /// It says so without being asked, with or without a question that it could be the answer to.
    @Test(arguments: [("geheim", 0), (nil, 3), (nil, 0)] as [(String?, Int)])
    func `A server without a place is not one with another password`(_ password: String?, _ database: Int) async throws
    {
        let path = "/tmp/tve-\(UUID().uuidString.prefix(13)).sock"
        let listener = try Socket.listening(at: path)
        Thread.detachNewThread {
            while let peer = listener.nextPeer() {
                peer.write(Array("-ERR max number of clients reached\r\n".utf8))
                peer.shut()
            }
        }
        defer {
            listener.shut()
            try? FileManager.default.removeItem(atPath: path)
        }
        let store = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: path), database: database),
            password: password.map { KeyPassword($0) }, settings: try .patient())
        let refusal = await store.refusal(1)
        #expect(refusal?.contains("(maxclients)") == true, "\(refusal ?? "no refusal")")
    }

    @Test func `Silence is refused in time`() async throws {
        let server = try FakeServer(redemptions: { _ in .nothing })
        defer { server.stop() }
        // By the system's time, which passes by itself.
        let store = try RedisReplayStore(socket: server.path, timeLimit: .untilMoved)
        #expect(await store.refusal(1)?.contains("did not answer in time") == true)
    }

    @Test func `The time limit goes by the store's time`() async throws {
        let server = try FakeServer(redemptions: { _ in .nothing })
        defer { server.stop() }
        #expect(try await refusal(by: server)?.contains("did not answer in time") == true)
    }

    @Test func `Trickling is refused in time`() async throws {
        let trickle = try FakeServer(redemptions: { _ in .trickle("+") })
        defer { trickle.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: trickle.path, timeLimit: .untilMoved, time: time.source)
        let refusal = Task { await store.refusal(50) }
        try await eventually { trickle.trickled >= 5 }
        // Only once: bytes that arrive later must not move the deadline.
        time.advance(by: .seconds(1))
        #expect(await refusal.value?.contains("did not answer in time") == true)
        let refusals = await time.pass {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 { group.addTask { await store.refusal(number) != nil } }
                return await group.reduce(true) { $0 && $1 }
            }
        }
        #expect(refusals)
    }

    /// A late reply belongs to a redemption that was refused already; the next redemption must not get it.
    @Test func `Late replies go to nobody else`() async throws {
        let isLate = DispatchSemaphore(value: 0)
        let server = try FakeServer(redemptions: { command in
            guard command[1] == "tve:\(id(1))" else { return .say("$-1\r\n") }
            isLate.hold()
            return .say("+OK\r\n")
        })
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(
            socket: server.path, timeLimit: .untilMoved, connections: 1, time: time.source)
        let refusal = Task { await store.refusal(1) }
        try await eventually { !server.commands.isEmpty }
        // As long as the reply may take, and not yet as long as the connection waits for it.
        time.advance(by: .untilMoved)
        #expect(await refusal.value?.contains("did not answer in time") == true)
        isLate.signal()
        for number in 2..<10 { #expect(try await store.redeem(number) == .seen) }
        #expect(server.connections == 1)
    }

    @Test func `A connection lost in the middle is not asked again`() async throws {
        let count = Mutex(0)
        let server = try FakeServer(redemptions: { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number % 10 == 0 ? .end("") : .say("+OK\r\n")
        })
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        let firsts = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask { (try? await store.redeem(number)) == .first ? 1 : 0 }
            }
            return await group.reduce(0, +)
        }
        let keys = server.commands.map { $0[1] }
        #expect(Set(keys).count == keys.count, "a redemption was sent twice")
        #expect(firsts < 200 && firsts > 0)
        #expect(firsts <= keys.count)
    }

    @Test func `Connections that the server closed while idle cost no redemption`() async throws {
        let server = try FakeServer(redemptions: { _ in .end("+OK\r\n") })
        defer { server.stop() }
        // A second connection would be opened by a redemption that comes while the first one is being put away.
        let store = try RedisReplayStore(socket: server.path, connections: 1)
        for number in 0..<5 {
            #expect(try await store.redeem(number) == .first)
            // The server's end of the connection arrives before the next redemption.
            try await eventually { server.ended == number + 1 }
        }
        #expect(server.connections == 5)
    }

    @Test func `More than may wait is refused at once`() async throws {
        let server = try FakeServer(redemptions: { _ in .nothing })
        defer { server.stop() }
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(
            socket: server.path, timeLimit: .untilMoved, connections: 1, maximumWaiting: 5, time: time.source)
        let refusals = Refusals()
        for number in 0..<1000 { Task { await refusals.add(await store.refusal(number)) } }
        // No time passes: five wait, and up to five were sent together before; none, if all came before the connection was open.
        try await eventually { await refusals.all.count >= 990 }
        #expect(await refusals.all.allSatisfy { $0?.contains("5 commands waiting") == true })
        try await time.pass { try await eventually { await refusals.all.count == 1000 } }
        let all = await refusals.all
        #expect(990...995 ~= all.count { $0?.contains("5 commands waiting") == true })
        #expect(all.allSatisfy { $0 != nil })
    }

    /// What became of redemptions, in the order in which they ended.
    private actor Refusals {
        private(set) var all: [String?] = []

        func add(_ refusal: String?) { all.append(refusal) }
    }

    @Test func `Redemptions are written as one command with fixed key and end`() async throws {
        let server = try FakeServer(redemptions: { _ in .say("+OK\r\n") })
        defer { server.stop() }
        let store = try RedisReplayStore(socket: server.path)
        _ = try await store.redeem(1)
        #expect(server.commands == [["SET", "tve:\(id(1))", "1", "NX", "PX", "36000000"]])
    }

    @Test func `Passwords are sent and never shown`() async throws {
        let server = try FakeServer { command in
            switch command[0] {
            case "AUTH": .say("-WRONGPASS geheim\r\n")
            default: .say("+OK\r\n")
            }
        }
        defer { server.stop() }
        let store = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: server.path), user: "redeemer"), password: KeyPassword("geheim"),
            settings: try .patient())
        let refusal = await store.refusal(1)
        #expect(refusal?.contains("does not accept the user or the password") == true)
        #expect(server.commands.first == ["AUTH", "redeemer", "geheim"])
        var dumped = ""
        dump(store, to: &dumped)
        for text in [refusal ?? "", "\(store)", String(reflecting: store), dumped] {
            #expect(!text.contains("geheim") && !text.contains("redeemer"))
        }
    }
}
#endif
