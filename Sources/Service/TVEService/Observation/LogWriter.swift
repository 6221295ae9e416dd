#if Service
import Dispatch
import HostSystem
import Logging
import Synchronization

/// Writes lines to standard error on a queue of its own, so that a blocked standard error never delays a request.
///
/// At most `maximumLines` wait to be written. Further ones are dropped, and a later line says how many.
final class LogWriter: Sendable {
    static let standardError = LogWriter()

    private struct Waiting {
        var lines: [String] = []
        var dropped = 0
        var isWriting = false
    }

    private static let maximumLines = 4096

    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "log")

    /// Adds a line to those that wait to be written, or drops it.
    func add(_ line: String) {
        let begins = waiting.withLock { waiting in
            guard waiting.lines.count < Self.maximumLines else {
                waiting.dropped += 1
                return false
            }
            waiting.lines.append(line)
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if begins { queue.async { self.write() } }
    }

    /// Waits until everything is written, for one second at most.
    func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + 1)
    }

    private func write() {
        while let (lines, dropped) = next() {
            for line in lines { StandardStreams.report(line) }
            if dropped > 0 {
                StandardStreams.report(
                    JSONLogHandler.line(
                        .warning, "lines were dropped: standard error was not read",
                        metadata: ["lines": "\(dropped)"]))
            }
        }
    }

    private func next() -> (lines: [String], dropped: Int)? {
        waiting.withLock { waiting in
            guard !waiting.lines.isEmpty else {
                waiting.isWriting = false
                return nil
            }
            defer { (waiting.lines, waiting.dropped) = ([], 0) }
            return (waiting.lines, waiting.dropped)
        }
    }
}
#endif
