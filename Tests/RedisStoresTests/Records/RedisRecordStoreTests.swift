#if Redis
import EntitlementKeys
import EntitlementValues
import Foundation
import RecordChecks
import RedisStores
import SealedRecords
import TVETesting
import TestServers
import Testing

/// Records on a real server, and on servers that cannot tell.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .timeLimit(.minutes(15)))
struct RedisRecordStoreTests {
    private static func store(
        _ server: RedisServer,
        prefix: String = "tve:",
        time: TimeSource = .system
    ) throws -> RedisRecordStore {
        try RedisRecordStore(
            try server.address, settings: try RedisPoolSettings(prefix: prefix, timeLimit: .seconds(20)), time: time)
    }

    /// A key that is the same for the same number.
    private static func key(_ number: Int) throws -> RecordKey {
        try #require(RecordKey((0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : $0) }))
    }

    private static func record(_ text: String, version: Int64, for life: TimeToLive = .hours(1)) -> StoredRecord {
        StoredRecord(bytes: Array(text.utf8), version: version, expires: .now + life)
    }

    @Test(arguments: RecordStoreCheck.all)
    func theStoreKeepsItsPromises(_ check: RecordStoreCheck) async throws {
        let server = try RedisServer()
        let time = ManualTime(at: .now)
        let clock = StoreClock(now: { time.now }, pass: { time.set(time.now + $0) })
        let source = TimeSource(ContinuousClock()) { time.now }
        // A prefix with all characters that patterns of keys give a meaning.
        #expect(try await check.failures(of: Self.store(server, prefix: "t[v]e*?^\\:", time: source), by: clock) == [])
    }

