// How many device records of 2 KiB are loaded, changed, sealed and stored each second, divided by bare transactions in C
// on a file of the same size. Rounds take turns; the median of their ratios counts.
//
//     swift run -c release --package-path Benchmarks RecordChanges
//
// The files are made in the folder for temporary files, or in the one that is given.

import BareRecords
import BrokerMessages
import DeviceRecords
import Foundation
import SQLiteStores
import SealedRecords
import ServiceResponses
import TVETokens

@main
enum RecordChanges {
    static let devices = 1000
    static let rounds = 9

    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? FileManager.default.temporaryDirectory.path
        for (isFull, count) in [(false, 20_000), (true, 2000)] {
            for tasks in [1, 8, 64] {
                let path = "\(folder)/records-\(UUID().uuidString)"
                try await compare(path, isFull: isFull, tasks: tasks, count: count)
            }
        }
    }

    private static func compare(_ path: String, isFull: Bool, tasks: Int, count: Int) async throws {
        let store = try SQLiteRecordStore(path: path)
        let sealer = RecordSealer(try SealingKeys.generate(id: "benchmark"))
        let directory = DeviceDirectory(in: store, sealer: sealer)
        for number in 0..<devices { try await directory.change(device(number)) { record in try fill(&record) } }
        let size = try await averageSize(store)
        guard let bare = bare_records_open(path + "-bare", isFull ? 1 : 0, Int32(devices), size) else {
            throw Failure(what: "the bare file")
        }
        defer { bare_records_close(bare) }
        var rates: [(ours: Double, bare: Double)] = []
        for _ in 0..<rounds {
            let ours = try await rate(of: count) {
                try await change(directory, isFull: isFull, tasks: tasks, count: count)
            }
            let theirs = try await rate(of: count) {
                for turn in 0..<count where bare_records_change(bare, Int32(turn * 7919 % devices)) != 1 {
                    throw Failure(what: "a bare transaction")
                }
            }
            rates.append((ours, theirs))
        }
        let ratio = median(rates.map { $0.ours / $0.bare })
        print(
            "\(isFull ? "FULL" : "NORMAL"), \(size) bytes, \(tasks) at once:",
            "\(Int(median(rates.map(\.ours)))) changes/s, \(Int(median(rates.map(\.bare)))) bare transactions/s,",
            "ratio \((ratio * 100).rounded() / 100)")
        for suffix in ["", "-wal", "-shm", "-bare", "-bare-wal", "-bare-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Changes that must reach the disk are profiles; the others are the marks of a sign-in.
    private static func change(
        _ directory: DeviceDirectory,
        isFull: Bool,
        tasks: Int,
        count: Int
    ) async throws {
        let profiles = (try profile("y"), try profile("z"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for turn in stride(from: task, to: count, by: tasks) {
                        try await directory.change(device(turn * 7919 % devices)) { record in
                            if isFull {
                                let next = record["REF30"].profile == profiles.0 ? profiles.1 : profiles.0
                                record["REF30"].adopt(next, askedAt: .now)
                            } else {
                                _ = record["REF30"].raiseEpoch()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func rate(of count: Int, _ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    // MARK: Records

    private static func device(_ number: Int) -> DeviceKey { DeviceKey("device-\(number)") }

    /// About 2 KiB, as a device has after it has signed in.
    private static func fill(_ record: inout DeviceRecord) throws {
        let secret = String(repeating: "s", count: 60)
        let credentials = try ClientCredentials(
            parsing: """
                {"client_id": "\(UUID().uuidString)", "client_secret": "\(secret)", "client_id_issued_at": 1768498200,
                "redirect_uris": ["https://app.example/done"], "grant_types": ["client_credentials"],
                "scopes": ["api:client:v2"]}
                """)
        let token = try AccessToken(
            parsing: """
                {"id": "\(UUID().uuidString)", "access_token": "\(String(repeating: "t", count: 700))",
                "created_at": 1768498200000, "expires_in": 21600, "token_type": "bearer"}
                """)
        let scope = RegistrationScope(origin: "https://broker.example", application: "app")
        record.adopt(credentials, for: scope)
        record.adopt(token, madeWith: credentials, for: scope)
        record["REF30"].provider = ChosenProvider(
            id: "MVPD", displayName: "A provider", logoURL: "https://logo.example/provider.png")
        record["REF30"].adopt(try profile("y"), askedAt: .now)
    }

    private static func profile(_ zip: String) throws -> ProfileHint? {
        let answer = try ProfilesResponse(
            parsing: """
                {"profiles": {"MVPD": {"notBefore": 1768498200000, "notAfter": 1799998200000, "issuer": "MVPD",
                "type": "regular", "attributes": {"userID": {"value": "\(String(repeating: "u", count: 88))",
                "state": "plain"}, "zip": {"value": "\(String(repeating: zip, count: 344))", "state": "enc"},
                "maxRating": {"value": {"MPAA": "PG-13", "VCHIP": "TV-14"}, "state": "plain"}}}}}
                """)
        return answer.profiles.first.map { ProfileHint($0) }
    }

    private static func averageSize(_ store: SQLiteRecordStore) async throws -> Int {
        var sizes: [Int] = []
        for summary in try await store.summaries(after: nil, limit: devices).summaries {
            if let record = try await store.record(at: summary.key) { sizes.append(record.bytes.count) }
        }
        return sizes.reduce(0, +) / max(1, sizes.count)
    }
}

struct Failure: Error {
    let what: String
}
