#if Service
import Foundation
import Synchronization

/// A process, which is killed when the object is released.
final class ChildProcess: Sendable {
    private let process: Mutex<Process>

    init(running process: sending Process) throws {
        try process.run()
        self.process = Mutex(process)
    }

    deinit { kill(SIGKILL) }

    var identifier: Int32 { process.withLock { $0.processIdentifier } }

    func kill(_ signal: Int32) {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
        }
    }

    /// Waits until it has ended.
    ///
    /// It is asked again and again, since waiting in `Process` would block a thread that other tasks need.
    func exitCode() async throws -> Int32 {
        try await polled { process.withLock { $0.isRunning ? nil : $0.terminationStatus } }
    }

    /// Where the build puts the tool: next to the test runner.
    static let tool = URL(filePath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tve")
}

/// Reads a pipe on threads of its own: reading blocks.
final class PipeReader: Sendable {
    private struct State {
        var bytes = Data()
        var isOver = false
    }

    private let pipe: Pipe
    private let state = Mutex(State())

    init(_ pipe: Pipe) { self.pipe = pipe }

    /// Begins to read.
    ///
    /// - Parameter isEnough: Whether what has come is enough, so that reading stops until this is called again.
    func start(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) {
        Thread.detachNewThread { [self] in
            while !isEnough(text) {
                let bytes = pipe.fileHandleForReading.availableData
                if bytes.isEmpty { return state.withLock { $0.isOver = true } }
                state.withLock { $0.bytes += bytes }
            }
        }
    }

    /// What has come so far.
    var text: String { String(decoding: state.withLock(\.bytes), as: UTF8.self) }

    /// Whether the writer has closed the pipe, and nothing more will come.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Everything that comes until the writer closes the pipe.
    func wholeText() async throws -> String { try await polled { isOver ? text : nil } }
}

/// Runs a process to its end.
func finish(_ process: sending Process) async throws -> (exitCode: Int32, output: String, error: String) {
    let (output, error) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, error)
    let child = try ChildProcess(running: process)
    let (outputReader, errorReader) = (PipeReader(output), PipeReader(error))
    outputReader.start()
    errorReader.start()
    let exitCode = try await child.exitCode()
    return (exitCode, try await outputReader.wholeText(), try await errorReader.wholeText())
}
#endif