    /// Four clients with connections of their own, and a server that forgets its scripts now and then.
    @Test func ofTenThousandChangesNoneIsLost() async throws {
        let server = try RedisServer()
        let key = try Self.key(1)
        let clients = try (0..<4).map { _ in try Self.store(server) }
        #expect(
            try await clients[0].replace(
                at: key, expecting: nil, with: Self.record("0", version: 1), durability: .full))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask {
                    var done = 0
                    while done < 2500 {
                        let old = try #require(try await client.record(at: key))
                        let count = try #require(Int(String(decoding: old.bytes, as: UTF8.self)))
                        let new = Self.record("\(count + 1)", version: old.version + 1)
                        if try await client.replace(
                            at: key, expecting: old.version, with: new, durability: .normal)
                        {
                            done += 1
                            if done % 1000 == 0 { try server.say("SCRIPT FLUSH") }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = try #require(try await clients[3].record(at: key))
        #expect(last.version == 10_001)
        #expect(String(decoding: last.bytes, as: UTF8.self) == "10000")
    }

    @Test func recordsEndInTheServerToo() async throws {
        let server = try RedisServer()
        let store = try Self.store(server)
        let (key, alias) = (try Self.key(1), try Self.key(2))
        // On a busy machine, much of the time may be over before the server is asked.
        let start = ContinuousClock.now
        var passed: Int { Int(start.duration(to: .now) / .milliseconds(1)) + 1 }
        #expect(
            try await store.replace(
                at: key, expecting: nil, with: Self.record("x", version: 1, for: .seconds(100)), durability: .normal))
        try await store.put(alias: alias, for: key, until: .now + .seconds(100))
        for name in ["r:\(key)", "a:\(alias)"] {
            let left = Int(try server.say("PTTL tve:\(name)").dropFirst().dropLast()) ?? -3
            // A minute more, for hosts whose clocks differ.
            #expect(160_000 - passed...160_000 ~= left)
        }
        try await store.extend(at: key, until: .now + .seconds(1000))
        let left = Int(try server.say("PTTL tve:r:\(key)").dropFirst().dropLast()) ?? -3
        #expect(1_060_000 - passed...1_060_000 ~= left)
    }

    @Test func aServerThatCannotAnswerIsNoAnswer() async throws {
        let server = try RedisServer("--maxmemory-policy", "noeviction")
        let address = try server.address
        let store = try RedisRecordStore(
            address, settings: try RedisPoolSettings(timeLimit: TimeToLive(milliseconds: 500)))
        let (key, alias) = (try Self.key(1), try Self.key(2))
        #expect(
            try await store.replace(
                at: key, expecting: nil, with: Self.record("x", version: 1), durability: .normal))
        // Full: nothing can be written, and nothing is forgotten.
        try server.say("CONFIG SET maxmemory 1")
        await #expect(throws: RecordStoreError.self) {
            try await store.replace(at: key, expecting: 1, with: Self.record("y", version: 2), durability: .normal)
        }
        try server.say("CONFIG SET maxmemory 0")
        #expect(try await store.version(at: key) == 1)
        server.kill(SIGSTOP)
        await #expect(throws: RecordStoreError.self) { try await store.record(at: key) }
        await #expect(throws: RecordStoreError.self) { try await store.version(at: key) }
        await #expect(throws: RecordStoreError.self) {
            try await store.replace(at: key, expecting: 1, with: Self.record("y", version: 2), durability: .normal)
        }
        await #expect(throws: RecordStoreError.self) { try await store.extend(at: key, until: .now + .hours(9)) }
        await #expect(throws: RecordStoreError.self) { try await store.remove(at: key) }
        await #expect(throws: RecordStoreError.self) { try await store.keys(of: key) }
        await #expect(throws: RecordStoreError.self) {
            try await store.put(alias: alias, for: key, until: .now + .hours(1))
        }
        await #expect(throws: RecordStoreError.self) { try await store.key(of: alias) }
        await #expect(throws: RecordStoreError.self) { try await store.remove(alias: alias) }
        await #expect(throws: RecordStoreError.self) { try await store.summaries(after: nil, limit: 10) }
        server.kill(SIGCONT)
    }

    @Test(arguments: [
        "", "x", "0000000000000001", String(repeating: "x", count: 96),
        "-1".padding(toLength: 200, withPad: "-", startingAt: 0),
    ])
    func valuesOfOtherProgramsAreNotRecords(_ value: String) async throws {
        let server = try RedisServer()
        let store = try Self.store(server)
        let key = try Self.key(1)
        try server.say("SET tve:r:\(key) \"\(value)\"")
        try server.say("SET tve:a:\(key) \"\(value)\"")
        await #expect(throws: RecordStoreError.self) { try await store.record(at: key) }
        await #expect(throws: RecordStoreError.self) { try await store.key(of: key) }
        try server.say("DEL tve:r:\(key)")
        try server.say("HSET tve:r:\(key) a b")
        await #expect(throws: RecordStoreError.self) { try await store.record(at: key) }
        await #expect(throws: RecordStoreError.self) {
            try await store.summaries(after: RecordCursor("1 COUNT"), limit: 1)
        }
    }

    @Test func usersOfTheAccessListNeedNoMoreThanTheyAreToldTo() async throws {
        let server = try RedisServer()
        #expect(
            try server.say(
                "ACL SETUSER keeper on >geheim ~tve:* +select +info +client|setname +get +getrange +set +setrange +del "
                    + "+pexpire +evalsha +eval +scan") == "+OK\r\n")
        let store = try RedisRecordStore(
            try RedisAddress(.unixSocket(path: server.socketPath), database: 1, user: "keeper"),
            password: KeyPassword("geheim"), settings: try RedisPoolSettings(timeLimit: .seconds(5)))
        let key = try Self.key(1)
        #expect(
            try await store.replace(
                at: key, expecting: nil, with: Self.record("x", version: 1), durability: .normal))
        try await store.extend(at: key, until: .now + .hours(9))
        try await store.put(alias: key, for: key, until: .now + .hours(1))
        #expect(try await store.key(of: key) == key)
        #expect(try await store.summaries(after: nil, limit: 10).summaries.count == 1)
        #expect(try await store.remove(at: key))
    }
}
#endif
