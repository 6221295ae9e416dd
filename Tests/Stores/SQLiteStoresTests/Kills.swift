import Foundation
import TestVectors

/// When the processes of a test are killed: after pauses of which `TVE_SEED` makes the same ones again.
struct Kills {
    /// How many processes are killed; `TVE_KILLS` sets it.
    let count: Int
    private var noise: Noise

    /// - Parameter usual: How many processes are killed, unless the environment says so.
    init(usually usual: Int) {
        let environment = ProcessInfo.processInfo.environment
        count = environment["TVE_KILLS"].flatMap { Int($0) } ?? usual
        let seed = environment["TVE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
        noise = Noise(seed: seed)
        print("processes are killed after the pauses of TVE_SEED=\(seed)")
    }

    /// Whether the process of a run has answered before it is killed; in each fourth run it is killed while it begins,
    /// and may have done nothing.
    func isAfterAnswers(run: Int) -> Bool { run % 4 != 0 }

    /// Kills a process up to 60 ms after its first answer, or while it begins.
    mutating func kill(_ process: StoreProcess, inRun run: Int) async throws {
        if isAfterAnswers(run: run) { try await process.waitForAnswers() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &noise)))
        process.kill()
    }
}
