import EntitlementValues
import HostSystem
import RecordChecks
import SealedRecords
import TVETesting
import Testing
import TextCodecs

/// Records of a table: their places, their seals, their ends, and what stands beside them.
@Suite struct SealedTableTests {
    /// A record of the second form, which has a number beside its name.
    struct Note: SealedRecord, Equatable {
        static let purpose: RecordPurpose = "note"
        static let schema: UInt32 = 2

        var name: String
        var number: Int64

        var encoded: [UInt8] {
            var object = JSONWriter()
            object.member("name", name)
            object.member("number", number)
            return object.finished
        }

        init(_ name: String, _ number: Int64) { (self.name, self.number) = (name, number) }

        init(decoding content: Span<UInt8>) throws(JSONFault) {
            let object = try JSONObject(content, in: 0..<content.count)
            name = try object.requiredIdentifier("name", in: content)
            number = try object.required("number", try object.integer("number", in: content))
        }

        func belongs(to name: String) -> Bool { self.name == name }
    }

    typealias Notes = SealedTable<Note>

    private static let alias: RecordPurpose = "alias"
    private let time = ManualTime(at: Timestamp(milliseconds: 1_768_498_200_000))
    private let records: InMemoryRecordStore
    private let store: ObservedRecordStore
    private let keys: SealingKeys
    private let sealed: Notes
    private let unsealed: Notes

    init() throws {
        records = InMemoryRecordStore(time: time.source)
        store = ObservedRecordStore(records)
        keys = try SealingKeys.generate(id: "k")
        sealed = Notes(in: store, sealer: RecordSealer(keys), time: time.source)
        unsealed = Notes(in: store, sealer: .unsealed, time: time.source)
    }

    private var end: Timestamp { time.now + .hours(48) }

    /// Writes a note in its place.
    @discardableResult
    private func put(_ note: Note, in table: Notes, subject: String? = nil) async throws -> Notes.Place {
        let place = try table.place(of: note.name)
        try await table.change(at: place) { _ in .write(note, until: end, subject: subject, answer: ()) }
        return place
    }

    /// Writes a content of any form in a place, as another release or an attacker does.
    private func put(_ content: String, schema: UInt32, at key: RecordKey, by table: Notes) throws {
        let context = RecordContext(purpose: Note.purpose, schema: schema, key: key, version: 5)
        let bytes = try Array(content.utf8).withSpan { content throws(SealingError) in
            try table.sealer.seal(content, in: context)
        }
        records.remove(at: key)
        let record = StoredRecord(bytes: bytes, version: 5, expires: end)
        #expect(try records.replace(at: key, expecting: nil, with: record, durability: .full))
    }

    // MARK: Changes

    @Test func `A record is stored under its purpose, its form, its place and its version`() async throws {
        let place = try await put(Note("a", 1), in: sealed, subject: "s")
        #expect(try place.key == RecordSealer(keys).key(of: "a", for: Note.purpose))
        let stored = try #require(records.record(at: place.key))
        #expect(1...(1 << 48) ~= stored.version && stored.expires == end && store.written == [.full])
        #expect(stored.subject == (try RecordSealer(keys).key(of: "s", for: .subject)))
        let context = RecordContext(purpose: Note.purpose, schema: 2, key: place.key, version: stored.version)
        let content = try RecordSealer(keys).open(stored.bytes, in: context).withSpan { String(copying: $0) }
        #expect(content == #"{"name":"a","number":1}"#)
    }

    @Test func `A change sees the record, and is written as it says`() async throws {
        let place = try await put(Note("a", 1), in: sealed, subject: "s")
        let first = try #require(records.record(at: place.key))
        let seen = try await sealed.change(at: place) { found in
            .write(Note("a", 2), until: end + .hours(1), durability: .normal, answer: found?.record)
        }
        #expect(seen == Note("a", 1))
        let second = try #require(records.record(at: place.key))
        #expect(second.version == first.version + 1 && second.expires == end + .hours(1) && second.subject == nil)
        #expect(store.written == [.full, .normal])
        #expect(try await sealed.entry(at: place)?.record == Note("a", 2))
        #expect(try await sealed.version(at: place.key) == second.version)
    }

    @Test func `What a change keeps is not written, and what it refuses is an answer`() async throws {
        struct Refusal: Error, Equatable {}
        let place = try sealed.place(of: "a")
        let outcome: Result<Int, Refusal> = try await sealed.change(at: place) { found in
            .keep(found == nil ? .failure(Refusal()) : .success(1))
        }
        #expect(outcome == .failure(Refusal()) && store.reads == 1 && store.calls == 1)
    }

