#if Service
import EntitlementValues
import RecordChecks
import SealedRecords
import TVEService
import TVETesting
import Testing

/// Counts of requests: exact, shared by replicas that share a store, and closed if the store is away.
@Suite struct RateCounterTests {
    private let time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))
    private let store: ObservedRecordStore
    private let counters: RateCounters

    init() {
        store = ObservedRecordStore(InMemoryRecordStore(time: time.source))
        counters = RateCounters(in: store, sealer: .unsealed, time: time.source)
    }

    private func passes(_ name: String = "a", _ kind: String = "devices", limit: Int = 3) async throws -> Bool {
        try await counters.count(name, as: kind, limit: limit) == nil
    }

    @Test func `So many pass at once, and then one after each part of a minute`() async throws {
        for _ in 0..<3 { #expect(try await passes()) }
        #expect(try await counters.count("a", as: "devices", limit: 3) == .seconds(20))
        time.advance(by: .seconds(19))
        #expect(try await counters.count("a", as: "devices", limit: 3) == .seconds(1))
        time.advance(by: .seconds(1))
        #expect(try await passes())
        #expect(try await !passes())
        time.advance(by: .minutes(2))
        for _ in 0..<3 { #expect(try await passes()) }
        #expect(try await !passes())
    }

    @Test func `Names and kinds are counted apart, also those that look alike when they are joined`() async throws {
        for _ in 0..<3 { #expect(try await passes("b", "codes")) }
        #expect(try await !passes("b", "codes"))
        #expect(try await passes("b", "devices"))
        #expect(try await passes("a", "codes"))
    }

    @Test func `Replicas with one store count together, and lose no count however many ask at once`() async throws {
        let other = RateCounters(in: store, sealer: .unsealed, time: time.source)
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                let counters = number % 2 == 0 ? counters : other
                group.addTask { try await counters.count("a", as: "devices", limit: 10) == nil }
            }
            return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
        #expect(passed == 10)
        #expect(try await !passes(limit: 10))
    }

    @Test(arguments: [(1, 2), (10, 11), (1000, 65)])
    func `A request that always loses to others is one too many after as many as may pass`(
        limit: Int,
        attempts: Int
    ) async throws {
        let lost = ObservedRecordStore(InMemoryRecordStore(time: time.source), losing: .max)
        let counters = RateCounters(in: lost, sealer: .unsealed, time: time.source)
        #expect(try await counters.count("a", as: "devices", limit: limit) == .milliseconds(60_000 / limit))
        #expect(lost.reads == attempts && lost.losses == attempts && lost.calls == 2 * attempts)
    }

    @Test func `If the store is away, nothing passes`() async throws {
        store.setAway(true)
        await #expect(throws: SealedTableError.self) { try await counters.count("a", as: "devices", limit: 10) }
        store.setAway(false)
        #expect(try await passes())
    }

    @Test func `A clock that was set back locks nobody out`() async throws {
        for _ in 0..<3 { #expect(try await passes()) }
        time.set(time.source.now - .hours(10))
        #expect(try await passes())
        for _ in 0..<2 { #expect(try await passes()) }
        #expect(try await !passes())
    }

    @Test(arguments: [Int64.max, .max - 60_000, 1_780_000_000_000 + 120_000, 0, -1, .min])
    func `A number that no count can have is none`(number: Int64) async throws {
        let inner = InMemoryRecordStore(time: time.source)
        let counters = RateCounters(in: inner, sealer: .unsealed, time: time.source)
        #expect(try await counters.count("a", as: "devices", limit: 3) == nil)
        let key = try #require(inner.summaries(after: nil, limit: 10).summaries.first?.key)
        let record = try #require(inner.record(at: key))
        let digits = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        let changed = StoredRecord(
            bytes: record.bytes.dropLast(8) + digits, version: record.version + 1, expires: record.expires)
        #expect(try inner.replace(at: key, expecting: record.version, with: changed, durability: .normal))
        for _ in 0..<3 { #expect(try await counters.count("a", as: "devices", limit: 3) == nil) }
        #expect(try await counters.count("a", as: "devices", limit: 3) == .seconds(20))
    }

    @Test func `The store does not tell whose counts it has, and those who look through it can pass over them`()
        async throws
    {
        let inner = InMemoryRecordStore(time: time.source)
        let counters = RateCounters(in: inner, sealer: .unsealed, time: time.source)
        #expect(try await counters.count("203.0.113.7", as: "devices", limit: 10) == nil)
        let key = try #require(inner.summaries(after: nil, limit: 10).summaries.first?.key)
        let record = try #require(inner.record(at: key))
        #expect(try RecordSealer.keyID(of: record.bytes) == nil)
        #expect(!String(decoding: record.bytes, as: UTF8.self).contains("203"))
        #expect(record.expires <= time.source.now + .minutes(3))
    }
}
#endif
