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

/// Against a real server.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct RedisServerTests {
    @Test func `Of two redemptions the first wins`() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(try await store.redeem(1) == .first)
        #expect(try await store.redeem(1) == .seen)
        #expect(try await store.redeem(2) == .first)
        #expect(try await RedisReplayStore(socket: server.socketPath).redeem(2) == .seen)
    }

    @Test func `Redemptions last as long as they must and no longer`() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(
            try await server.expectMemory("tve:\(id(1))", of: .minutes(7)) {
                try await store.redeem(id(1), until: noon + .minutes(7), at: noon)
            } == .first)
        for _ in 0..<2 {
            let store = try RedisReplayStore(socket: server.socketPath)
            #expect(try await store.redeem(id(2), until: noon + TimeToLive(milliseconds: 40), at: noon) == .first)
            try await eventually { try server.say("EXISTS tve:\(id(2))") == ":0\r\n" }
        }
    }

    @Test func `Redemptions as of long ago last a day`() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath, time: .fixed(at: noon + .hours(500)))
        for (number, expiry) in [(1, noon + .minutes(7)), (2, noon), (3, Timestamp(milliseconds: .min))] {
            #expect(
                try await server.expectMemory("tve:\(id(number))", of: .hours(24)) {
                    try await store.redeem(id(number), until: expiry, at: noon)
                } == .first)
            #expect(try await store.redeem(number) == .seen)
        }
    }

    @Test func `A verification by a clock that is behind does not shorten the memory`() async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(
            try await server.expectMemory("tve:\(id(1))", of: .minutes(7)) {
                try await store.redeem(id(1), until: noon + .minutes(7), at: noon + .minutes(6))
            } == .first)
        #expect(
            try await server.expectMemory("tve:\(id(2))", of: .minutes(67)) {
                try await store.redeem(id(2), until: noon + .minutes(7), at: noon - .hours(1))
            } == .first)
    }

    @Test(arguments: [TimeToLive.hours(24 * 366).milliseconds + 1, Int64.max])
    func `Lifetimes that cannot be kept are refused`(_ milliseconds: Int64) async throws {
        let server = try RedisServer()
        let store = try RedisReplayStore(socket: server.socketPath)
        await #expect(throws: ReplayStoreError.self) {
            try await store.redeem(id(1), until: noon + TimeToLive(milliseconds: milliseconds), at: noon)
        }
        #expect(try server.say("DBSIZE") == ":0\r\n")
    }

    // MARK: Clocks

    /// Otherwise one redemption while the clock is wrong would have every first play refused until the time has caught
    /// up.
    @Test func `A clock that leaps ahead and back has nothing refused`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.socketPath, time: time.source)
        #expect(try await store.redeem(id(1), until: noon + .minutes(22), at: noon) == .first)
        time.set(noon + .hours(24))
        let end = time.now + .minutes(22)
        #expect(
            try await server.expectMemory("tve:\(id(2))", of: .hours(24) + .minutes(22)) {
                try await store.redeem(id(2), until: end, at: time.now)
            } == .first)
        time.advance(by: .minutes(2))
        time.set(noon + .minutes(2))
        #expect(try await store.redeem(id(1), until: noon + .minutes(22), at: time.now) == .seen)
        #expect(try await store.redeem(id(2), until: end, at: time.now) == .seen)
        #expect(try await store.redeem(id(3), until: time.now + .minutes(22), at: time.now) == .first)
    }

    /// A store that began during the leap knew no better, and the server may have dropped what it redeemed.
    @Test func `A store that began during a leap refuses what ended during it`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: noon + .hours(24))
        let store = try RedisReplayStore(socket: server.socketPath, time: time.source)
        let end = time.now + .minutes(22)
        #expect(try await store.redeem(id(1), until: end, at: time.now) == .first)
        time.advance(by: .minutes(30))
        #expect(try await store.redeem(id(2), until: end + .hours(1), at: time.now) == .first)
        try server.say("FLUSHALL")
        time.set(noon + .minutes(30))
        await #expect(throws: ReplayStoreError.forgotten(until: end, forgottenThrough: end + .minutes(8))) {
            try await store.redeem(id(1), until: end, at: time.now)
        }
        #expect(try await store.redeem(id(3), until: end + .hours(2), at: time.now) == .first)
    }

    /// What leaps again and again does not add up.
    @Test func `What ends between two leaps is not refused`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.socketPath, time: time.source)
        for number in 0..<3 {
            time.set(time.now + .hours(24))
            #expect(try await store.redeem(id(number), until: time.now + .hours(5), at: time.now) == .first)
            time.set(time.now - .hours(24))
            #expect(try await store.redeem(id(10 + number), until: time.now + .hours(1), at: time.now) == .first)
            time.advance(by: .hours(2))
        }
        #expect(try await store.redeem(id(20), until: noon + .hours(25), at: time.now) == .first)
        #expect(try await store.redeem(id(21), until: noon + .hours(27), at: time.now) == .first)
        #expect(try await store.redeem(id(0), until: noon + .hours(29), at: time.now) == .seen)
    }

    @Test func `A clock that goes back revives nothing`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: noon)
        let store = try RedisReplayStore(socket: server.socketPath, time: time.source)
        #expect(try await store.redeem(id(1), until: noon + .minutes(7), at: noon) == .first)
        time.advance(by: .hours(1))
        #expect(try await store.redeem(id(2), until: noon + .hours(2), at: noon + .hours(1)) == .first)
        try server.say("FLUSHALL")
        time.set(noon)
        await #expect(
            throws: ReplayStoreError.forgotten(until: noon + .minutes(7), forgottenThrough: noon + .hours(1))
        ) {
            try await store.redeem(id(1), until: noon + .minutes(7), at: noon)
        }
        #expect(try await store.redeem(id(3), until: noon + .hours(2), at: noon) == .first)
    }

    /// A clock that was years late at the start and is right now is no leap, and the server must not fill up.
    @Test func `A clock that began late does not lengthen the memory`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: Timestamp(milliseconds: 0))
        let store = try RedisReplayStore(socket: server.socketPath, time: time.source)
        time.set(noon)
        #expect(
            try await server.expectMemory("tve:\(id(1))", of: .minutes(22)) {
                try await store.redeem(id(1), until: noon + .minutes(22), at: noon)
            } == .first)
        #expect(try await store.redeem(id(1), until: noon + .minutes(22), at: noon) == .seen)
    }

    /// Otherwise every first play would be refused until the process is restarted.
    @Test func `Probes of a clock that leaps forget nothing`() async throws {
        let server = try RedisServer()
        // A store that is made during a leap believes it.
        let time = ManualTime(at: noon + .hours(24))
        let store = try RedisReplayStore(socket: server.socketPath, time: TimeSource(ContinuousClock()) { time.now })
        for leap in [TimeToLive.hours(24), .zero, .hours(24), .zero] {
            time.set(noon + leap)
            try await store.probe()
        }
        #expect(try await store.redeem(1) == .first)
        server.kill(SIGSTOP)
        // However slowly the limit passes, the server does not answer.
        let impatient = try RedisReplayStore(socket: server.socketPath, timeLimit: .milliseconds(300))
        await #expect(throws: ReplayStoreError.self) { try await impatient.probe() }
        server.kill(SIGCONT)
    }

    @Test func `A server on the network is reached`() async throws {
        let server = try RedisServer(onPort: { ["--port", "\($0)", "--bind", "127.0.0.1"] })
        for host in ["127.0.0.1", "localhost"] {
            let store = try RedisReplayStore(
                try RedisAddress(parsing: "redis://\(host):\(server.port)/3"),
                settings: try .patient())
            #expect(try await store.redeem(1) == (host == "localhost" ? .seen : .first))
        }
        #expect(try server.say("INFO keyspace").contains("db3:keys=1"))
    }

    @Test func `Databases and prefixes keep redemptions apart`() async throws {
        let server = try RedisServer()
        for database in [0, 5] {
            for prefix in ["tve:", "other:"] {
                let store = try RedisReplayStore(
                    try RedisAddress(.unixSocket(path: server.socketPath), database: database),
                    settings: try .patient(prefix: prefix))
                #expect(try await store.redeem(1) == .first)
                #expect(try await store.redeem(1) == .seen)
            }
        }
        let missing = try RedisReplayStore(
            try RedisAddress(.unixSocket(path: server.socketPath), database: 16), settings: try .patient())
        #expect(await missing.refusal(1)?.contains("has no database 16") == true)
    }

    @Test func `Passwords are needed where the server wants one`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let address = try server.address
        let settings = try RedisPoolSettings.patient()
        let right = try RedisReplayStore(address, password: KeyPassword("geheim"), settings: settings)
        #expect(try await right.redeem(1) == .first)
        let wrong = try RedisReplayStore(address, password: KeyPassword("falsch"), settings: settings)
        #expect(await wrong.refusal(1)?.contains("does not accept the user or the password") == true)
        let none = try RedisReplayStore(address, settings: settings)
        #expect(await none.refusal(1)?.contains("demands a password") == true)
        let open = try RedisServer()
        let needless = try RedisReplayStore(
            try open.address, password: KeyPassword("geheim"), settings: settings)
        #expect(await needless.refusal(1)?.contains("does not accept a password") == true)
    }

    @Test func `Users of the access list need no more than they are told to`() async throws {
        let server = try RedisServer()
        #expect(try server.say("ACL SETUSER redeemer on >geheim ~tve:* +set +select +info") == "+OK\r\n")
        #expect(try server.say("ACL SETUSER blind on >geheim ~tve:* +set") == "+OK\r\n")
        #expect(try server.say("ACL SETUSER reader on >geheim ~* +get +info") == "+OK\r\n")
        func store(_ user: String, database: Int = 0, _ notes: Notes) throws -> RedisReplayStore {
            try RedisReplayStore(
                try RedisAddress(.unixSocket(path: server.socketPath), database: database, user: user),
                password: KeyPassword("geheim"), settings: try .patient(),
                onWarning: notes.note)
        }
        let notes = Notes()
        #expect(try await store("redeemer", database: 2, notes).redeem(1) == .first)
        #expect(notes.all == [.notPersistent])
        let blind = Notes()
        #expect(try await store("blind", blind).redeem(1) == .first)
        #expect(blind.all == [.notChecked])
        #expect(await (try store("reader", Notes())).refusal(1)?.contains("does not permit") == true)
    }

    @Test func `Unsafe settings are told once`() async throws {
        let server = try RedisServer("--maxmemory-policy", "allkeys-lru", "--maxmemory", "100mb")
        let notes = Notes()
        let store = try RedisReplayStore(socket: server.socketPath, connections: 4, onWarning: notes.note)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 { group.addTask { _ = try? await store.redeem(number) } }
        }
        #expect(Set(notes.all) == [.evicts(policy: "allkeys-lru"), .notPersistent])
        #expect(notes.all.count == 2)
        #expect(try await store.inspect() == Set(notes.all))
    }

    @Test func `A server set up well is warned of nowhere`() async throws {
        let server = try RedisServer("--appendonly", "yes")
        #expect(try await RedisReplayStore(socket: server.socketPath).inspect() == [])
    }

    @Test func `A full server refuses and forgets nothing`() async throws {
        let server = try RedisServer("--maxmemory-policy", "noeviction", "--maxmemory", "2mb")
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(try await store.redeem(0) == .first)
        var number = 1
        var refusal: String?
        while refusal == nil, number < 100_000 {
            let first = number
            number += 1000
            refusal = await withTaskGroup(of: String?.self) { group in
                for number in first..<first + 1000 { group.addTask { await store.refusal(number) } }
                return await group.reduce(nil) { $0 ?? $1 }
            }
        }
        #expect(refusal?.contains("out of memory (OOM)") == true)
        #expect(try server.say("CONFIG SET maxmemory 0") == "+OK\r\n")
        #expect(try await store.redeem(0) == .seen)
    }

    @Test func `Replicas are not asked`() async throws {
        let server = try RedisServer()
        try server.say("REPLICAOF 127.0.0.1 1")
        #expect(await (try RedisReplayStore(socket: server.socketPath)).refusal(1)?.contains("a replica") == true)
        try server.say("REPLICAOF NO ONE")
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(try await store.redeem(1) == .first)
        // Turned into a replica while connected, the server says so itself.
        try server.say("REPLICAOF 127.0.0.1 1")
        #expect(await store.refusal(2)?.contains("a replica") == true)
        try server.say("REPLICAOF NO ONE")
        #expect(try await store.answer(from: 3) == .first)
    }

    #if os(Linux)
    /// What is between the hosts forgets connections that say nothing for some minutes.
    @Test func `Connections are probed while nothing is said`() async throws {
        let server = try RedisServer(onPort: { ["--port", "\($0)", "--bind", "127.0.0.1"] })
        let store = try RedisReplayStore(
            try RedisAddress(.tcp(host: "127.0.0.1", port: server.port)), settings: try .patient(),
            time: .fixed(at: noon))
        #expect(try await store.redeem(1) == .first)
        let port = String(server.port, radix: 16, uppercase: true)
        let due = try await polled("the timer of the probes") { () -> Int? in
            // The remote address, the state, and the timer with the hundredths of a second that are left.
            // In one read, the system gives some lines only.
            let table = try #require(try FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd())
            for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count > 5, fields[2].hasSuffix(":" + String(repeating: "0", count: 4 - port.count) + port),
                    fields[3] == "01", fields[5].hasPrefix("02:")
                else { continue }
                return Int(fields[5].dropFirst(3), radix: 16)
            }
            return nil
        }
        #expect(due <= 1500)
        // The store holds its connection until here.
        #expect(try await store.redeem(2) == .first)
    }
    #endif

    @Test func `A busy server refuses`() async throws {
        let server = try RedisServer("--lua-time-limit", "50")
        let store = try RedisReplayStore(socket: server.socketPath)
        #expect(try await store.redeem(1) == .first)
        let script = try Socket.connected(to: server.socketPath)
        script.write(Array("EVAL \"while true do end\" 0\r\n".utf8))
        try await eventually { try server.say("PING").hasPrefix("-BUSY") }
        #expect(await store.refusal(2)?.contains("busy with a script") == true)
        try server.say("SCRIPT KILL")
        #expect(try await store.answer(from: 3) == .first)
    }
}
#endif
