import Foundation
import Workloads

/// An operation that takes turns with others.
protocol Contender {
    var name: String { get }
    var floor: String? { get }
    var isLong: Bool { get }
    /// Runs the operation `times` times, and returns the time for all of them together.
    func time(_ times: Int) async throws -> Elapsed
}

/// The time of a turn, in nanoseconds.
struct Elapsed {
    /// Processor time of all threads.
    let processor: Double
    /// Time by the clock.
    let clock: Double
}

extension Workload: Contender {
    func time(_ times: Int) async throws -> Elapsed {
        let start = nanoseconds(CLOCK_MONOTONIC)
        let used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        try await run(times)
        return Elapsed(
            processor: nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - used, clock: nanoseconds(CLOCK_MONOTONIC) - start)
    }
}

func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// What one contender took: microseconds for one operation, in each round.
struct Series {
    let name: String
    let floor: String?
    let isLong: Bool
    var processor: [Double] = []
    var clock: [Double] = []
}

/// Lets contenders take turns, so that a slow moment of the machine slows all of them alike.
func race(_ contenders: [any Contender], rounds: Int) async throws -> [Series] {
    var series = contenders.map { Series(name: $0.name, floor: $0.floor, isLong: $0.isLong) }
    var times: [Int] = []
    for contender in contenders {
        // The first turn makes what is made once. Then `count` grows until a turn fills some milliseconds.
        _ = try await contender.time(1)
        var count = 1
        while try await contender.time(count).processor < 4_000_000 { count *= 2 }
        times.append(count)
    }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            let elapsed = try await contender.time(times[index])
            series[index].processor.append(elapsed.processor / Double(times[index]) / 1000)
            series[index].clock.append(elapsed.clock / Double(times[index]) / 1000)
        }
    }
    return series
}
