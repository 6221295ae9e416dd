import EntitlementValues
import Foundation
import SQLiteStores
import TestVectors
import Testing
import TokenLifetimes

/// What a file with a million ledgers costs; opt-in, since it measures and needs an optimised build.
///
///     TVE_FIGURES=1 swift test -c release --disable-xctest --filter LedgerStoreFigures
///
/// `TVE_FIGURES_LEDGERS` is another number of ledgers.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["TVE_FIGURES"] != nil), .serialized)
struct LedgerStoreFigures {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let entriesInEach = 3

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("ledgers.sqlite")
    }

    private static func entitlement(_ ledger: Int, _ number: Int) -> Entitlement {
        let (requestor, mvpd) = (RequestorID("REQ\(ledger % 10)"), MVPDID("TestMVPD\(ledger % 100)"))
        guard number > 0 else { return .authentication(requestor: requestor, mvpd: mvpd) }
        return .authorization(requestor: requestor, mvpd: mvpd, resource: ResourceID("TestChannel\(number)"))
    }

    /// Names as long as the IDs of devices that tokens carry.
    private static func name(_ ledger: Int) -> String {
        let digits = String(ledger, radix: 16)
        return String(repeating: "0", count: 40 - digits.count) + digits
    }

    private func fill(_ store: SQLiteLedgerStore, _ count: Int) throws -> Duration {
        try ContinuousClock().measure {
            for start in stride(from: 0, to: count, by: 10_000) {
                let numbers = Array(start..<min(start + 10_000, count))
                var next = numbers.makeIterator()
                try store.withLedgers(named: numbers.map(Self.name)) { _, ledger in
                    let number = next.next() ?? 0
                    for entry in 0..<Self.entriesInEach {
                        let end = Self.now + .seconds(Int64(1 + (number &* 7919 + entry &* 104_729) % 86_400))
                        try ledger.record(
                            Self.entitlement(number, entry), EntitlementPeriod(notBefore: Self.now, notAfter: end))
                    }
                }
            }
        }
    }

    /// The size of the file, into which SQLite has copied its log when the last connection was closed.
    private func fileSize() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    @Test func `A million ledgers are asked and listed at once`() throws {
        let count = ProcessInfo.processInfo.environment["TVE_FIGURES_LEDGERS"].flatMap { Int($0) } ?? 1_000_000
        let time: Duration
        do {
            let store = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now))
            time = try fill(store, count)
        }
        let size = try fileSize()
        print(
            "ledgers: \(count) with \(Self.entriesInEach) entries each written in \(time), \(size) bytes:",
            "\(size / count) for each ledger, \(size / count / Self.entriesInEach) for each entry")
        let store = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now))
        try askAll(store, count)
        let times = try (0..<20).map { _ in
            try ContinuousClock().measure {
                let found = try store.expiring(before: Self.now + .hours(1), limit: 100)
                #expect(found.count == 100)
            }
        }
        print("ledgers: expiring(before:limit: 100) took \(times[0]) the first time, then \(times.min() ?? .zero)")
        #expect(times.max() ?? .zero < .milliseconds(10))
    }

    private func askAll(_ store: SQLiteLedgerStore, _ count: Int) throws {
        let asked = (0..<20_000).map { $0 &* 611_953 % count }
        for pass in ["first", "second"] {
            var good = 0
            let time = try ContinuousClock().measure {
                for number in asked {
                    let ledger = try store.ledger(named: Self.name(number))
                    if ledger?.status(of: Self.entitlement(number, 1)).isGood == true { good += 1 }
                }
            }
            #expect(good == asked.count)
            let microseconds = time / .microseconds(1) / Double(asked.count)
            print("ledgers: \(microseconds) µs for each question, \(pass) pass over \(asked.count) ledgers")
            #expect(microseconds < 50)
        }
    }

    @Test func `Ten thousand ledgers are filled within a second`() throws {
        let store = try SQLiteLedgerStore(path: path, time: .fixed(at: Self.now))
        let time = try fill(store, 10_000)
        print("ledgers: 10000 filled in \(time)")
        #expect(time < .seconds(1))
        let question = try ContinuousClock().measure {
            let found = try store.expiring(before: Self.now + .hours(1), limit: 100)
            #expect(found.count == 100)
        }
        print("ledgers: expiring(before:limit: 100) among 10000 ledgers took \(question)")
        #expect(question < .milliseconds(20))
    }
}