    @Test func `A change that others came before is made with the record as it is then`() async throws {
        let place = try await put(Note("a", 1), in: sealed)
        let patient = Notes(in: store, sealer: RecordSealer(keys), time: SkippingClock.source(from: time.now))
        store.actOnce(.beforeWrite) { _ = try? await put(Note("a", 10), in: sealed) }
        try await patient.change(at: place) { found in
            .write(Note("a", (found?.record.number ?? 0) + 1), until: end, answer: ())
        }
        #expect(try await sealed.entry(at: place)?.record == Note("a", 11))
    }

    @Test func `A change that always comes too late says after how many attempts, and so does a cancelled one`()
        async throws
    {
        let contested = ObservedRecordStore(records, losing: .max)
        let notes = Notes(in: contested, sealer: .unsealed, time: SkippingClock.source(from: time.now))
        let place = try notes.place(of: "a")
        let error = await #expect(throws: SealedTableError.self) {
            try await notes.change(at: place) { _ in .write(Note("a", 1), until: end, answer: ()) }
        }
        #expect(error == .contended(attempts: contested.losses))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await notes.change(at: place) { _ in .write(Note("a", 1), until: end, answer: ()) }
        }
        task.cancel()
        await #expect(throws: SealedTableError.cancelled(attempts: 1)) { try await task.value }
    }

    // MARK: Forms

    @Test(arguments: [true, false])
    func `A form of a newer release stays as it is, and an older one is read`(isSealed: Bool) async throws {
        let table = isSealed ? sealed : unsealed
        let place = try table.place(of: "a")
        try put("what no one knows yet", schema: 3, at: place.key, by: table)
        let before = records.record(at: place.key)
        let newer = SealedTableError.newerSchema(found: 3, known: 2)
        await #expect(throws: newer) { try await table.entry(at: place) }
        await #expect(throws: newer) {
            try await table.change(at: place) { _ in .write(Note("a", 1), until: end, answer: ()) }
        }
        #expect(records.record(at: place.key) == before && store.writes == 0)
        try put(#"{"name":"a","number":3}"#, schema: 1, at: place.key, by: table)
        #expect(try await table.entry(at: place)?.record == Note("a", 3))
    }

    @Test func `A damaged record is an error at its place and stays as it is`() async throws {
        let place = try sealed.place(of: "a")
        try put(#"{"name":"a","number":"secret"}"#, schema: 2, at: place.key, by: sealed)
        let before = records.record(at: place.key)
        let damage = SealedTableError.damaged(at: .root + "number", reason: "number is not a whole number")
        await #expect(throws: damage) { try await sealed.entry(at: place) }
        await #expect(throws: damage) {
            try await sealed.change(at: place) { _ in .write(Note("a", 1), until: end, answer: ()) }
        }
        #expect(records.record(at: place.key) == before && store.writes == 0)
    }

    @Test func `A record that was moved is refused, sealed or not, unless its place alone is known`() async throws {
        for table in [sealed, unsealed] {
            let (a, b) = (try await put(Note("a", 1), in: table), try table.place(of: "b"))
            let moved = try #require(records.record(at: a.key))
            #expect(try records.replace(at: b.key, expecting: nil, with: moved, durability: .full))
        }
        let refusal = SealedTableError.opening(.doesNotOpen(keyID: "k"))
        await #expect(throws: refusal) { try await sealed.entry(at: try sealed.place(of: "b")) }
        let place = try unsealed.place(of: "b")
        await #expect(throws: SealedTableError.misplaced) { try await unsealed.entry(at: place) }
        await #expect(throws: SealedTableError.misplaced) { try await unsealed.change(at: place) { _ in .keep(()) } }
        #expect(try await unsealed.entry(at: Notes.Place(place.key))?.record == Note("a", 1))
    }

    // MARK: Reading again

    @Test func `Bytes that are the same are not opened again, and others are`() async throws {
        let place = try await put(Note("a", 1), in: sealed)
        let first = try #require(try await sealed.entry(at: place))
        // A ring without the key opens nothing.
        let blind = Notes(in: store, sealer: RecordSealer(try SealingKeys.generate(id: "other")), time: time.source)
        let unknown = SealedTableError.opening(.unknownKey(id: "k"))
        await #expect(throws: unknown) { try await blind.entry(at: place) }
        records.extend(at: place.key, until: end + .hours(1))
        let again = try #require(try await blind.entry(at: place, after: first))
        #expect(again.record == Note("a", 1) && again.stored.expires == end + .hours(1))
        try await put(Note("a", 2), in: sealed)
        await #expect(throws: unknown) { try await blind.entry(at: place, after: first) }
        #expect(try await sealed.entry(at: place, after: first)?.record == Note("a", 2))
    }

    @Test func `What was read of another record does not stand for this one, though their bytes be the same`()
        async throws
    {
        let a = try await put(Note("a", 1), in: unsealed)
        let b = try unsealed.place(of: "b")
        let first = try #require(try await unsealed.entry(at: a))
        #expect(try records.replace(at: b.key, expecting: nil, with: first.stored, durability: .full))
        await #expect(throws: SealedTableError.misplaced) { try await unsealed.entry(at: b, after: first) }
    }

    // MARK: Ends

    @Test func `A use moves the end once in a step, and reading moves none`() async throws {
        let sliding = SlidingEnd(lifetime: .hours(48), step: .hours(24))
        let place = try await put(Note("a", 1), in: sealed)
        let first = time.now + .hours(48)
        func use() async throws -> Timestamp? {
            let entry = try #require(try await sealed.entry(at: place))
            await sealed.use(entry, at: place, moving: sliding)
            return records.record(at: place.key)?.expires
        }
        time.advance(by: .hours(24) - .milliseconds(1))
        #expect(try await use() == first && store.counts.extensions == 0)
        time.advance(by: .milliseconds(1))
        _ = try await sealed.entry(at: place)
        #expect(store.counts.extensions == 0)
        store.setAway(reading: false, writing: true)
        #expect(try await use() == first, "a use does not fail")
        store.setAway(false)
        for _ in 0..<3 { #expect(try await use() == first + .hours(24)) }
        #expect(store.counts.extensions == 2)
    }

    @Test func `Without a record, an end is a lifetime away`() {
        let sliding = SlidingEnd(lifetime: .hours(48), step: .hours(24))
        #expect(sliding.end(of: nil, usedAt: time.now) == time.now + .hours(48))
    }

    // MARK: Beside the records

    @Test func `An alias leads to a record until it ends or is forgotten, and is no name of it`() async throws {
        func found() async throws -> Note? { try await sealed.entry(alias: "x", for: Self.alias)?.record }
        #expect(try await found() == nil)
        let place = try sealed.place(of: "a")
        try await sealed.put(alias: "x", for: Self.alias, leadingTo: place, until: time.now + .hours(1))
        #expect(try await found() == nil, "there is no record yet")
        try await put(Note("a", 1), in: sealed)
        #expect(try await found() == Note("a", 1))
        #expect(try await sealed.entry(alias: "x", for: "other")?.record == nil)
        time.advance(by: .hours(1))
        #expect(try await found() == nil)
        try await sealed.put(alias: "x", for: Self.alias, leadingTo: place, until: time.now + .hours(1))
        try await sealed.remove(alias: "x", for: Self.alias)
        #expect(try await found() == nil)
        #expect(try await sealed.entry(at: place)?.record == Note("a", 1))
    }

    @Test func `A mark says something by being there, and lasts as long as the latest who put it says`() async throws {
        let key = try sealed.key(of: "a", for: "mark")
        #expect(try await sealed.version(at: key) == nil)
        let (early, late) = (time.now + .hours(1), time.now + .hours(2))
        for end in [early, late, early] { try await sealed.mark(key, until: end) }
        #expect(try await sealed.version(at: key) == 1)
        let stored = try #require(records.record(at: key))
        #expect(stored.expires == late && store.written == [.full])
        let context = RecordContext(purpose: Note.purpose, schema: 2, key: key, version: 1)
        let content = try RecordSealer(keys).open(stored.bytes, in: context).withSpan { $0.count }
        #expect(content == 0)
        time.advance(by: .hours(2))
        #expect(try await sealed.version(at: key) == nil)
    }

    @Test func `What is removed is gone, whether or not it opens`() async throws {
        let place = try await put(Note("a", 1), in: sealed)
        #expect(try await sealed.remove(at: place.key))
        #expect(try await sealed.entry(at: place) == nil)
        #expect(try await !sealed.remove(at: place.key))
        try put("damaged", schema: 2, at: place.key, by: unsealed)
        #expect(try await sealed.remove(at: place.key))
        #expect(records.count == 0)
    }

    @Test func `A store that does not answer is told as such`() async throws {
        let place = try await put(Note("a", 1), in: sealed)
        store.setAway()
        let away = SealedTableError.store(ObservedRecordStore.failure)
        await #expect(throws: away) { try await sealed.entry(at: place) }
        await #expect(throws: away) { try await sealed.version(at: place.key) }
        await #expect(throws: away) { try await sealed.change(at: place) { _ in .keep(()) } }
        await #expect(throws: away) { try await sealed.remove(at: place.key) }
        await #expect(throws: away) { try await sealed.mark(place.key, until: end) }
        await #expect(throws: away) { try await sealed.entry(alias: "x", for: Self.alias) }
        await #expect(throws: away) {
            try await sealed.put(alias: "x", for: Self.alias, leadingTo: place, until: end)
        }
    }
}
