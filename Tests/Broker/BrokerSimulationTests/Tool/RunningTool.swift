#if Client
import Foundation
import Testing
import TestVectors

/// A run of the built `tve` that may go on while a test looks at it.
final class RunningTool: Sendable {
    private let program: StartedProgram
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
        program = try StartedProgram(
            Program.built("tve"), arguments, environment: ["TVE_BROKER": nil].merging(environment) { $1 },
            input: terminal.map { .open($0.device) } ?? .nothing,
            output: terminal.map { .open($0.device) } ?? .file(files[0]),
            errors: terminal.map { .open($0.device) } ?? .file(files[1]))
    }

    /// What it has written so far: to standard output, or to the terminal.
    var output: String {
        terminal?.text ?? ((try? String(contentsOf: files[0], encoding: .utf8)) ?? "")
    }

    /// Waits until the tool has written something.
    ///
    /// - Parameter isThere: Whether it is in what was written.
    /// - Returns: All that was written.
    /// - Throws: `WaitedInVain`, after an issue was recorded.
    func output(with isThere: (String) -> Bool) async throws -> String {
        do {
            return try await polled("output") {
                let text = output
                return isThere(text) ? text : nil
            }
        } catch {
            let failure = try String(contentsOf: files[1], encoding: .utf8)
            Issue.record("not written: \(output)\(failure)")
            throw error
        }
    }

    func send(_ signal: Int32) { program.send(signal) }

    /// Waits for its end.
    ///
    /// - Returns: How it ended.
    /// - Throws: `WaitedInVain` if it does not end; it is ended by force then.
    func outcome() async throws -> BrokerTool.Outcome {
        let exitCode = try await program.end()
        return BrokerTool.Outcome(
            exitCode: exitCode, output: output, error: try String(contentsOf: files[1], encoding: .utf8))
    }
}
#endif
