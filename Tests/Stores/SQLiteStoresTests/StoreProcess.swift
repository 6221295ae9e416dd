import Foundation
import TestVectors

/// A process that works on a store: an executable beside the test runner, with its output in a file.
final class StoreProcess {
    private let program: StartedProgram
    private let output: URL

    /// Starts the process; its files may have `limit` blocks of 1024 bytes, which stands for a full disk.
    init(_ executable: String, _ arguments: [String], _ folder: TemporaryFolder, limit: Int? = nil) throws {
        let file = Program.built(executable)
        output = folder.url.appending(path: "output-\(UUID().uuidString)")
        // If the signal for a file that gets too large is ignored, writing fails as on a full disk.
        // The answers go through a pipe, which has no limit.
        let script = limit.map { "trap '' XFSZ; (ulimit -f \($0); exec \"$0\" \"$@\") | cat" }
        program = try StartedProgram(
            script == nil ? file : URL(filePath: "/bin/bash"),
            (script.map { ["-c", $0, file.path] } ?? []) + arguments,
            output: .file(output), errors: .open(.standardError))
    }

    func kill() { program.send(SIGKILL) }

    /// Waits until the process has answered something, or has ended.
    func waitForAnswers() async throws {
        try await eventually("the first answer") { try !program.isRunning || !answers().isEmpty }
    }

    /// Waits for the end, and returns whole lines only, since killing the process may cut the last one.
    func lines() async throws -> [String] {
        _ = try await program.end()
        return try answers()
    }

    private func answers() throws -> [String] {
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
