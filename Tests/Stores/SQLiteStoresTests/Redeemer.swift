/// A process that redeems IDs in a file: the executable `ReplayRedeemer`.
struct Redeemer {
    let process: StoreProcess

    init(
        _ file: String,
        _ folder: TemporaryFolder,
        first: Int = 0,
        count: Int,
        step: Int = 1,
        atOnce: Int,
        patience: Int = 60,
        limit: Int? = nil
    ) throws {
        let numbers = [first, count, step, atOnce, patience].map(String.init)
        process = try StoreProcess("ReplayRedeemer", [file] + numbers, folder, limit: limit)
    }

    /// Starts a process that redeems 1, and 2 in a fork of it.
    init(forkingOn file: String, _ folder: TemporaryFolder) throws {
        process = try StoreProcess("ReplayRedeemer", [file, "fork"], folder)
    }

    /// Waits for the end, and returns the answers.
    func answers() async throws -> [(number: Int, answer: String)] {
        try await process.lines().compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0]) else { return nil }
            return (number, String(parts[1]))
        }
    }
}
