import DeviceRecords
import EntitlementValues
import Foundation
import RecordChecks
import SealedRecords
import ServiceResponses
import Synchronization
import TVETesting
import TestVectors
import Testing

@Suite struct DeviceDirectoryTests {
    let time = ManualTime(at: Samples.now)
    /// What keeps the records, which the tests look at and change behind the store.
    let records: InMemoryRecordStore
    let store: ObservedRecordStore
    let keys: SealingKeys
    let directory: DeviceDirectory

    init() throws {
        records = InMemoryRecordStore(time: time.source)
        store = ObservedRecordStore(records)
        keys = try SealingKeys.generate(id: "k")
        directory = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: time.source)
    }

    // MARK: Keys

    @Test func `A store belongs to the keys that it was first used with`() async throws {
        try await directory.checkKeys()
        try await directory.checkKeys()
        #expect(store.written == [.full])
        let more = DeviceDirectory(
            in: store, sealer: RecordSealer(try keys.addingKey(id: "l")), time: time.source)
        try await more.checkKeys()
        time.advance(by: .seconds(399 * 86_400))
        try await directory.checkKeys()
        time.advance(by: .seconds(399 * 86_400))
        let others = [RecordSealer(try SealingKeys.generate(id: "k")), RecordSealer(try SealingKeys.generate(id: "m"))]
        for other in others + [.unsealed] {
            await #expect(throws: DeviceRecordsError.self) {
                try await DeviceDirectory(in: store, sealer: other, time: time.source).checkKeys()
            }
        }
        try await directory.checkKeys()
        #expect(store.written == [.full])
    }

    @Test func `Of two processes that mark a new store at once, one does, and the other finds its mark`() async throws {
        let other = DeviceDirectory(in: records, sealer: RecordSealer(keys), time: time.source)
        store.actOnce(.beforeWrite) { try? await other.checkKeys() }
        try await directory.checkKeys()
        #expect(store.reads == 2 && store.calls == 3 && store.written == [])
        let foreign = DeviceDirectory(
            in: records, sealer: RecordSealer(try SealingKeys.generate(id: "k")), time: time.source)
        records.remove(at: try #require(records.summaries(after: nil, limit: 9).summaries.first?.key))
        store.actOnce(.beforeWrite) { try? await foreign.checkKeys() }
        await #expect(throws: DeviceRecordsError.sealing(.doesNotOpen(keyID: "k"))) { try await directory.checkKeys() }
    }

    @Test func `Opening checks the keys`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-open-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, other) = (folder.appending(path: "keys").path, folder.appending(path: "others").path)
        await #expect(throws: DeviceRecordsError.self) { try await DeviceDirectory.open(store, keys: path) }
        #expect(store.written == [])
        try keys.write(to: path)
        let opened = try await DeviceDirectory.open(store, keys: path, time: time.source)
        try await opened.change("d") { record in record.subject = "s" }
        #expect(try await directory.record(of: "d")?.subject == "s")
        try SealingKeys.generate(id: "k").write(to: other)
        await #expect(throws: DeviceRecordsError.self) {
            try await DeviceDirectory.open(store, keys: other, time: time.source)
        }
    }

    // MARK: Erasing

    @Test func `Erasures are counted whatever their way`() async throws {
        let copy = directory
        #expect(directory.erasures == 0)
        try await directory.change("a") { record in record.subject = "s" }
        try await directory.change("b") { record in record.subject = "s" }
        #expect(try await directory.forgetDevices(of: "s") == 2)
        #expect(copy.erasures == 2)
        #expect(try await copy.forget("a") == false)
        #expect(try await copy.forget(at: copy.key(of: "b")) == false)
        #expect(directory.erasures == 4)
    }

    // MARK: Changes

    @Test func `A change that changes nothing writes nothing`() async throws {
        try await directory.change("d") { _ in }
        try await directory.change("d") { record in record = DeviceRecord(of: "d") }
        #expect(try await directory.record(of: "d") == nil)
        try await directory.change("d") { record in record.subject = "s" }
        try await directory.change("d") { record in record.subject = "s" }
        #expect(store.written == [.full])
    }

    @Test func `A body that throws writes nothing`() async throws {
        await #expect(throws: SampleFailure.self) {
            try await directory.change("d") { record throws(SampleFailure) in
                record.subject = "s"
                throw SampleFailure()
            }
        }
        #expect(store.written == [])
    }

    @Test func `Credentials and profiles reach the disk`() async throws {
        let credentials = Samples.credentials("1"), token = try Samples.token("1"), profile = try Samples.profile()
        try await directory.change("d") { record in record.adopt(credentials, for: Samples.scope) }
        try await directory.change("d") { record in
            record.adopt(token, madeWith: credentials, for: Samples.scope)
        }
        try await directory.change("d") { record in record[Samples.requestor].adopt(profile, askedAt: Samples.now) }
        try await directory.change("d") { record in _ = record[Samples.requestor].raiseEpoch() }
        try await directory.change("d") { record in
            _ = record[Samples.requestor].takeLease(as: "p", at: Samples.now)
        }
        try await directory.change("d") { record in record[Samples.requestor].logOut(mvpd: "MVPD", at: Samples.now) }
        try await directory.change("d") { record in record.forget(credentials, for: Samples.scope) }
        #expect(store.written == [.full, .normal, .full, .normal, .normal, .full, .full])
    }

    @Test func `A lost race is tried again with the record as it is then`() async throws {
        let other = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: .system)
        let first = Samples.credentials("first"), mine = Samples.credentials("mine")
        store.actOnce(.beforeWrite) {
            _ = try? await other.change("d") { record in record.adopt(first, for: Samples.scope) }
        }
        let real = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: .system)
        let runs = Mutex(0)
        let kept = try await real.change("d") { record in
            runs.withLock { $0 += 1 }
            return record.adopt(mine, for: Samples.scope)
        }
        #expect(kept == first)
        #expect(runs.withLock { $0 } == 2)
    }

    @Test func `A race that is always lost ends in an error`() async throws {
        let clock = SkippingClock()
        let directory = DeviceDirectory(
            in: ObservedRecordStore(losing: .max), sealer: .unsealed, time: clock.source(from: Samples.now))
        let error = await #expect(throws: DeviceRecordsError.self) {
            try await directory.change("d") { record in record.subject = "s" }
        }
        guard case .contended(let attempts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The pauses of so many attempts are shorter than that.
        #expect(clock.now.uptime >= DeviceDirectory.patience && attempts > DeviceDirectory.minimumAttempts)
    }

    @Test func `A race that is lost a hundred times is won in the end`() async throws {
        let patient = DeviceDirectory(
            in: ObservedRecordStore(store, losing: 100), sealer: RecordSealer(keys),
            time: SkippingClock.source(from: Samples.now))
        try await patient.change("d") { record in record.subject = "s" }
        #expect(store.written == [.full])
    }

    @Test func `A record that others change a hundred times is resealed in the end`() async throws {
        try await directory.change("d") { record in record.subject = "s" }
        let patient = DeviceDirectory(
            in: ObservedRecordStore(store, losing: 100), sealer: RecordSealer(try keys.addingKey(id: "l")),
            time: SkippingClock.source(from: Samples.now))
        #expect(try await patient.reseal(at: patient.key(of: "d")) == .resealed)
    }

    @Test func `A cancelled task stops trying`() async throws {
        let real = DeviceDirectory(in: ObservedRecordStore(losing: .max), sealer: .unsealed, time: time.source)
        let task = Task { try await real.change("d") { record in record.subject = "s" } }
        try await eventually("a task that waits for the time") { time.sleepers > 0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A cancelled task stops resealing and erasing, and the record stays`() async throws {
        try await directory.change("d") { record in record.subject = "s" }
        let contested = DeviceDirectory(
            in: ObservedRecordStore(store, losing: .max), sealer: RecordSealer(try keys.addingKey(id: "l")),
            time: time.source)
        let resealing = Task { try await contested.reseal(at: contested.key(of: "d")) }
        let erasing = Task { try await contested.forgetDevices(of: "s") }
        try await eventually("two tasks that wait for the time") { time.sleepers == 2 }
        resealing.cancel()
        erasing.cancel()
        await #expect(throws: DeviceRecordsError.contended(attempts: 1)) { try await resealing.value }
        await #expect(throws: DeviceRecordsError.contended(attempts: 1)) { try await erasing.value }
        #expect(contested.erasures == 1, "counted also after a failure")
        #expect(try await directory.record(of: "d")?.subject == "s")
    }

    @Test func `A change reads once and writes once, and what reads asks once`() async throws {
        try await directory.change("d") { record in record.subject = "s" }
        #expect(store.calls == 2)
        let read = try await directory.read("d")
        _ = try await directory.read("d", after: read)
        _ = try await directory.version(of: "d")
        #expect(store.calls == 5)
        try await directory.change("d") { _ in }
        #expect(store.calls == 6)
    }

    @Test func `Many tasks lose nothing`() async throws {
        let real = DeviceDirectory(in: InMemoryRecordStore(), sealer: RecordSealer(keys))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 { try await real.change("d") { record in _ = record["A"].raiseEpoch() } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await real.record(of: "d")?["A"].epoch == 200)
    }

    // MARK: Ends

    @Test func `Use moves the end once a day`() async throws {
        try await directory.change("d") { record in record.subject = "s" }
        let first = time.now + .hours(400 * 24)
        let key = try RecordSealer(keys).key(of: "d", for: .device)
        time.advance(by: .hours(23))
        _ = try await directory.record(of: "d")
        try await directory.change("d") { record in record.subject = "t" }
        #expect(records.record(at: key)?.expires == first)
        #expect(store.counts.extensions == 0)
        time.advance(by: .hours(2))
        for _ in 0..<3 { _ = try await directory.record(of: "d") }
        #expect(store.counts.extensions == 1)
        #expect(records.record(at: key)?.expires == first + .hours(25))
        time.advance(by: .hours(25))
        try await directory.change("d") { record in record.subject = "u" }
        #expect(records.record(at: key)?.expires == first + .hours(50))
        // A device that is not used for 400 days is forgotten.
        time.advance(by: .hours(400 * 24))
        #expect(try await directory.record(of: "d") == nil)
    }

    @Test func `What has ended is forgotten with the next change`() async throws {
        let part = try Samples.full()[Samples.requestor]
        try await directory.change("d") { record in record[Samples.requestor] = part }
        time.advance(by: .minutes(61))
        try await directory.change("d") { record in record.subject = "s" }
        let left = try #require(try await directory.record(of: "d"))[Samples.requestor]
        #expect(left.pendingCode == nil && left.lease == nil && left.partner == nil)
        #expect(left.decisions.map(\.resource) == ["TNT"])
        #expect(left.profile == part.profile && left.identity == part.identity)
    }

    // MARK: Reading again

    @Test func `Reading again sees each change and each removal`() async throws {
        #expect(try await directory.read("d") == nil)
        try await directory.change("d") { record in record.subject = "a" }
        let first = try #require(try await directory.read("d"))
        #expect(try await directory.read("d", after: first)?.record == first.record)
        try await directory.change("d") { record in record.subject = "b" }
        let second = try #require(try await directory.read("d", after: first))
        #expect(second.record.subject == "b")
        #expect(try await directory.forget("d"))
        #expect(try await directory.read("d", after: second) == nil)
        try await directory.change("d") { record in record.subject = "c" }
        #expect(try await directory.read("d", after: second)?.record.subject == "c")
    }

    @Test func `Bytes that were replaced are opened again`() async throws {
        try await directory.change("d") { record in record.subject = "a" }
        let first = try #require(try await directory.read("d"))
        // As an attacker who can write to the store: the same version, other bytes.
        let key = try RecordSealer(keys).key(of: "d", for: .device)
        let found = try await store.record(at: key)
        let stored = try #require(found)
        let torn = StoredRecord(bytes: Array(stored.bytes.dropLast()), version: stored.version, expires: stored.expires)
        #expect(try await store.remove(at: key))
        #expect(try await store.replace(at: key, expecting: nil, with: torn, durability: .normal))
        await #expect(throws: DeviceRecordsError.self) { try await directory.read("d", after: first) }
    }

    // MARK: Decision times

    private func decision(_ resource: ResourceID) -> DecisionTime {
        DecisionTime(on: resource, mvpd: "MVPD", decided: time.now, notAfter: nil)
    }

    @Test func `Decision times go out with the next change at most once a minute`() async throws {
        func resources() async throws -> [String] {
            try await directory.record(of: "d")?["A"].decisions.map(\.resource.rawValue).sorted() ?? []
        }
        directory.note(decision("1"), requestor: "A", of: "d")
        directory.note(decision("1"), requestor: "A", of: "e")
        #expect(store.written == [])
        try await directory.change("d") { record in record.subject = "a" }
        #expect(try await resources() == ["1"])
        directory.note(decision("2"), requestor: "A", of: "d")
        try await directory.change("d") { record in record.subject = "b" }
        #expect(try await resources() == ["1"])
        time.advance(by: .seconds(60))
        try await directory.change("d") { record in record.subject = "c" }
        #expect(try await resources() == ["1", "2"])
        #expect(store.written.count == 3)
    }

    @Test func `Noted decisions can be read and dropped before they are written`() async throws {
        directory.note(decision("1"), requestor: "A", of: "d")
        directory.note(decision("2"), requestor: "B", of: "d")
        #expect(directory.notedDecisions(requestor: "A", of: "d").map(\.resource) == ["1"])
        #expect(directory.notedDecisions(requestor: "A", of: "e").isEmpty)
        directory.dropNotedDecisions(mvpd: "other", requestor: "A", of: "d")
        #expect(directory.notedDecisions(requestor: "A", of: "d").count == 1)
        directory.dropNotedDecisions(mvpd: "MVPD", requestor: "A", of: "d")
        #expect(directory.notedDecisions(requestor: "A", of: "d").isEmpty)
        #expect(directory.notedDecisions(requestor: "B", of: "d").count == 1)
        try await directory.change("d") { record in record.subject = "a" }
        #expect(try await directory.record(of: "d")?["A"].decisions.isEmpty == true)
        #expect(directory.notedDecisions(requestor: "B", of: "d").isEmpty)
    }

    @Test func `A change removes the decision times that go out with it`() async throws {
        directory.note(decision("1"), requestor: "A", of: "d")
        directory.note(decision("2"), requestor: "B", of: "d")
        try await directory.change("d") { record in record["A"].logOut(mvpd: "MVPD", at: time.now) }
        let record = try #require(try await directory.record(of: "d"))
        #expect(record["A"].decisions.isEmpty)
        #expect(record["B"].decisions.map(\.resource) == ["2"])
    }

    @Test func `Decision times alone are not written`() async throws {
        directory.note(decision("1"), requestor: "A", of: "d")
        try await directory.change("d") { _ in }
        #expect(store.written == [])
        #expect(directory.notedDecisions(requestor: "A", of: "d").count == 1)
        try await directory.writeNotedDecisions(of: "d")
        #expect(try await directory.record(of: "d")?["A"].decisions.map(\.resource) == ["1"])
        #expect(directory.notedDecisions(requestor: "A", of: "d").isEmpty)
        try await directory.writeNotedDecisions(of: "d")
        #expect(store.written.count == 1)
    }

    @Test func `Who goes hands over decision times also within a minute`() async throws {
        directory.note(decision("1"), requestor: "A", of: "d")
        try await directory.writeNotedDecisions(of: "d")
        directory.note(decision("2"), requestor: "A", of: "d")
        try await directory.writeNotedDecisions(of: "d")
        #expect(try await directory.record(of: "d")?["A"].decisions.map(\.resource) == ["1"])
        await #expect(throws: CancellationError.self) {
            try await directory.handOverNotedDecisions(of: "d") { _ in false }
        }
        #expect(directory.notedDecisions(requestor: "A", of: "d").count == 1)
        try await directory.handOverNotedDecisions(of: "d") { _ in true }
        #expect(try await directory.record(of: "d")?["A"].decisions.map(\.resource) == ["1", "2"])
        #expect(directory.notedDecisions(requestor: "A", of: "d").isEmpty)
    }

    // MARK: Finding

    @Test func `A device is found by its code until the code ends`() async throws {
        let code = AuthenticationCode("ABC123")
        try await directory.change("d") { record in
            let epoch = record[Samples.requestor].raiseEpoch()
            record[Samples.requestor].adopt(PendingCode(code, until: Samples.now + .hours(2), epoch: epoch))
        }
        try await directory.put(code, for: "d", until: time.now + .minutes(30))
        #expect(try await directory.device(showing: code) == "d")
        #expect(try await directory.device(showing: AuthenticationCode("abc123")) == nil)
        time.advance(by: .minutes(30))
        #expect(try await directory.device(showing: code) == nil)
        try await directory.put(code, for: "d", until: time.now + .minutes(30))
        try await directory.forget(code)
        #expect(try await directory.device(showing: code) == nil)
        // Nor does the device show it any more once its sign-in was cancelled, although its place is still there.
        try await directory.put(code, for: "d", until: time.now + .minutes(30))
        #expect(try await directory.device(showing: code) == "d")
        try await directory.change("d") { record in _ = record[Samples.requestor].raiseEpoch() }
        #expect(try await directory.device(showing: code) == nil)
        // A code of a device without a record leads nowhere.
        try await directory.put(code, for: "other", until: time.now + .minutes(30))
        #expect(try await directory.device(showing: code) == nil)
    }

    @Test func `A subscriber is erased from all devices`() async throws {
        for device in ["a", "b", "c"] as [DeviceKey] {
            try await directory.change(device) { record in record.subject = device == "c" ? "other" : "s" }
        }
        #expect(Set(try await directory.devices(of: "s")) == ["a", "b"])
        #expect(try await directory.forgetDevices(of: "s") == 2)
        #expect(try await directory.devices(of: "s") == [])
        #expect(try await directory.record(of: "a") == nil)
        #expect(try await directory.record(of: "c") != nil)
        #expect(try await directory.forget("c"))
        #expect(try await !directory.forget("c"))
    }

    @Test func `A record that has become another subscriber's meanwhile is not erased`() async throws {
        for device in ["a", "b"] as [DeviceKey] {
            try await directory.change(device) { record in record.subject = "s" }
        }
        let other = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: time.source)
        let eraser = DeviceDirectory(
            in: store, sealer: RecordSealer(keys), time: SkippingClock.source(from: Samples.now))
        // The records were found, and none of them is erased yet.
        store.actOnce(.beforeWrite) {
            for device in ["a", "b"] as [DeviceKey] {
                try? await other.change(device) { record in record.subject = "other" }
            }
        }
        #expect(try await eraser.forgetDevices(of: "s") == 0)
        #expect(Set(try await directory.devices(of: "other")) == ["a", "b"])
        #expect(try await eraser.forgetDevices(of: "other") == 2)
        #expect(try await directory.record(of: "a") == nil)
    }

    @Test func `The version grows with each change`() async throws {
        #expect(try await directory.version(of: "d") == nil)
        try await directory.change("d") { record in record.subject = "s" }
        let first = try #require(try await directory.version(of: "d"))
        #expect(1...(1 << 48) ~= first)
        try await directory.change("d") { record in record.subject = "t" }
        #expect(try await directory.version(of: "d") == first + 1)
    }

    // MARK: Swapped and old records

    @Test func `A record in another place or under another version is refused`() async throws {
        for device in ["a", "b"] as [DeviceKey] {
            try await directory.change(device) { record in record.subject = "s" }
        }
        let sealer = RecordSealer(keys)
        let (a, b) = (try sealer.key(of: "a", for: .device), try sealer.key(of: "b", for: .device))
        let old = try #require(records.record(at: a))
        try await directory.change("a") { record in record.subject = "t" }
        let present = try #require(records.record(at: a))
        let refusal = DeviceRecordsError.sealing(.doesNotOpen(keyID: "k"))
        for (bytes, place) in [(old.bytes, a), (present.bytes, b)] {
            let there = try #require(records.record(at: place))
            let forged = StoredRecord(bytes: bytes, version: there.version + 1, expires: there.expires)
            #expect(try records.replace(at: place, expecting: there.version, with: forged, durability: .normal))
            let device: DeviceKey = place == a ? "a" : "b"
            await #expect(throws: refusal) { try await directory.record(of: device) }
            await #expect(throws: refusal) { try await directory.change(device) { record in record.subject = "x" } }
            #expect(records.record(at: place) == forged)
        }
    }
}
