import EntitlementValues
import Foundation
import SQLiteStores
import Testing
import TokenLifetimes

/// Changes of ledgers in bulk, from asynchronous code, and by bodies that fail.
@Suite struct LedgerChangeTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let login = Entitlement.authentication(requestor: "REF30", mvpd: "TestMVPD")
    static let period = EntitlementPeriod(notBefore: now, notAfter: now + .hours(6))

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("ledgers.sqlite")
    }

    private struct Refusal: Error, Equatable {}

    private func store() throws -> SQLiteLedgerStore {
        try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now), patience: .seconds(60))
    }

    @Test func `A body throws what it likes and then nothing is written`() async throws {
        let store = try store()
        await #expect(throws: Refusal()) {
            try await store.withLedger(named: "device") { ledger in
                try ledger.record(Self.login, Self.period)
                throw Refusal()
            }
        }
        await #expect(throws: Refusal()) {
            try await store.withLedgers(named: ["a", "b", "c"]) { name, ledger in
                try ledger.record(Self.login, Self.period)
                if name == "c" { throw Refusal() }
            }
        }
        #expect(throws: Refusal()) { try changeAllAndWait(store) }
        #expect(try store.names == [])
    }

    private func changeAllAndWait(_ store: SQLiteLedgerStore) throws {
        try store.withLedgers(named: ["a", "b"]) { name, ledger in
            try ledger.record(Self.login, Self.period)
            if name == "b" { throw Refusal() }
        }
    }

    @Test func `Many ledgers are changed in their order`() async throws {
        let store = try store()
        let counts = try await store.withLedgers(named: ["a", "b", "a"]) { name, ledger in
            try ledger.record(
                .authorization(requestor: "REF30", mvpd: "TestMVPD", resource: ResourceID("\(ledger.count)")),
                Self.period)
            return "\(name) \(ledger.count)"
        }
        #expect(counts == ["a 1", "b 1", "a 2"])
        #expect(try await store.ledger(named: "a")?.count == 2)
        #expect(try await store.withLedgers(named: []) { _, _ in 1 } == [])
    }

    /// Changes that come at the same time share a transaction; a body that fails undoes its own changes only.
    @Test func `Tasks that change at once lose nothing`() async throws {
        let store = try store()
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<400 {
                group.addTask {
                    do {
                        try await store.withLedger(named: "device \(number % 7)") { ledger in
                            try ledger.record(
                                .authorization(requestor: "REF30", mvpd: "M", resource: ResourceID("\(number)")),
                                Self.period)
                            if number % 5 == 0 { throw Refusal() }
                        }
                        return false
                    } catch is Refusal {
                        return true
                    }
                }
            }
            var refused = 0
            for try await isRefused in group where isRefused { refused += 1 }
            return refused
        }
        #expect(refused == 80)
        var kept: Set<String> = []
        for name in try store.names {
            let entries = try await store.ledger(named: name)?.entries ?? []
            kept.formUnion(entries.compactMap(\.entitlement.resource?.rawValue))
        }
        #expect(kept == Set((0..<400).filter { $0 % 5 != 0 }.map(String.init)))
    }

    @Test func `A time that moved is written only beyond the margin`() async throws {
        try await store().withLedger(named: "device") { _ = try $0.record(Self.login, Self.period) }
        let watcher = try LedgerForm.open(path)
        let before = try LedgerForm.latest(watcher)
        for (seconds, isWritten) in [(59, false), (60, false), (61, true)] as [(Int64, Bool)] {
            let later = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now + .seconds(seconds)))
            try await later.withLedger(named: "device") { _ = $0.count }
            #expect(try LedgerForm.latest(watcher) == (isWritten ? before + 61_000 : before))
        }
    }

    @Test func `A file of another version is refused`() throws {
        _ = try store()
        try LedgerForm.open(path).run("PRAGMA user_version = 2")
        #expect(throws: SQLiteStoreError.newerVersion(path: path, found: 2)) { try self.store() }
    }

    /// Their version is that of this release, and their tables have the same names.
    @Test func `A file of ledgers of version 0.1 is refused and left as it is`() throws {
        let kind = StoreFile.Kind(
            applicationID: 0x7476_654C, version: 1,
            tables: [
                "CREATE TABLE ledger (name TEXT NOT NULL PRIMARY KEY, device TEXT, latest INTEGER) STRICT",
                """
                CREATE TABLE entitlement (
                    ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, resource TEXT NOT NULL,
                    not_before INTEGER, not_after INTEGER, issuer TEXT NOT NULL, recorded INTEGER NOT NULL,
                    expired INTEGER NOT NULL,
                    PRIMARY KEY (ledger, requestor, mvpd, resource)
                ) STRICT, WITHOUT ROWID
                """,
                """
                CREATE TABLE selection (
                    ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL, PRIMARY KEY (ledger, requestor)
                ) STRICT, WITHOUT ROWID
                """,
                """
                CREATE TABLE issuer (
                    ledger TEXT NOT NULL, requestor TEXT NOT NULL, mvpd TEXT NOT NULL,
                    PRIMARY KEY (ledger, requestor, mvpd)
                ) STRICT, WITHOUT ROWID
                """,
            ])
        let file = try StoreFile(path: path, kind: kind, patience: .seconds(60), survivesPowerLoss: false)
        try file.run("INSERT INTO ledger (name, device, latest) VALUES ('device', NULL, 7)")
        #expect(throws: SQLiteStoreError.altered(path: path, what: "a table ledger")) { try self.store() }
        #expect(try LedgerForm.latest(file) == 7)
    }
}
