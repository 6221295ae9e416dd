import Foundation

/// A process that redeems IDs in a file: the executable `ReplayRedeemer`, beside the test runner.
final class Redeemer {
    private let process = Process()
    private let output: URL

    static let executable = URL(filePath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "ReplayRedeemer")

    /// Starts the process; its files may have `limit` blocks of 1024 bytes, which stands for a full disk.
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
        output = folder.url.appending(path: "redemptions-\(UUID().uuidString)")
        try Data().write(to: output)
        let arguments = [file, "\(first)", "\(count)", "\(step)", "\(atOnce)", "\(patience)"]
        if let limit {
            // If the signal for a file that gets too large is ignored, writing fails as on a full disk.
            // The answers go through a pipe, which has no limit.
            let script = "trap '' XFSZ; (ulimit -f \(limit); exec \"$0\" \"$@\") | cat"
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script, Self.executable.path] + arguments
        } else {
            process.executableURL = Self.executable
            process.arguments = arguments
        }
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    /// Starts a process that redeems 1, and 2 in a fork of it.
    init(forkingOn file: String, _ folder: TemporaryFolder) throws {
        output = folder.url.appending(path: "redemptions-\(UUID().uuidString)")
        try Data().write(to: output)
        process.executableURL = Self.executable
        process.arguments = [file, "fork"]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits for the end, and returns the answers: whole lines only, since killing the process may cut the last one.
    func answers() throws -> [(number: Int, answer: String)] {
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0]) else { return nil }
            return (number, String(parts[1]))
        }
    }
}
