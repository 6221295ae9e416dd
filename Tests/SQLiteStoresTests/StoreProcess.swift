import Foundation
import TestVectors

/// A process that works on a store: an executable beside the test runner, with its output in a file.
final class StoreProcess {
    private let process = Process()
    private let output: URL

    /// Starts the process; its files may have `limit` blocks of 1024 bytes, which stands for a full disk.
    init(_ executable: String, _ arguments: [String], _ folder: TemporaryFolder, limit: Int? = nil) throws {
        let file = Program.built(executable)
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
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits until the process has answered something, or has ended.
    func waitForAnswers() async throws {
        try await waitUntil("the first answer") { try !process.isRunning || !answers().isEmpty }
    }

    /// Waits for the end, and returns whole lines only, since killing the process may cut the last one.
    func lines() async throws -> [String] {
        _ = try await process.waitForEnd()
        return try answers()
    }

    private func answers() throws -> [String] {
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
