package import Foundation
import Synchronization

/// A program that a test started.
///
/// `Process.waitUntilExit` has no limit; these waits have one, and the asynchronous one keeps no thread of tasks.
package final class StartedProgram: Sendable {
    private let process: Mutex<Process>
    private let identifier: Int32
    private let end = End()

    /// Whether the program has ended, and how.
    private final class End: Sendable {
        let status = Mutex<Int32?>(nil)
        /// Open from the end of the program on.
        let gate = DispatchSemaphore(value: 0)

        func note(_ status: Int32) {
            self.status.withLock { $0 = status }
            gate.signal()
        }
    }

    /// Starts a program; what it says of faults is dropped.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: Its arguments.
    ///   - input: What it reads; nothing if none is given.
    ///   - output: Where it writes.
    /// - Throws: The error of `Process` if it cannot be started.
    package init(
        _ path: String,
        _ arguments: [String],
        input: FileHandle = .nullDevice,
        output: FileHandle = .nullDevice
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [end] in end.note($0.terminationStatus) }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
    }

    package var isRunning: Bool { end.status.withLock { $0 == nil } }

    /// Sends a signal, unless the program has ended.
    package func send(_ signal: Int32) {
        if isRunning { _ = kill(identifier, signal) }
    }

    /// Keeps this thread until the program has ended.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: The status of its end, or the signal that ended it.
    /// - Throws: `POSIXError.ETIMEDOUT` at the limit; the program goes on.
    @discardableResult
    package func holdUntilItEnds(within limit: Duration = patience) throws -> Int32 {
        guard end.gate.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success else {
            throw POSIXError(.ETIMEDOUT)
        }
        end.gate.signal()
        return end.status.withLock { $0 ?? -1 }
    }

    /// Waits until the program has ended.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: The status of its end, or the signal that ended it.
    /// - Throws: `POSIXError.ETIMEDOUT` at the limit; the program goes on.
    package func status(within limit: Duration) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                continuation.resume(with: Result { try holdUntilItEnds(within: limit) })
            }
        }
    }
}
