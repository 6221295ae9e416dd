#if Client
import BrokerBench
import Foundation

/// Runs programs of the system.
enum Program {
    struct Failed: Error {}

    /// Runs a program to its end, without blocking a thread that other tests need.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Its arguments.
    ///   - folder: Where it runs.
    /// - Returns: What it has written to standard output.
    /// - Throws: `Failed` if its exit code is not 0; `NeverSo` if it does not end.
    @discardableResult
    static func output(
        of path: String,
        _ arguments: [String],
        in folder: URL = FileManager.default.temporaryDirectory
    ) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = try start(path, arguments, in: folder, writingTo: file)
        defer { stop(process) }
        try await eventually { !process.isRunning }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else { throw Failed() }
        return Array(try Data(contentsOf: file))
    }

    /// Starts a program that reads nothing.
    static func start(_ path: String, _ arguments: [String], in folder: URL, writingTo file: URL) throws -> Process {
        try Data().write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Ends a program at once, if it still runs: it may have inherited that SIGTERM is blocked.
    static func stop(_ process: Process) {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}
#endif
