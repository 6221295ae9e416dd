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
    /// Commands are pipelined, so a few connections are enough; the second one opens when the first is busy.
    public let connections: Int
    /// How long a command, such as a redemption, may take, including the wait for its turn and for a connection.
    ///
    /// It should be at least four times the round trip to the server.
    public let timeLimit: TimeToLive
    /// How long connecting may take, with signing in and checking the server.
    ///
    /// Connecting goes on after the command that caused it has been refused, so a distant server is reached even if this
    /// takes longer than one command may.
    public let connectTimeLimit: TimeToLive
    /// The maximum number of commands that wait for their turn; one more is refused at once.
    public let maximumWaiting: Int
    /// The name of the connections in the server's `CLIENT LIST`.
    public let clientName: String

    /// Prefix `tve:`, 2 connections, 250 ms for a command and 2 s for connecting, 10,000 waiting commands, name `tve`.
    public static let standard = RedisPoolSettings()

    private init() {
        prefix = "tve:"
        connections = 2
        timeLimit = TimeToLive(milliseconds: 250)
        connectTimeLimit = .seconds(2)
        maximumWaiting = 10_000
        clientName = "tve"
    }

    /// Changes parts of the standard settings.
    ///
    /// - Parameters:
    ///   - prefix: 1 to 64 printable ASCII characters without blanks.
    ///   - connections: 1 to 64.
    ///   - timeLimit: 1 ms to 60 s.
    ///   - connectTimeLimit: 1 ms to 60 s.
    ///   - maximumWaiting: 1 to 1,000,000.
    ///   - clientName: 1 to 64 printable ASCII characters without blanks.
    /// - Throws: `RedisConfigurationError.badSetting`, which names the setting.
    public init(
        prefix: String = standard.prefix,
        connections: Int = standard.connections,
        timeLimit: TimeToLive = standard.timeLimit,
        connectTimeLimit: TimeToLive = standard.connectTimeLimit,
        maximumWaiting: Int = standard.maximumWaiting,
        clientName: String = standard.clientName
    ) throws(RedisConfigurationError) {
        for (name, text) in [("prefix", prefix), ("clientName", clientName)] {
            guard 1...64 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw .badSetting(name: name, allowed: "1 to 64 printable ASCII characters without blanks")
            }
        }
        guard 1...64 ~= connections else { throw .badSetting(name: "connections", allowed: "1 to 64") }
        for (name, limit) in [("timeLimit", timeLimit), ("connectTimeLimit", connectTimeLimit)] {
            guard TimeToLive(milliseconds: 1)...TimeToLive.seconds(60) ~= limit else {
                throw .badSetting(name: name, allowed: "1 ms to 60 s")
            }
        }
        guard 1...1_000_000 ~= maximumWaiting else {
            throw .badSetting(name: "maximumWaiting", allowed: "1 to 1000000")
        }
        self.prefix = prefix
        self.connections = connections
        self.timeLimit = timeLimit
        self.connectTimeLimit = connectTimeLimit
        self.maximumWaiting = maximumWaiting
        self.clientName = clientName
    }
}
#endif
