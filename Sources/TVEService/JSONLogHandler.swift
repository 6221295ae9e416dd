#if Service
    import EntitlementValues
    public import Logging
    import OpenSSLBridge

    /// Writes each log event as one JSON object on a line of its own, to standard error.
    ///
    /// Members: `time`, `level`, `message`, and those of the metadata, which never hide the first three.
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
            var object = JSONWriter()
            object.member("time", "\(Timestamp.now)")
            object.member("level", event.level.rawValue)
            object.member("message", event.message.description)
            var values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
            values.merge(event.metadata ?? [:]) { $1 }
            for (name, value) in values.sorted(by: { $0.key < $1.key }) where !Self.ownNames.contains(name) {
                object.member(name, "\(value)")
            }
            StandardStreams.report(String(decoding: object.finished, as: UTF8.self))
        }

        private static let ownNames: Set = ["time", "level", "message"]
    }
#endif
