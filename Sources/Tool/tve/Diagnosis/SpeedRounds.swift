#if CLI
import HostSystem

/// Measures several ways of doing one thing in turns, so that a busy machine slows all of them alike.
struct SpeedRounds {
    /// Microseconds of processor time for one operation.
    struct Time {
        let median: Double
        /// The tenth and the ninetieth percentile of the rounds.
        let spread: ClosedRange<Double>
    }

    let seconds: Double
    /// How many times an operation does the thing in one call; times are for one.
    var each = 1

    /// Measures operations: one time for each, or `nil` if one failed.
    ///
    /// Each operation returns whether it succeeded.
    func times(_ operations: [() -> Bool]) -> [Time]? {
        // The first round warms the caches, and finds how many operations take about a millisecond.
        var repetitions = 1
        while true {
            guard let elapsed = elapsed(operations[0], repetitions: repetitions) else { return nil }
            if elapsed > 1_000_000 { break }
            repetitions *= 2
        }
        var samples = [[Double]](repeating: [], count: operations.count)
        let budget = Int64(seconds * 1_000_000_000)
        var spent: Int64 = 0
        while spent < budget || samples[0].count < 11 {
            for (index, operation) in operations.enumerated() {
                guard let elapsed = elapsed(operation, repetitions: repetitions) else { return nil }
                samples[index].append(Double(elapsed) / Double(repetitions * each) / 1000)
                spent += elapsed
            }
        }
        return samples.map { samples in
            let sorted = samples.sorted()
            let last = sorted.count - 1
            return Time(median: sorted[last / 2], spread: sorted[last / 10]...sorted[last * 9 / 10])
        }
    }

    private func elapsed(_ operation: () -> Bool, repetitions: Int) -> Int64? {
        let start = SystemClock.threadProcessorNanoseconds
        for _ in 0..<repetitions where !operation() { return nil }
        return SystemClock.threadProcessorNanoseconds - start
    }
}
#endif
