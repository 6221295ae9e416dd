// How many redemptions a second the stores in memory and in a file answer, and how much memory each takes.
//
//     swift run -c release --package-path Benchmarks StoreRedemptions
//
// The file is made in the folder for temporary files, or in the one that is given.

import Foundation
import SQLiteStores
import TVETokens

@main
enum StoreRedemptions {
    static func main() async throws {
        for live in [1_000_000, 5_000_000] { try measureMemory(live) }
        try measureFlood()
        let folder = CommandLine.arguments.dropFirst().first ?? FileManager.default.temporaryDirectory.path
        for (survivesPowerLoss, redemptions) in [(false, 200_000), (true, 20_000)] {
            for tasks in [1, 8, 64, 256] {
                try await measureFile(
                    "\(folder)/redemptions-\(UUID().uuidString)", survivesPowerLoss, tasks, redemptions)
            }
        }
    }

    /// One thread; time is its processor time, so that other load on the machine counts less.
    private static func measureMemory(_ live: Int) throws {
        let more = 1_000_000
        let ids = (0..<live + more).map(id)
        let now = Timestamp.now
        let end = now + .minutes(22)
        let store = InMemoryReplayStore(capacity: live + more)
        let before = residentBytes()
        var longest = 0.0
        for number in 0..<live {
            let start = processorTime()
            _ = try store.redeem(ids[number], until: end, at: now)
            longest = max(longest, processorTime() - start)
        }
        let bytes = (residentBytes() - before) / live
        let first = try rate(store, ids[live...], until: end, at: now)
        let seen = try rate(store, ids[..<more], until: end, at: now)
        print(
            "memory, \(live) live: \(first) new redemptions/s, \(seen) repeated redemptions/s on one core,",
            "\(bytes) bytes a redemption, the slowest redemption \(Int(longest * 1e6)) us")
    }

    private static func rate(
        _ store: InMemoryReplayStore,
        _ ids: ArraySlice<ReplayID>,
        until end: Timestamp,
        at now: Timestamp
    ) throws -> Int {
        let start = processorTime()
        for id in ids { _ = try store.redeem(id, until: end, at: now) }
        return Int(Double(ids.count) / (processorTime() - start))
    }

    /// Ten times as many tokens as there is room for: the rest is refused, and the redeemed ones stay redeemed.
    private static func measureFlood() throws {
        let capacity = 1_000_000
        let store = InMemoryReplayStore(capacity: capacity)
        let now = Timestamp.now
        let end = now + .minutes(22)
        var refused = 0
        let start = processorTime()
        for number in 0..<10 * capacity {
            do throws(ReplayStoreError) {
                _ = try store.redeem(id(number), until: end, at: now)
            } catch {
                refused += 1
            }
        }
        let seconds = processorTime() - start
        var kept = 0
        for number in 0..<capacity where try store.redeem(id(number), until: end, at: now) == .seen { kept += 1 }
        print("memory, \(10 * capacity) tokens for \(capacity) places: \(refused) refused, \(kept) kept, \(seconds) s")
    }

    /// Wall time, since the disk and a second thread take part.
    private static func measureFile(
        _ path: String,
        _ survivesPowerLoss: Bool,
        _ tasks: Int,
        _ redemptions: Int
    ) async throws {
        defer { for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) } }
        let store = try SQLiteReplayStore(path: path, survivesPowerLoss: survivesPowerLoss)
        let redemptions = tasks == 1 ? redemptions / 10 : redemptions
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in stride(from: task, to: redemptions, by: tasks) {
                        let now = Timestamp.now
                        guard try await store.redeem(id(number), until: now + .minutes(22), at: now) == .first else {
                            throw ReplayStoreError.unavailable(reason: "a new ID was seen before")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "file\(survivesPowerLoss ? ", power loss survived" : ""), \(tasks) at a time:",
            "\(Int(Double(redemptions) / seconds)) redemptions/s")
    }

    /// An ID as evenly spread as a digest, without the cost of one.
    private static func id(_ number: Int) -> ReplayID {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var state = UInt64(number)
        for _ in 0..<4 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) }
        }
        guard let id = ReplayID(digest: bytes.span) else { preconditionFailure("32 bytes are a digest") }
        return id
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Linux only; 0 elsewhere.
    private static func residentBytes() -> Int {
        let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (numbers.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
