import Foundation

/// A process that works on a store: an executable beside the test runner, with its output in a file.
final class StoreProcess {
    private let process = Process()
    private let output: URL

    /// Starts the process; its files may have `limit` blocks of 1024 bytes, which stands for a full disk.
    init(_ executable: String, _ arguments: [String], _ folder: TemporaryFolder, limit: Int? = nil) throws {
        let file = URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: executable)
        output = folder.url.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        if let limit {
            // If the signal for a file that gets too large is ignored, writing fails as on a full disk.
            // The answers go through a pipe, which has no limit.
            let script = "trap '' XFSZ; (ulimit -f \(limit); exec \"$0\" \"$@\") | cat"
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script, file.path] + arguments
        } else {
            process.executableURL = file
            process.arguments = arguments
        }
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Kills the process after up to 60 ms of its work, and in each fourth run while it begins.
    func kill(inRun run: Int) async throws {
        if run % 4 != 0 { try await waitForAnswers() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...60)))
        kill()
    }

    /// Waits until the process has written something; a busy machine takes seconds to start it.
    func waitForAnswers() async throws {
        while process.isRunning, try Data(contentsOf: output).isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Waits for the end, and returns whole lines only, since killing the process may cut the last one.
    func lines() throws -> [String] {
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
