#if Redis
public import EntitlementValues

/// How a store uses its server.
///
/// The defaults suit a server in the same data centre.
public struct RedisPoolSettings: Sendable, Hashable {
    /// The prefix of every key in the server.
    ///
    /// Stores share their redemptions if they have the same prefix. An access list can be limited to it.
    public let prefix: String
    /// The maximum number of connections.
    ///
    /// Redemptions are pipelined, so a few connections are enough; the second one opens when the first is busy.
    public let connections: Int
    /// How long a redemption may take, including the wait for its turn and for a connection.
    public let timeLimit: TimeToLive
    /// The maximum number of redemptions that wait for their turn; one more is refused at once.
    public let maximumWaiting: Int

    /// Prefix `tve:`, 2 connections, 250 ms, 10,000 waiting redemptions.
    public static let standard = RedisPoolSettings()

    private init() {
        prefix = "tve:"
        connections = 2
        timeLimit = TimeToLive(milliseconds: 250)
        maximumWaiting = 10_000
    }

    /// Changes parts of the standard settings.
    ///
    /// - Parameters:
    ///   - prefix: 1 to 64 printable ASCII characters without blanks.
    ///   - connections: 1 to 64.
    ///   - timeLimit: 1 ms to 60 s.
    ///   - maximumWaiting: 1 to 1,000,000.
    /// - Throws: `RedisConfigurationError.badSetting`, which names the setting.
    public init(
        prefix: String = standard.prefix,
        connections: Int = standard.connections,
        timeLimit: TimeToLive = standard.timeLimit,
        maximumWaiting: Int = standard.maximumWaiting
    ) throws(RedisConfigurationError) {
        guard 1...64 ~= prefix.utf8.count, prefix.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .badSetting(name: "prefix", allowed: "1 to 64 printable ASCII characters without blanks")
        }
        guard 1...64 ~= connections else { throw .badSetting(name: "connections", allowed: "1 to 64") }
        guard TimeToLive(milliseconds: 1)...TimeToLive.seconds(60) ~= timeLimit else {
            throw .badSetting(name: "timeLimit", allowed: "1 ms to 60 s")
        }
        guard 1...1_000_000 ~= maximumWaiting else {
            throw .badSetting(name: "maximumWaiting", allowed: "1 to 1000000")
        }
        self.prefix = prefix
        self.connections = connections
        self.timeLimit = timeLimit
        self.maximumWaiting = maximumWaiting
    }
}
#endif
