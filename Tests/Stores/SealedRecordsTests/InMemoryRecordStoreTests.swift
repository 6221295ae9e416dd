import EntitlementValues
import RecordChecks
import SealedRecords
import TVETesting
import Testing

@Suite struct InMemoryRecordStoreTests {
    let time = ManualTime(at: Timestamp(milliseconds: 1_768_498_200_000))

    @Test(arguments: RecordStoreCheck.all)
    func `The store keeps its promises`(_ check: RecordStoreCheck) async throws {
        let clock = StoreClock(now: { time.now }, pass: { time.advance(by: $0) })
        let failures = try await check.failures(of: InMemoryRecordStore(time: time.source), by: clock)
        #expect(failures == [])
    }

    private func key(_ number: Int) throws -> RecordKey {
        try #require(RecordKey((0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }))
    }

    private func write(_ number: Int, to store: InMemoryRecordStore, for life: TimeToLive) throws -> Bool {
        let record = StoredRecord(bytes: [1], version: 1, expires: time.now + life)
        return try store.replace(at: key(number), expecting: nil, with: record, durability: .normal)
    }

    @Test func `A full store refuses and drops nothing`() throws {
        let store = InMemoryRecordStore(capacity: 10, time: time.source)
        for number in 0..<8 { #expect(try write(number, to: store, for: .minutes(10))) }
        try store.put(alias: key(100), for: key(1), until: time.now + .minutes(10))
        try store.put(alias: key(101), for: key(1), until: time.now + .minutes(1))
        #expect(throws: RecordStoreError.full(capacity: 10)) { try write(8, to: store, for: .minutes(1)) }
        #expect(throws: RecordStoreError.full(capacity: 10)) {
            try store.put(alias: key(102), for: key(1), until: time.now + .minutes(1))
        }
        // What is there can be changed.
        let changed = StoredRecord(bytes: [2], version: 2, expires: time.now + .minutes(10))
        #expect(try store.replace(at: key(3), expecting: 1, with: changed, durability: .normal))
        try store.put(alias: key(100), for: key(2), until: time.now + .minutes(10))
        #expect(store.count == 8)
        // One name has expired: there is room for one.
        time.advance(by: .minutes(2))
        #expect(try write(8, to: store, for: .minutes(1)))
        #expect(throws: RecordStoreError.full(capacity: 10)) { try write(9, to: store, for: .minutes(1)) }
        #expect(store.count == 9)
    }

    @Test func `Expired records take no room for long`() throws {
        let store = InMemoryRecordStore(capacity: 500, time: time.source)
        for number in 0..<20_000 {
            #expect(try write(number, to: store, for: .seconds(10)))
            time.advance(by: TimeToLive(milliseconds: 100))
        }
        #expect(store.count == 99)
    }

    @Test func `Keys are read from their text`() throws {
        let key = try key(77)
        #expect(RecordKey(hexadecimal: key.description) == key)
        #expect(RecordKey(hexadecimal: key.description.uppercased()) == nil)
        #expect(RecordKey(hexadecimal: String(key.description.dropLast())) == nil)
        #expect(RecordKey(hexadecimal: key.description + " ") == nil)
        #expect(RecordKey([1, 2]) == nil)
    }

    @Test func `A record shows nothing of its content`() {
        let record = StoredRecord(bytes: Array("secret".utf8), version: 3, expires: Timestamp(milliseconds: 0))
        var dumped = ""
        dump(record, to: &dumped)
        #expect(!dumped.contains("115"))
        #expect("\(record)" == "record of 6 bytes, version 3, until 1970-01-01T00:00:00Z")
    }
}
