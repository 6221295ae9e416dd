import DeviceRecords
import EntitlementValues
import Foundation
import RecordChecks
import SQLiteStores
import SealedRecords
import TVETesting
import Testing

@Suite struct SQLiteRecordStoreTests {
    let folder: TemporaryFolder
    let path: String
    let time = ManualTime(at: Timestamp(milliseconds: 1_768_498_200_000))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("records.sqlite")
    }

    private func store(patience: TimeToLive = .seconds(60)) throws -> SQLiteRecordStore {
        try SQLiteRecordStore(path: path, patience: patience, time: time.source)
    }

    private func key(_ number: Int) throws -> RecordKey {
        try #require(RecordKey((0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }))
    }

    private func record(_ bytes: [UInt8], version: Int64 = 1) -> StoredRecord {
        StoredRecord(bytes: bytes, version: version, expires: time.now + .hours(1))
    }

    /// Locks the file as another process would.
    private func lock() throws -> StoreFile {
        let kind = StoreFile.Kind(applicationID: 0x7476_6544, version: 1, tables: [])
        let other = try StoreFile(path: path, kind: kind, patience: .zero, survivesPowerLoss: false)
        try other.run("BEGIN IMMEDIATE")
        return other
    }

    // MARK: Promises

    @Test(arguments: RecordStoreCheck.all)
    func `The store keeps its promises`(_ check: RecordStoreCheck) async throws {
        let clock = StoreClock(now: { time.now }, pass: { time.advance(by: $0) })
        #expect(try await check.failures(of: try store(), by: clock) == [])
    }

    @Test(arguments: [RecordDurability.normal, .full])
    func `What was written is there when the file is opened again`(_ durability: RecordDurability) async throws {
        for number in 0..<20 {
            let isWritten = try await store().replace(
                at: key(number), expecting: nil, with: record([UInt8(number)]), durability: durability)
            #expect(isWritten)
        }
        try await store().put(alias: key(100), for: key(1), until: time.now + .hours(1))
        let store = try store()
        for number in 0..<20 { #expect(try await store.record(at: key(number))?.bytes == [UInt8(number)]) }
        #expect(try await store.key(of: key(100)) == key(1))
    }

    @Test func `Of two who open the file one makes a record`() async throws {
        let (one, other) = (try store(), try store())
        #expect(try await one.replace(at: key(1), expecting: nil, with: record([1]), durability: .normal))
        #expect(try await !other.replace(at: key(1), expecting: nil, with: record([2]), durability: .normal))
        #expect(try await other.replace(at: key(1), expecting: 1, with: record([2], version: 2), durability: .full))
        #expect(try await one.record(at: key(1))?.bytes == [2])
    }

    @Test func `Expired records are dropped bit by bit`() async throws {
        let store = try store()
        for number in 0..<200 {
            _ = try await store.replace(
                at: key(number), expecting: nil, with: record([1]), durability: .normal)
            try await store.put(alias: key(1000 + number), for: key(number), until: time.now + .minutes(5))
        }
        time.advance(by: .hours(2))
        for number in 200..<260 {
            _ = try await store.replace(at: key(number), expecting: nil, with: record([2]), durability: .normal)
        }
        let kind = StoreFile.Kind(applicationID: 0x7476_6544, version: 1, tables: [])
        let file = try StoreFile(path: path, kind: kind, patience: .seconds(1), survivesPowerLoss: false)
        var counts: [SQLiteValue] = []
        try file.run("SELECT (SELECT count(*) FROM record), (SELECT count(*) FROM alias)") { counts += $0 }
        #expect(counts == [.integer(60), .integer(0)])
    }

    @Test func `A new cursor of no store begins at the start`() async throws {
        let store = try store()
        _ = try await store.replace(at: key(5), expecting: nil, with: record([1]), durability: .normal)
        for text in ["", "x", String(repeating: "g", count: 64)] {
            #expect(try await store.summaries(after: RecordCursor(text), limit: -3).summaries.count == 1)
        }
    }

    // MARK: Files

    @Test func `The files are for their owner alone`() async throws {
        let store = try store()
        _ = try await store.replace(at: key(1), expecting: nil, with: record([1]), durability: .full)
        for name in [path, path + "-wal", path + "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try await store.version(at: key(1)) == 1)
    }

    @Test func `A store of another kind is left as it is`() throws {
        do { _ = try SQLiteReplayStore(path: path) }
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: SQLiteStoreError.otherStore(path: path, holds: .usedTokens)) { try store() }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        try Data("no database".utf8).write(to: URL(filePath: folder.path("text")))
        #expect(throws: SQLiteStoreError.notADatabase(path: folder.path("text"))) {
            try SQLiteRecordStore(path: folder.path("text"))
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func `A file that may only be read is refused`() throws {
        do { _ = try store() }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        let error = #expect(throws: SQLiteStoreError.self) { try store() }
        #expect(error?.code == "cannot_open")
    }

    // MARK: Stores that cannot answer

    @Test func `A file that is locked for too long refuses changes and goes on reading`() async throws {
        let store = try store(patience: TimeToLive(milliseconds: 50))
        _ = try await store.replace(at: key(1), expecting: nil, with: record([1]), durability: .normal)
        let other = try lock()
        await expectUnavailable("lock") {
            _ = try await store.replace(at: key(1), expecting: 1, with: record([2], version: 2), durability: .normal)
        }
        await expectUnavailable("lock") { try await store.remove(at: key(1)) }
        await expectUnavailable("lock") { try await store.extend(at: key(1), until: time.now + .hours(9)) }
        await expectUnavailable("lock") { try await store.put(alias: key(2), for: key(1), until: time.now + .hours(1)) }
        await expectUnavailable("lock") { try await store.remove(alias: key(2)) }
        #expect(try await store.record(at: key(1))?.bytes == [1])
        try other.run("ROLLBACK")
        #expect(
            try await store.replace(at: key(1), expecting: 1, with: record([2], version: 2), durability: .normal))
    }

    @Test func `A file that was moved answers nothing`() async throws {
        let store = try store()
        _ = try await store.replace(at: key(1), expecting: nil, with: record([1]), durability: .normal)
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("elsewhere"))
        await expectUnavailable("removed, renamed or replaced") { _ = try await store.record(at: key(1)) }
        await expectUnavailable("removed, renamed or replaced") { _ = try await store.version(at: key(1)) }
        await expectUnavailable("removed, renamed or replaced") { _ = try await store.keys(of: key(1)) }
        await expectUnavailable("removed, renamed or replaced") { _ = try await store.key(of: key(1)) }
        await expectUnavailable("removed, renamed or replaced") { _ = try await store.summaries(after: nil, limit: 1) }
        await expectUnavailable("removed, renamed or replaced") {
            _ = try await store.replace(at: key(1), expecting: 1, with: record([2], version: 2), durability: .full)
        }
        let directory = DeviceDirectory(in: store, sealer: .unsealed)
        await #expect(throws: DeviceRecordsError.self) { try await directory.record(of: "a") }
        await #expect(throws: DeviceRecordsError.self) {
            try await directory.change("a") { record in record.subject = "x" }
        }
    }

    @Test func `A record that no store writes is not read`() async throws {
        let store = try store()
        _ = try await store.replace(at: key(1), expecting: nil, with: record([1]), durability: .normal)
        let kind = StoreFile.Kind(applicationID: 0x7476_6544, version: 1, tables: [])
        let file = try StoreFile(path: path, kind: kind, patience: .seconds(1), survivesPowerLoss: false)
        try file.run("UPDATE record SET subject = x'00'")
        await expectUnavailable("damaged") { _ = try await store.record(at: key(1)) }
        try file.run("UPDATE record SET subject = NULL, key = x'FFFF'")
        await expectUnavailable("damaged") { _ = try await store.summaries(after: nil, limit: 10) }
    }

    private func expectUnavailable(_ words: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("it answered")
        } catch {
            guard case RecordStoreError.unavailable(let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.contains(words), "\(reason)")
        }
    }
}
