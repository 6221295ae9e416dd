import EntitlementValues
import Foundation
import SQLiteStores
import Synchronization
import Testing
import TokenLifetimes

/// Questions to a store of ledgers, which leave the file as it is.
@Suite struct LedgerQuestionTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let login = Entitlement.authentication(requestor: "REF30", mvpd: "TestMVPD")

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("ledgers.sqlite")
    }

    private func store(at now: Timestamp = now) throws -> SQLiteLedgerStore {
        try SQLiteLedgerStore(path: path, time: .fixed(at: now), patience: .seconds(60))
    }

    private func record(_ entitlement: Entitlement, for length: TimeToLive, in name: String) throws {
        try store().withLedger(named: name) { ledger in
            try ledger.record(entitlement, EntitlementPeriod(notBefore: Self.now, notAfter: Self.now + length))
        }
    }

    /// The number of transactions that changed the file, as SQLite counts them for other connections.
    private func dataVersion(of file: StoreFile) throws -> Int64 {
        var version: Int64?
        try file.run("PRAGMA data_version") { row in
            if case .integer(let number)? = row.first { version = number }
        }
        return try #require(version)
    }

    @Test func `Questions about unknown ledgers make none`() async throws {
        let store = try store()
        let watcher = try LedgerForm.open(path)
        let before = try dataVersion(of: watcher)
        for number in 0..<100 { #expect(try askAndWait(store, "device \(number)") == nil) }
        #expect(try await store.ledger(named: "device") == nil)
        try await store.withLedger(named: "device") { _ = $0.count }
        #expect(try dataVersion(of: watcher) == before)
        #expect(try store.names == [])
    }

    @Test func `A question about what is good writes nothing`() async throws {
        try record(Self.login, for: .hours(6), in: "device")
        let watcher = try LedgerForm.open(path)
        let before = try dataVersion(of: watcher)
        for minutes: Int64 in [1, 60, 359] {
            let store = try store(at: Self.now + .minutes(minutes))
            #expect(try askAndWait(store, "device")?.status(of: Self.login).isGood == true)
            #expect(try await store.ledger(named: "device")?.status(of: Self.login).isGood == true)
        }
        #expect(try dataVersion(of: watcher) == before)
        try record(Self.login, for: .hours(7), in: "device")
        #expect(try dataVersion(of: watcher) != before)
    }

    /// While another process changes the file, a question is answered from what was there before.
    @Test func `A question waits for no other process`() async throws {
        try record(Self.login, for: .hours(6), in: "device")
        let store = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now), patience: .zero)
        let other = try LedgerForm.open(path)
        try other.run("BEGIN IMMEDIATE")
        #expect(try askAndWait(store, "device")?.count == 1)
        #expect(try await store.ledger(named: "device")?.count == 1)
        #expect(try await store.expiring(before: Self.now + .hours(7)).count == 1)
        #expect(throws: SQLiteStoreError.self) { try changeAndWait(store, "device") }
        await #expect(throws: SQLiteStoreError.self) {
            try await store.withLedger(named: "device") { $0.logOut(.everything) }
        }
        try other.run("ROLLBACK")
        #expect(try changeAndWait(store, "device") == 1)
    }

    /// The first question after the end notes it, and the next one need not write.
    @Test(arguments: [true, false])
    func `An expiry that a question saw is remembered`(_ waits: Bool) async throws {
        try record(Self.login, for: .hours(1), in: "device")
        let watcher = try LedgerForm.open(path)
        let later = try store(at: Self.now + .hours(2))
        var versions = [try dataVersion(of: watcher)]
        for _ in 0..<2 {
            let ledger = waits ? try askAndWait(later, "device") : try await later.ledger(named: "device")
            #expect(ledger?.status(of: Self.login) == .expired(since: Self.now + .hours(1)))
            versions.append(try dataVersion(of: watcher))
        }
        #expect(versions[0] != versions[1])
        #expect(versions[1] == versions[2])
        #expect(try await store().ledger(named: "device")?.status(of: Self.login).isGood == false)
    }

    @Test func `A question reports once that the clock went back`() async throws {
        try record(Self.login, for: .hours(1), in: "device")
        let reports = Mutex<[String]>([])
        let earlier = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now - .hours(2))) { name, report in
            reports.withLock { $0.append("\(name) \(report.code)") }
        }
        for _ in 0..<3 { _ = try await earlier.ledger(named: "device")?.entries }
        #expect(reports.withLock { $0 } == ["device clock_jumped_back"])
    }

    @Test func `Changes to the copy are not kept`() async throws {
        try record(Self.login, for: .hours(1), in: "device")
        let copy = try await store().ledger(named: "device")
        #expect(copy?.logOut(.everything) == 1)
        #expect(try await store().ledger(named: "device")?.count == 1)
    }

    @Test func `A ledger that is too large for the policy is no answer`() async throws {
        try record(Self.login, for: .hours(1), in: "device")
        try record(.authentication(requestor: "REF30", mvpd: "Other"), for: .hours(1), in: "device")
        let small = try SQLiteLedgerStore(path: path, policy: try LedgerPolicy(capacity: 1), time: .fixed(at: Self.now))
        let tooLarge = SQLiteStoreError.ledger(.full(capacity: 1))
        #expect(throws: tooLarge) { try askAndWait(small, "device") }
        await #expect(throws: tooLarge) { try await small.ledger(named: "device") }
        await #expect(throws: tooLarge) { try await small.withLedger(named: "device") { $0.count } }
        let late = try SQLiteLedgerStore(
            path: path, policy: try LedgerPolicy(capacity: 1), time: .fixed(at: Self.now + .hours(2)))
        await #expect(throws: tooLarge) { try await late.ledger(named: "device") }
    }

    // MARK: What ends soon

    /// The ends of a thousand entitlements in a hundred ledgers, against the same question to a list in memory.
    @Test func `What ends first is found in order`() async throws {
        var expected: [(end: Timestamp, ledger: String, resource: String)] = []
        try fill(store()) { ledger, number in
            // Ends from an hour ago to four hours from now, in no order, some of them the same.
            let end = Self.now + .minutes(Int64((ledger * 37 + number * 91) % 300) - 60)
            if end > Self.now { expected.append((end, "device \(ledger)", "\(ledger)-\(number)")) }
            return end
        }
        let store = try store()
        let questions: [(Int, Int64)] = [(100, 300), (1, 300), (1000, 30), (7, 1), (1000, 0), (0, 300), (-1, 300)]
        for (limit, minutes) in questions {
            let end = Self.now + .minutes(minutes)
            let found = try await store.expiring(before: end, limit: limit)
            let wanted = expected.filter { $0.end < end }.sorted { $0.end < $1.end }
            #expect(found.map(\.expires) == wanted.prefix(max(0, limit)).map(\.end))
            let all = Set(wanted.map { "\($0.end) \($0.ledger) \($0.resource)" })
            let ends = Set(found.map { "\($0.expires) \($0.ledger) \($0.entitlement.resource?.rawValue ?? "")" })
            #expect(ends.isSubset(of: all))
            #expect(Set(found).count == found.count)
            #expect(try endingAndWait(store, before: end, limit: limit) == found)
        }
    }

    private func fill(_ store: SQLiteLedgerStore, _ end: (_ ledger: Int, _ number: Int) -> Timestamp) throws {
        try store.withLedgers(named: (0..<100).map { "device \($0)" }) { name, ledger in
            let index = Int(name.dropFirst(7)) ?? -1
            for number in 0..<10 {
                let resource = ResourceID("\(index)-\(number)")
                try ledger.record(
                    .authorization(requestor: "REF30", mvpd: "TestMVPD", resource: resource),
                    EntitlementPeriod(notBefore: Self.now - .hours(2), notAfter: end(index, number)))
            }
        }
    }

    @Test func `What was renewed or erased or has no end is not found`() async throws {
        try record(Self.login, for: .minutes(3), in: "a")
        try record(Self.login, for: .minutes(4), in: "b")
        try record(Self.login, for: .minutes(5), in: "c")
        let store = try store()
        let soon = Self.now + .minutes(10)
        #expect(try await store.expiring(before: soon).map(\.ledger) == ["a", "b", "c"])
        try record(Self.login, for: .hours(6), in: "a")
        try await store.withLedger(named: "b") { _ = $0.invalidate(Self.login) }
        try await store.withLedger(named: "d") { _ = try $0.record(Self.login, .unreadable) }
        #expect(try await store.expiring(before: soon).map(\.ledger) == ["c"])
        #expect(try await store.removeLedger(named: "c"))
        #expect(try await store.expiring(before: soon) == [])
    }

    @Test func `The name of a ledger is not shown`() async throws {
        try record(Self.login, for: .minutes(3), in: "jane")
        let found = try await store().expiring(before: Self.now + .minutes(4))
        var dumped = ""
        dump(found, to: &dumped)
        #expect(found.map(\.ledger) == ["jane"])
        #expect(!"\(found) \(dumped) \(String(reflecting: found))".contains("jane"))
        #expect(dumped.contains("TestMVPD"))
    }

    // MARK: Forms that block

    private func askAndWait(_ store: SQLiteLedgerStore, _ name: String) throws -> EntitlementLedger? {
        try store.ledger(named: name)
    }

    private func endingAndWait(
        _ store: SQLiteLedgerStore, before end: Timestamp, limit: Int
    ) throws -> [LedgerExpiry] {
        try store.expiring(before: end, limit: limit)
    }

    private func changeAndWait(_ store: SQLiteLedgerStore, _ name: String) throws -> Int {
        try store.withLedger(named: name) { $0.logOut(.everything) }
    }
}
