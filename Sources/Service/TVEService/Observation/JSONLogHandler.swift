#if Service
import Dispatch
import EntitlementValues
import HostSystem
public import Logging
import Synchronization
import TextCodecs

/// Writes each log event as one JSON object on a line of its own, to standard error.
///
/// The members are `time` (RFC 3339), `level`, `message`, and those of the metadata, which cannot replace the first three.
/// Logging never waits for standard error to be read: up to 4096 lines are kept in memory, further ones are dropped, and a
/// later line says how many.
public struct JSONLogHandler: LogHandler {
    /// The lowest level that is written.
    public var logLevel: Logger.Level
    /// The metadata of every event.
    public var metadata: Logger.Metadata = [:]
    /// Adds metadata of the current task.
    public var metadataProvider: Logger.MetadataProvider?

    /// Makes a handler that writes events of a level and above.
    public init(logLevel: Logger.Level = .info) { self.logLevel = logLevel }

    /// One metadata value of every event.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        var values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        values.merge(event.metadata ?? [:]) { $1 }
        LogWriter.standardError.add(Self.line(event.level, event.message.description, metadata: values))
    }

    /// Waits until everything that was logged is written, for one second at most.
    ///
    /// Call it before the process exits.
    public static func flush() { LogWriter.standardError.flush() }

    static func line(_ level: Logger.Level, _ message: String, metadata: Logger.Metadata) -> String {
        var object = JSONWriter()
        object.member("time", "\(Timestamp.now)")
        object.member("level", level.rawValue)
        object.member("message", message)
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) where !reservedNames.contains(name) {
            object.member(name, "\(value)")
        }
        return String(decoding: object.finished, as: UTF8.self)
    }

    private static let reservedNames: Set = ["time", "level", "message"]
}

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
