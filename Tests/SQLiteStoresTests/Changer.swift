import Foundation
import SealedRecords

/// A process that changes the record of a device: the executable `RecordChanger`, beside the test runner.
final class Changer {
    private let process = Process()
    private let output: URL

    static let executable = URL(filePath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "RecordChanger")

    /// Starts the process; its files may have `limit` blocks of 1024 bytes, which stands for a full disk.
    init(_ arguments: [String], _ folder: TemporaryFolder, limit: Int? = nil) throws {
        output = folder.url.appending(path: "changes-\(UUID().uuidString)")
        try Data().write(to: output)
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

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits for the end, and returns whole lines only, since killing the process may cut the last one.
    func lines() throws -> [String] {
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
