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
    .onOwnThreads)
struct RedisRecordStoreTests {
    private static func store(
        _ server: RedisServer,
        prefix: String = "tve:",
        time: TimeSource = .system
    ) throws -> RedisRecordStore {
        try RedisRecordStore(
            try server.address, settings: try .patient(prefix: prefix), time: time)
    }

    /// A key that is the same for the same number.
    private static func key(_ number: Int) throws -> RecordKey {
        try #require(RecordKey((0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : $0) }))
    }

    private static func record(
        _ text: String,
        version: Int64,
        until expiry: Timestamp = .now + .hours(10)
    ) -> StoredRecord {
        StoredRecord(bytes: Array(text.utf8), version: version, expires: expiry)
    }

    @Test(arguments: RecordStoreCheck.all)
    func `The store keeps its promises`(_ check: RecordStoreCheck) async throws {
        let server = try RedisServer()
        let time = ManualTime(at: .now)
        let clock = StoreClock(now: { time.now }, pass: { time.set(time.now + $0) })
        let source = TimeSource(ContinuousClock()) { time.now }
        // A prefix with all characters that patterns of keys give a meaning.
        #expect(try await check.failures(of: Self.store(server, prefix: "t[v]e*?^\\:", time: source), by: clock) == [])
    }

    /// Four clients with connections of their own, and a server that forgets its scripts now and then.
    @Test func `Of ten thousand changes none is lost`() async throws {
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
                    // Each attempt that fails is one of the other clients that was made.
                    for _ in 0..<10_000 where done < 2500 {
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
                    #expect(done == 2500)
                }
            }
            try await group.waitForAll()
        }
        let last = try #require(try await clients[3].record(at: key))
        #expect(last.version == 10_001)
        #expect(String(decoding: last.bytes, as: UTF8.self) == "10000")
    }

    @Test func `Records end in the server too`() async throws {
        let server = try RedisServer()
        let store = try Self.store(server, time: .fixed(at: noon))
        let (key, alias) = (try Self.key(1), try Self.key(2))
        // A minute more, for hosts whose clocks differ.
        let record = Self.record("x", version: 1, until: noon + .seconds(100))
        #expect(
            try await server.expectMemory("tve:r:\(key)", of: .seconds(160)) {
                try await store.replace(at: key, expecting: nil, with: record, durability: .normal)
            })
        try await server.expectMemory("tve:a:\(alias)", of: .seconds(160)) {
            try await store.put(alias: alias, for: key, until: noon + .seconds(100))
        }
        try await server.expectMemory("tve:r:\(key)", of: .seconds(1060)) {
            try await store.extend(at: key, until: noon + .seconds(1000))
        }
    }

    @Test func `A server that cannot answer is no answer`() async throws {
        let server = try RedisServer("--maxmemory-policy", "noeviction")
        let address = try server.address
        let time = ManualTime(at: .now)
        let store = try RedisRecordStore(
            address, settings: try RedisPoolSettings(timeLimit: .untilMoved, connectTimeLimit: .patient),
            time: time.source)
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
        await time.pass { await Self.expectNoAnswers(from: store, key, alias) }
        server.kill(SIGCONT)
    }

    private static func expectNoAnswers(from store: RedisRecordStore, _ key: RecordKey, _ alias: RecordKey) async {
        await #expect(throws: RecordStoreError.self) { try await store.record(at: key) }
        await #expect(throws: RecordStoreError.self) { try await store.version(at: key) }
        await #expect(throws: RecordStoreError.self) {
            try await store.replace(at: key, expecting: 1, with: Self.record("y", version: 2), durability: .normal)
        }
        await #expect(throws: RecordStoreError.self) { try await store.extend(at: key, until: .now + .hours(9)) }
        await #expect(throws: RecordStoreError.self) { try await store.remove(at: key) }
        await #expect(throws: RecordStoreError.self) { try await store.keys(of: key) }
        await #expect(throws: RecordStoreError.self) {
            try await store.put(alias: alias, for: key, until: .now + .hours(9))
        }
        await #expect(throws: RecordStoreError.self) { try await store.key(of: alias) }
        await #expect(throws: RecordStoreError.self) { try await store.remove(alias: alias) }
        await #expect(throws: RecordStoreError.self) { try await store.summaries(after: nil, limit: 10) }
    }

    /// A page is no flood: it leaves places to others, and is read whole also where few commands may wait.
    @Test func `Many records are listed though few commands may wait`() async throws {
        let server = try RedisServer()
        let writer = try Self.store(server)
        let subject = try Self.key(1_000_000)
        for number in 0..<500 {
            let record = StoredRecord(
                bytes: [1], version: 1, expires: .now + .hours(10), subject: number.isMultiple(of: 2) ? subject : nil)
            #expect(try await writer.replace(at: Self.key(number), expecting: nil, with: record, durability: .normal))
        }
        let reader = try RedisRecordStore(
            try server.address,
            settings: try RedisPoolSettings(
                connections: 1, timeLimit: .patient, connectTimeLimit: .patient, maximumWaiting: 10))
        var found: Set<RecordKey> = []
        var cursor: RecordCursor?
        repeat {
            let page = try await reader.summaries(after: cursor, limit: 1000)
            found.formUnion(page.summaries.map(\.key))
            cursor = page.next
        } while cursor != nil
        #expect(found == Set(try (0..<500).map(Self.key)))
        #expect(Set(try await reader.keys(of: subject)) == Set(try (0..<250).map { try Self.key(2 * $0) }))
    }

    @Test(arguments: [
        "", "x", "0000000000000001", String(repeating: "x", count: 96),
        "-1".padding(toLength: 200, withPad: "-", startingAt: 0),
    ])
    func `Values of other programs are not records`(_ value: String) async throws {
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

    @Test func `Users of the access list need no more than they are told to`() async throws {
        let server = try RedisServer()
        #expect(
            try server.say(
                "ACL SETUSER keeper on >geheim ~tve:* +select +info +client|setname +get +getrange +set +setrange +del "
                    + "+pexpire +evalsha +eval +scan") == "+OK\r\n")
        let store = try RedisRecordStore(
            try RedisAddress(.unixSocket(path: server.socketPath), database: 1, user: "keeper"),
            password: KeyPassword("geheim"), settings: try .patient())
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
