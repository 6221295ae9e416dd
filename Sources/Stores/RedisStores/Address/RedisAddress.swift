#if Redis
import TextCodecs

/// The address of a Redis or Valkey server, with the number of a database and the name of a user.
///
/// The password is not a part of it; it is read from a file and given to the store.
public struct RedisAddress: Sendable, Hashable {
    /// Where the server listens.
    public enum Endpoint: Sendable, Hashable {
        /// A host name, an IPv4 or an IPv6 address (without brackets), and a port of 1 to 65535.
        case tcp(host: String, port: Int)
        /// The absolute path of a Unix domain socket, 107 bytes of UTF-8 at most (103 on macOS).
        case unixSocket(path: String)
        /// The Sentinels that know the address of the primary, and the name that they have for it: up to 64 of
        /// `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `-` and `_`.
        case sentinels([Host], primary: String)
    }

    /// A host name or an IP address (without brackets), and a port of 1 to 65535.
    public struct Host: Sendable, Hashable {
        /// The host name, or the IP address.
        public let name: String
        /// The port.
        public let port: Int

        /// Names a host and a port, which the address checks.
        ///
        /// - Parameters:
        ///   - name: The host name, or the IP address without brackets.
        ///   - port: The port.
        public init(_ name: String, port: Int = RedisAddress.defaultSentinelPort) {
            (self.name, self.port) = (name, port)
        }
    }

    /// Where the server listens.
    public let endpoint: Endpoint
    /// Whether connections are encrypted with TLS.
    public let isEncrypted: Bool
    /// The number of the database; 0 unless another one was given.
    public let database: Int
    /// The user of the server's access list; `nil` for the server's default user.
    public let user: String?

    /// The port that servers listen on by default.
    public static let defaultPort = 6379
    /// The port that Sentinels listen on by default.
    public static let defaultSentinelPort = 26_379

    /// Makes an address from its parts.
    ///
    /// - Parameters:
    ///   - endpoint: Where the server listens.
    ///   - database: The number of the database; most servers have 0 to 15.
    ///   - user: The user of the server's access list, or `nil` for the default user.
    ///   - isEncrypted: Whether connections are encrypted with TLS; a Unix domain socket has none.
    /// - Throws: `RedisConfigurationError.badAddress`, which says which part is wrong.
    public init(
        _ endpoint: Endpoint,
        database: Int = 0,
        user: String? = nil,
        isEncrypted: Bool = false
    ) throws(RedisConfigurationError) {
        switch endpoint {
        case .tcp(let host, let port): try Self.check(Host(host, port: port))
        case .sentinels(let hosts, let primary):
            guard 1...16 ~= hosts.count else { throw .badAddress(reason: "has no Sentinels, or more than 16") }
            for host in hosts { try Self.check(host) }
            guard 1...64 ~= primary.utf8.count,
                primary.utf8.allSatisfy({ $0.isURLSafe || $0 == UInt8(ascii: ".") })
            else {
                throw .badAddress(reason: "has no name of a primary after its Sentinels, or one that no Sentinel has")
            }
        case .unixSocket(let path):
            guard !isEncrypted else {
                throw .badAddress(reason: "asks for TLS over a Unix domain socket, which stays on this host")
            }
            guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
                throw .badAddress(reason: "has no absolute path of a socket")
            }
            guard path.utf8.count <= Self.maximumPathLength else {
                throw .badAddress(
                    reason: "has a socket path of \(path.utf8.count) bytes, and the system allows "
                        + "\(Self.maximumPathLength)")
            }
        }
        guard 0...Self.maximumDatabase ~= database else {
            throw .badAddress(reason: "has a database outside 0 to \(Self.maximumDatabase)")
        }
        guard user.map(Self.isUser) ?? true else {
            throw .badAddress(reason: "has an empty user, or one with blanks or control characters")
        }
        self.endpoint = endpoint
        self.isEncrypted = isEncrypted
        self.database = database
        self.user = user
    }

    private static let maximumDatabase = Int(Int32.max)

    #if canImport(Darwin)
    private static let maximumPathLength = 103
    #else
    private static let maximumPathLength = 107
    #endif

    private static func check(_ host: Host) throws(RedisConfigurationError) {
        guard isHost(host.name) else {
            throw .badAddress(reason: "has no host, or one with characters that no host name has")
        }
        guard 1...65_535 ~= host.port else { throw .badAddress(reason: "has a port outside 1 to 65535") }
    }

    /// Whether a text has only the characters of host names and IP addresses, including their scopes.
    private static func isHost(_ host: String) -> Bool {
        1...255 ~= host.utf8.count
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".-_:%".utf8.contains(byte)
                }
            }
    }

    private static func isUser(_ user: String) -> Bool {
        1...128 ~= user.utf8.count && user.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The address in the form that `init(parsing:)` reads, without the user.
    public var description: String {
        let scheme = isEncrypted ? "rediss" : "redis"
        let end = database == 0 ? "" : "/\(database)"
        return switch endpoint {
        case .tcp(let host, let port): "\(scheme)://\(Host(host, port: port))\(end)"
        case .unixSocket(let path):
            "redis+unix://\(path.printable)" + (database == 0 ? "" : "?db=\(database)")
        case .sentinels(let hosts, let primary):
            "\(scheme)+sentinel://\(hosts.map(\.description).joined(separator: ","))/\(primary)\(end)"
        }
    }
}

extension RedisAddress.Host: CustomStringConvertible {
    /// The host, in brackets if it is an IPv6 address, and the port.
    public var description: String { "\(name.contains(":") ? "[\(name)]" : name):\(port)" }
}
#endif
