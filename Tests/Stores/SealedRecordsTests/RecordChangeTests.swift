import EntitlementValues
import RecordChecks
import SealedRecords
import Synchronization
import TVETesting
import TestVectors
import Testing

/// The one loop by which records are changed that others change at the same time.
@Suite struct RecordChangeTests {
    private static let start = Timestamp(milliseconds: 1_768_498_200_000)
    private let clock = SkippingClock()
    private let time: TimeSource
    private let records: InMemoryRecordStore
    private let store: ObservedRecordStore
    private let key: RecordKey

    init() throws {
        time = clock.source(from: Self.start)
        records = InMemoryRecordStore(time: time)
        store = ObservedRecordStore(records)
        key = try RecordSealer.unsealed.key(of: "a", for: .device)
    }

    /// A record of the text before it and one letter more.
    private static func appending(_ letter: Character, to found: StoredRecord?) -> StoredRecord {
        StoredRecord(
            bytes: (found?.bytes ?? []) + Array(String(letter).utf8), version: StoredRecord.version(after: found),
            expires: start + .hours(1))
    }

    @discardableResult
    private func append(
        _ letter: Character,
        in store: ObservedRecordStore,
        trying limit: ChangeLimit = .patient
    ) async throws(SealedTableError) -> Int {
        try await store.change(at: key, by: time, trying: limit) { found in
            .put(Self.appending(letter, to: found), .normal, found?.bytes.count ?? 0)
        }
    }

    private var text: String? { records.record(at: key).map { String(decoding: $0.bytes, as: UTF8.self) } }

    @Test func `What is kept is read once and not written`() async throws {
        let answer = try await store.change(at: key, by: time) { found in .keep(found == nil) }
        #expect(answer)
        #expect(store.reads == 1 && store.calls == 1)
    }

    @Test func `What is put takes the place of what was read, as sure as the body says`() async throws {
        try await append("a", in: store)
        #expect(try await append("b", in: store) == 1)
        try await store.change(at: key, by: time) { found in .put(Self.appending("c", to: found), .full, ()) }
        #expect(text == "abc" && store.written == [.normal, .normal, .full])
        #expect(store.calls == 6)
    }

    @Test func `The body runs again with the record as it is once others came first`() async throws {
        store.actOnce(.beforeWrite) { _ = try? await append("x", in: store) }
        #expect(try await append("a", in: store) == 1)
        #expect(text == "xa")
    }

    @Test func `A body can ask, and what it throws ends the change`() async throws {
        await #expect(throws: SealedTableError.misplaced) {
            try await store.change(at: key, by: time) { _ throws(SealedTableError) -> Swap<Void> in
                await Task.yield()
                throw .misplaced
            }
        }
        #expect(store.calls == 1)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `A store that does not answer ends the change at once`(isReading: Bool, isWriting: Bool) async {
        store.setAway(reading: isReading, writing: isWriting)
        await #expect(throws: SealedTableError.store(ObservedRecordStore.failure)) { try await append("a", in: store) }
        #expect(store.calls == (isReading ? 1 : 2) && text == nil)
    }

    @Test func `A patient change is made after a hundred others`() async throws {
        let contested = ObservedRecordStore(records, losing: 100)
        try await append("a", in: contested)
        #expect(text == "a" && contested.losses == 100 && contested.reads == 101)
    }

    @Test func `A patient change is given up only after its patience`() async {
        let contested = ObservedRecordStore(records, losing: .max)
        let error = await #expect(throws: SealedTableError.self) { try await append("a", in: contested) }
        #expect(error == .contended(attempts: contested.losses))
        #expect(contested.losses > ChangeAttempts.minimum && clock.now.uptime >= ChangeAttempts.patience)
    }

    @Test(arguments: [1, 2, 65])
    func `A change that is tried so often makes no pause, and comes in time with its last attempt`(
        count: Int
    ) async throws {
        let lost = ObservedRecordStore(records, losing: .max)
        await #expect(throws: SealedTableError.contended(attempts: count)) {
            try await append("a", in: lost, trying: .atMost(count))
        }
        #expect(lost.reads == count && lost.writes == count && text == nil)
        let won = ObservedRecordStore(records, losing: count - 1)
        try await append("a", in: won, trying: .atMost(count))
        #expect(text == "a" && clock.now.uptime == .zero)
    }

    @Test func `That the task was cancelled is noticed between two attempts, and by patient ones alone`() async throws {
        func afterCancellation(losing count: Int, trying limit: ChangeLimit) async throws -> Int {
            let contested = ObservedRecordStore(records, losing: count)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await append("a", in: contested, trying: limit)
            }
            task.cancel()
            return try await task.value
        }
        #expect(try await afterCancellation(losing: 0, trying: .patient) == 0)
        await #expect(throws: SealedTableError.cancelled(attempts: 1)) {
            try await afterCancellation(losing: 5, trying: .patient)
        }
        #expect(try await afterCancellation(losing: 5, trying: .atMost(6)) == 1)
    }

    @Test func `A first version is drawn, and each change adds one`() {
        let drawn = Set((0..<100).map { _ in StoredRecord.version(after: nil) })
        #expect(drawn.count > 90 && drawn.allSatisfy { 1...(1 << 48) ~= $0 })
        let last = StoredRecord(bytes: [], version: 7, expires: Self.start)
        #expect(StoredRecord.version(after: last) == 8)
    }
}
