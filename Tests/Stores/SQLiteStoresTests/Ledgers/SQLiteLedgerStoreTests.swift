import EntitlementValues
import Foundation
import SQLiteStores
import Synchronization
import Testing
import TokenLifetimes

@Suite struct SQLiteLedgerStoreTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let login = Entitlement.authentication(requestor: "REF30", mvpd: "TestMVPD")
    static let channel = Entitlement.authorization(requestor: "REF30", mvpd: "TestMVPD", resource: "DemoChannel")

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("ledgers.sqlite")
    }

    /// Opens a store that is patient enough for a busy machine.
    private func store(at now: Timestamp = now) throws -> SQLiteLedgerStore {
        try SQLiteLedgerStore(path: path, time: .fixed(at: now), patience: .seconds(60))
    }

    private func period(_ duration: TimeToLive) -> EntitlementPeriod {
        EntitlementPeriod(notBefore: Self.now, notAfter: Self.now + duration)
    }

    /// Everything that a ledger knows comes back from the file: the snapshot is the same text.
    @Test func `What is recorded is there for others`() throws {
        let written = try store().withLedger(named: "device") { ledger throws(LedgerError) in
            try ledger.bind(to: "5ec2e7")
            try ledger.select("TestMVPD", for: "REF30")
            ledger.allow(issuers: ["TestMVPD", "Other\u{0}é"], for: "REF30")
            ledger.allow(issuers: [], for: "REF31")
            try ledger.record(Self.login, period(.hours(6)))
            try ledger.record(Self.channel, EntitlementPeriod.unreadable, issuer: "TestMVPD")
            try ledger.record(
                .authorization(requestor: "REF30", mvpd: "TestMVPD", resource: "<rss>\u{301}\u{0}\n</rss>"),
                EntitlementPeriod(notAfter: Timestamp(milliseconds: .max)))
            return ledger.snapshot
        }
        let read = try store().withLedger(named: "device") { $0.snapshot }
        #expect(read == written)
        #expect(try store().withLedger(named: "other") { $0.count } == 0)
        #expect(try store().names == ["device"])
    }

    @Test func `Lines that go away in the ledger go away in the file`() throws {
        try store().withLedger(named: "") { ledger throws(LedgerError) in
            try ledger.select("TestMVPD", for: "REF30")
            try ledger.record(Self.login, period(.hours(6)))
            try ledger.record(Self.channel, period(.hours(6)))
        }
        #expect(try store().withLedger(named: "") { $0.invalidate(Self.channel) } == 1)
        #expect(try store().withLedger(named: "") { $0.entries.map(\.entitlement) } == [Self.login])
        #expect(try store().withLedger(named: "") { $0.logOut(.everything) } == 1)
        #expect(try store().withLedger(named: "") { $0.count } == 0)
        #expect(try store().withLedger(named: "") { $0.selection(for: "REF30") } == nil)
        #expect(try store().removeLedger(named: ""))
        #expect(try !store().removeLedger(named: ""))
        #expect(try store().names == [])
    }

    @Test func `An error in the body writes nothing`() throws {
        let store = try store()
        #expect(throws: LedgerError.emptyIdentifier("mvpd")) {
            try store.withLedger(named: "device") { ledger throws(LedgerError) in
                try ledger.record(Self.login, period(.hours(6)))
                try ledger.select("", for: "REF30")
            }
        }
        #expect(try store.names == [])
        #expect(try store.withLedger(named: "device") { $0.count } == 0)
    }

    @Test func `What was seen expired stays so in the file`() throws {
        try store().withLedger(named: "device") { ledger throws(LedgerError) in
            try ledger.record(Self.login, period(.hours(1)))
        }
        let later = try store(at: Self.now + .hours(2))
        #expect(try later.withLedger(named: "device") { $0.status(of: Self.login).isGood } == false)
        #expect(try store().withLedger(named: "device") { $0.status(of: Self.login).isGood } == false)
    }

    @Test func `A clock that went back since the last process is reported`() throws {
        try store(at: Self.now + .hours(2)).withLedger(named: "device") { _ = try $0.bind(to: "5ec2e7") }
        let reports = Mutex<[String]>([])
        let later = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now)) { name, report in
            reports.withLock { $0.append("\(name) \(report.code)") }
        }
        try later.withLedger(named: "device") { _ = $0.count }
        #expect(reports.withLock { $0 } == ["device clock_jumped_back"])
    }

    @Test func `A ledger that is too large for the policy is refused`() throws {
        try store().withLedger(named: "device") { ledger throws(LedgerError) in
            try ledger.record(Self.login, period(.hours(1)))
            try ledger.record(Self.channel, period(.hours(1)))
        }
        let small = try SQLiteLedgerStore(
            path: path, policy: try LedgerPolicy(capacity: 1), time: .fixed(at: Self.now))
        #expect(throws: SQLiteStoreError.ledger(.full(capacity: 1))) {
            try small.withLedger(named: "device") { $0.count }
        }
    }

    /// To the file, threads with a store each are like processes.
    @Test func `Writers at the same time lose nothing`() throws {
        let stores = try (0..<4).map { _ in try store() }
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            for number in 0..<50 {
                let resource = ResourceID("\(writer)-\(number)")
                let written = Result {
                    try stores[writer].withLedger(named: "device") { ledger throws(LedgerError) in
                        try ledger.record(
                            .authorization(requestor: "REF30", mvpd: "TestMVPD", resource: resource), period(.hours(1)))
                    }
                }
                #expect(throws: Never.self) { try written.get() }
            }
        }
        #expect(try store().withLedger(named: "device") { $0.count } == 200)
    }
}
