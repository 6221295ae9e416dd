#if Client
import BrokerBench
import Foundation
import Testing

/// A run of the built `tve` that may go on while a test looks at it.
final class RunningTool: Sendable {
    private let process = Process()
    /// What the run needs: its broker and its folder.
    private let tool: BrokerTool
    private let files: [URL]
    private let terminal: PseudoTerminal?

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - tool: Its broker, and the folder in which its output goes; both are there until the run is released.
    ///   - terminal: What all its standard streams are; otherwise files, and nothing to read.
    ///   - environment: Variables that differ from those of the tests.
    /// - Throws: An error of the system.
    init(
        _ arguments: [String],
        of tool: BrokerTool,
        at terminal: PseudoTerminal? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.tool = tool
        files = [UUID().uuidString, UUID().uuidString].map { tool.folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        self.terminal = terminal
        process.executableURL = URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tve")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "TVE_BROKER" }
            .merging(environment) { $1 }
        process.standardInput = terminal?.device ?? FileHandle.nullDevice
        process.standardOutput = try terminal?.device ?? FileHandle(forWritingTo: files[0])
        process.standardError = try terminal?.device ?? FileHandle(forWritingTo: files[1])
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// What it has written so far: to standard output, or to the terminal.
    var output: String {
        terminal?.text ?? ((try? String(contentsOf: files[0], encoding: .utf8)) ?? "")
    }

    /// Waits until the tool has written something.
    ///
    /// - Parameter isThere: Whether it is in what was written.
    /// - Returns: All that was written.
    /// - Throws: `NeverSo`, after an issue was recorded.
    func output(with isThere: (String) -> Bool) async throws -> String {
        do {
            var text = ""
            try await eventually {
                text = output
                return isThere(text)
            }
            return text
        } catch {
            let failure = try String(contentsOf: files[1], encoding: .utf8)
            Issue.record("not written: \(output)\(failure)")
            throw error
        }
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() { process.interrupt() }

    /// Sends SIGTERM.
    func terminate() { process.terminate() }

    /// Waits for its end, without blocking a thread that other tests need.
    ///
    /// - Returns: How it ended.
    /// - Throws: `NeverSo` if it does not end; it is ended by force then.
    func outcome() async throws -> BrokerTool.Outcome {
        do {
            try await eventually { !process.isRunning }
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
        return BrokerTool.Outcome(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : -1, output: output,
            error: try String(contentsOf: files[1], encoding: .utf8))
    }
}
#endif
