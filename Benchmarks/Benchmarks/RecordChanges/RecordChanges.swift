// What it costs to load, change, seal and store a device record of 2 KiB, compared with bare transactions in C on a file
// with records of the same size. Rounds take turns; the median of their ratios counts. A ratio of 1 means as fast as C, and
// 0.5 half as fast: by processor time, and by the clock.
//
// A bare transaction is what any program does that changes a record: BEGIN IMMEDIATE, SELECT version and body by key, UPDATE
// both WHERE the version is still the same, COMMIT; statements are prepared once. It runs on one thread and has no keys, no
// JSON and no further columns. The blind write is one UPDATE by key.
//
//     RecordChanges [--folder PATH] [--rounds N] [--only NORMAL|FULL] [--at-once N] [--count N] [--ours-only]
//
// The files are made in the folder for temporary files unless another one is given.

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

    static func main() async throws {
        let options = Options()
        for (isFull, count) in [(false, 20_000), (true, 2000)] where options.includes(isFull: isFull) {
            for tasks in options.tasks {
                try await compare(options, isFull: isFull, tasks: tasks, count: options.count ?? count)
            }
        }
    }

    private static func compare(_ options: Options, isFull: Bool, tasks: Int, count: Int) async throws {
        let path = "\(options.folder)/records-\(UUID().uuidString)"
        let store = try SQLiteRecordStore(path: path)
        let sealer = RecordSealer(try SealingKeys.generate(id: "benchmark"))
        let directory = DeviceDirectory(in: store, sealer: sealer)
        for number in 0..<devices { try await directory.change(device(number)) { record in try fill(&record) } }
        let size = try await averageSize(store)
        guard let bare = bare_records_open(path + "-bare", isFull ? 1 : 0, Int32(devices), size) else {
            throw Failure(what: "the bare file")
        }
        defer { bare_records_close(bare) }
        var ours: [Cost] = [], changes: [Cost] = [], writes: [Cost] = []
        for _ in 0..<options.rounds {
            ours.append(
                try await Cost(of: count) { try await change(directory, isFull: isFull, tasks: tasks, count: count) })
            if options.isOursOnly { continue }
            changes.append(
                try await Cost(of: count) {
                    for turn in 0..<count where bare_records_change(bare, Int32(turn * 7919 % devices)) != 1 {
                        throw Failure(what: "a bare transaction")
                    }
                })
            writes.append(
                try await Cost(of: count) {
                    for turn in 0..<count where bare_records_write(bare, Int32(turn * 7919 % devices)) != 1 {
                        throw Failure(what: "a blind write")
                    }
                })
        }
        print("\(isFull ? "FULL" : "NORMAL"), \(size) bytes, \(tasks) at once:")
        report("  change", ours)
        report("  bare transaction", changes, comparedWith: ours)
        report("  blind write", writes, comparedWith: ours)
        for suffix in ["", "-wal", "-shm", "-bare", "-bare-wal", "-bare-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static func report(_ name: String, _ costs: [Cost], comparedWith ours: [Cost] = []) {
        guard !costs.isEmpty else { return }
        var line = "\(name): \(rounded(costs.map(\.processor).median * 1e6)) µs of processor time, "
        line += "\(Int(1 / costs.map(\.clock).median))/s by the clock"
        if !ours.isEmpty {
            let (processor, clock) = (
                zip(costs, ours).map { $0.processor / $1.processor }, zip(costs, ours).map { $0.clock / $1.clock }
            )
            line += "; ratio \(rounded(processor.median)) of processor time, \(rounded(clock.median)) by the clock"
        }
        print(line)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

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

/// What the command line says.
struct Options {
    let folder: String
    let rounds: Int
    let tasks: [Int]
    let count: Int?
    let isOursOnly: Bool
    private let only: String?

    init() {
        let arguments = CommandLine.arguments
        func value(_ option: String) -> String? {
            arguments.firstIndex(of: option).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        folder = value("--folder") ?? FileManager.default.temporaryDirectory.path
        rounds = value("--rounds").flatMap { Int($0) } ?? 9
        tasks = value("--at-once").flatMap { Int($0) }.map { [$0] } ?? [1, 8, 64]
        count = value("--count").flatMap { Int($0) }
        only = value("--only")
        isOursOnly = arguments.contains("--ours-only")
    }

    func includes(isFull: Bool) -> Bool { only == nil || only == (isFull ? "FULL" : "NORMAL") }
}

/// What one of some operations took, in seconds.
struct Cost {
    /// Of all threads of this process.
    let processor: Double
    let clock: Double

    init(of count: Int, _ body: () async throws -> Void) async throws {
        let (start, startOfClock) = (Self.processorTime(), ContinuousClock.now)
        try await body()
        processor = (Self.processorTime() - start) / Double(count)
        clock = (ContinuousClock.now - startOfClock) / .seconds(1) / Double(count)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}

struct Failure: Error {
    let what: String
}
