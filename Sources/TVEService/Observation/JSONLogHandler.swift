#if Service
import TextCodecs
import EntitlementValues
public import Logging

/// Writes each log event as one JSON object on a line of its own, to standard error.
///
/// Members: `time`, `level`, `message`, and those of the metadata, which never hide the first three. Nobody waits for the
/// writing: where standard error is not read, 4096 lines are kept, and a later line says how many were dropped.
public struct JSONLogHandler: LogHandler {
    /// The least level that is written.
    public var logLevel: Logger.Level
    /// What every event tells.
    public var metadata: Logger.Metadata = [:]
    /// Adds what the task knows.
    public var metadataProvider: Logger.MetadataProvider?

    /// Writes events of a level and above.
    public init(logLevel: Logger.Level = .info) { self.logLevel = logLevel }

    /// One value that every event tells.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        var values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        values.merge(event.metadata ?? [:]) { $1 }
        LogWriter.standardError.add(Self.line(event.level, event.message.description, values))
    }

    /// Waits until what was logged is written, a second at most: for the end of the process.
    public static func flush() { LogWriter.standardError.flush() }

    static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        var object = JSONWriter()
        object.member("time", "\(Timestamp.now)")
        object.member("level", level.rawValue)
        object.member("message", message)
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) where !ownNames.contains(name) {
            object.member(name, "\(value)")
        }
        return String(decoding: object.finished, as: UTF8.self)
    }

    private static let ownNames: Set = ["time", "level", "message"]
}
#endif
