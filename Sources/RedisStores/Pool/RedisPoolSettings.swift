#if Redis
public import EntitlementValues

/// Sets how a store uses its server.
///
/// The defaults fit a server in the same data centre.
public struct RedisPoolSettings: Sendable, Hashable {
    /// What every key in the server begins with.
    ///
    /// Stores that should share redemptions share the prefix; an access list can be limited to it.
    public let prefix: String
    /// How many connections are opened at most.
    ///
    /// Redemptions are pipelined, so a few carry everything; a second one opens only when the first is busy.
    public let connections: Int
    /// How long a redemption may take: the wait for its turn, a connection if one is needed, and the answer.
    public let timeLimit: TimeToLive
    /// How many redemptions may wait for their turn; one more is refused at once.
    public let queueLimit: Int

    /// Prefix `tve:`, 2 connections, 250 ms, 10,000 waiting redemptions.
    public static let standard = RedisPoolSettings()

    private init() {
        prefix = "tve:"
        connections = 2
        timeLimit = TimeToLive(milliseconds: 250)
        queueLimit = 10_000
    }

    /// Sets what differs from the standard.
    ///
    /// - Parameters:
    ///   - prefix: 1 to 64 printable ASCII characters without blanks.
    ///   - connections: 1 to 64.
    ///   - timeLimit: 1 ms to 60 s.
    ///   - queueLimit: 1 to 1,000,000.
    /// - Throws: `RedisConfigurationError.badSetting`, which names the setting.
    public init(
        prefix: String = standard.prefix,
        connections: Int = standard.connections,
        timeLimit: TimeToLive = standard.timeLimit,
        queueLimit: Int = standard.queueLimit
    ) throws(RedisConfigurationError) {
        guard 1...64 ~= prefix.utf8.count, prefix.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .badSetting(name: "prefix", allowed: "1 to 64 printable ASCII characters without blanks")
        }
        guard 1...64 ~= connections else { throw .badSetting(name: "connections", allowed: "1 to 64") }
        guard TimeToLive(milliseconds: 1)...TimeToLive.seconds(60) ~= timeLimit else {
            throw .badSetting(name: "timeLimit", allowed: "1 ms to 60 s")
        }
        guard 1...1_000_000 ~= queueLimit else { throw .badSetting(name: "queueLimit", allowed: "1 to 1000000") }
        self.prefix = prefix
        self.connections = connections
        self.timeLimit = timeLimit
        self.queueLimit = queueLimit
    }
}
#endif
