package import Foundation
import Synchronization

/// A program that a test has started; it is killed when the object goes.
///
/// Nothing here waits as `Process.waitUntilExit` does, which has no limit and keeps a thread.
package final class StartedProgram: Sendable {
    package let identifier: Int32
    private let name: String
    private let process: Mutex<Process>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: Its arguments.
    ///   - folder: Where it runs; where the tests run if none is given.
    ///   - environment: Variables that differ from those of the tests; `nil` for those that it must not have.
    ///   - input: What it reads.
    ///   - output: Where it writes.
    ///   - errors: Where it writes its faults.
    /// - Throws: An error of the system if it cannot be started.
    package init(
        _ executable: URL,
        _ arguments: [String],
        in folder: URL? = nil,
        environment: [String: String?] = [:],
        input: ProgramStream = .nothing,
        output: ProgramStream = .nothing,
        errors: ProgramStream = .nothing
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment.compactMapValues(\.self)) { $1 }
            .filter { environment[$0.key] != .some(nil) }
        if let folder { process.currentDirectoryURL = folder }
        var opened: [FileHandle] = []
        // `Process` keeps what it is given, on Linux for ever.
        defer { for handle in opened { try? handle.close() } }
        process.standardInput = try input.source(noting: &opened)
        process.standardOutput = try output.target(noting: &opened)
        process.standardError = try errors.target(noting: &opened)
        try process.run()
        (identifier, name) = (process.processIdentifier, executable.lastPathComponent)
        self.process = Mutex(process)
    }

    deinit { send(SIGKILL) }

    package var isRunning: Bool { process.withLock { $0.isRunning } }

    /// Sends a signal, unless the program has ended.
    package func send(_ signal: Int32) {
        process.withLock { process in
            if process.isRunning { _ = kill(process.processIdentifier, signal) }
        }
    }

    /// Waits for the end, and kills a program that does not come to it.
    ///
    /// - Parameter limit: How long at most, which only a program that hangs takes.
    /// - Returns: The exit code; for a signal that ended it, minus its number.
    /// - Throws: `WaitedInVain`.
    package func end(within limit: Duration = patience * 5) async throws -> Int32 {
        do {
            return try await polled("the end of \(name)", within: limit) { exitCode }
        } catch {
            send(SIGKILL)
            throw error
        }
    }

    /// Keeps this thread, which must be none of those that run tasks, until the program has ended.
    ///
    /// - Returns: The exit code; for a signal that ended it, minus its number.
    /// - Throws: `WaitedInVain`; the program goes on.
    @discardableResult
    package func holdUntilItEnds() throws -> Int32 {
        try hold("the end of \(name)") { !isRunning }
        return exitCode ?? 0
    }

    private var exitCode: Int32? {
        process.withLock { process in
            guard !process.isRunning else { return nil }
            return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        }
    }
}
