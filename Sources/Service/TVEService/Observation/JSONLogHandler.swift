#if Service
import EntitlementValues
public import Logging
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
#endif
