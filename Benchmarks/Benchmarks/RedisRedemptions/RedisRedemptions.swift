// How many redemptions a second a store on Redis answers, and how long each takes.
//
//     redis-server --port 0 --unixsocket /tmp/redis.sock --save '' --daemonize yes
//     swift run -c release --package-path Benchmarks RedisRedemptions redis+unix:///tmp/redis.sock

import RedisStores
import TVETokens

@main
enum RedisRedemptions {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            return print("give the address of a server that holds nothing of value: redis+unix:///PATH")
        }
        let address = try RedisAddress(parsing: CommandLine.arguments[1])
        // Wide enough that no redemption is lost to a pause of the machine; the slowest one is printed.
        let store = try RedisReplayStore(address, settings: try RedisPoolSettings(timeLimit: .seconds(5)))
        // IDs that no earlier run used.
        let run = UInt64.random(in: 0 ... .max)
        for tasks in [1, 16, 64, 256] {
            let redemptions = tasks == 1 ? 20_000 : 200_000
            let clock = ContinuousClock()
            let start = clock.now
            let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        try await measure(store, run &+ UInt64(tasks), task: task, redemptions: redemptions / tasks)
                    }
                }
                var latencies: [Duration] = []
                for try await some in group { latencies += some }
                return latencies.sorted()
            }
            let seconds = (clock.now - start) / .seconds(1)
            print(
                "\(tasks) at a time: \(Int(Double(latencies.count) / seconds)) redemptions/s,",
                "half within \(microseconds(latencies, 0.5)), 99 % within \(microseconds(latencies, 0.99)),",
                "the slowest \(microseconds(latencies, 1))")
        }
    }

    /// Redeems new IDs one after the other.
    private static func measure(_ store: RedisReplayStore, _ run: UInt64, task: Int, redemptions: Int) async throws
        -> [Duration]
    {
        let now = Timestamp.now
        var latencies: [Duration] = []
        latencies.reserveCapacity(redemptions)
        for redemption in 0..<redemptions {
            let words = [run, UInt64(task), UInt64(redemption), 0]
            let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
            guard let id = ReplayID(digest: bytes.span) else { continue }
            let start = ContinuousClock.now
            guard try await store.redeem(id, until: now + .minutes(7), at: now) == .first else {
                throw ReplayStoreError.unavailable(reason: "a new ID was seen before")
            }
            latencies.append(ContinuousClock.now - start)
        }
        return latencies
    }

    private static func microseconds(_ sorted: [Duration], _ part: Double) -> String {
        let index = min(Int(Double(sorted.count) * part), sorted.count - 1)
        return "\(Int(sorted[index] / .microseconds(1))) us"
    }
}
