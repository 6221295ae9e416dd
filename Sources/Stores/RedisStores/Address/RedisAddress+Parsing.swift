#if Redis
import TextCodecs

extension RedisAddress {
    /// Reads `redis://[USER@]HOST[:PORT][/DB]`, `redis+unix://[USER@]/PATH[?db=N]` or
    /// `redis+sentinel://[USER@]HOST[:PORT],…/NAME[/DB]`.
    ///
    /// `rediss://` and `rediss+sentinel://` are the same with TLS. `valkey://` and `valkeys://` are other names of
    /// `redis://` and `rediss://`.
    ///
    /// An IPv6 address is written in brackets. In a user or a path, a byte may be written as `%` and two hexadecimal
    /// digits.
    ///
    /// - Parameter text: The address. No error repeats any part of it.
    /// - Throws: `RedisConfigurationError`: `.badAddress` or `.passwordInAddress`.
    public init(parsing text: String) throws(RedisConfigurationError) {
        let (scheme, rest) = try Self.splitScheme(text)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let isUnix = scheme == .unix
        // The first check: an address with a password gets this answer even if something else is wrong, too.
        // A password may contain "/" and "@", so the last "@" counts; so may the path of a socket.
        if let at = rest.lastIndex(of: UInt8(ascii: "@")),
            (isUnix ? authority : rest[..<at]).contains(UInt8(ascii: ":"))
        {
            throw .passwordInAddress
        }
        var location = rest
        var user: String?
        if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
            user = try Self.decoded(rest[..<at], "user")
            location = rest[rest.index(after: at)...]
        }
        switch scheme {
        case .unix: self = try Self.parseUnix(location, user: user)
        case .clear, .encrypted:
            self = try Self.parseTCP(location, user: user, isEncrypted: scheme == .encrypted)
        case .sentinel, .encryptedSentinel:
            self = try Self.parseSentinels(location, user: user, isEncrypted: scheme == .encryptedSentinel)
        }
    }

    /// A part of an address, as bytes: parts end at ASCII characters.
    private typealias Part = ArraySlice<UInt8>

    private enum Scheme { case clear, encrypted, unix, sentinel, encryptedSentinel }

    private static func splitScheme(_ text: String) throws(RedisConfigurationError) -> (Scheme, Part) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else {
            throw .badAddress(reason: "does not begin with redis://, rediss://, redis+unix:// or redis+sentinel://")
        }
        let rest = bytes[(colon + 3)...]
        switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
        case "redis", "valkey": return (.clear, rest)
        case "rediss", "valkeys": return (.encrypted, rest)
        case "redis+unix": return (.unix, rest)
        case "redis+sentinel": return (.sentinel, rest)
        case "rediss+sentinel": return (.encryptedSentinel, rest)
        case "unix", "redis-socket": throw .badAddress(reason: "has a scheme that is written redis+unix here")
        default:
            throw .badAddress(reason: "does not begin with redis://, rediss://, redis+unix:// or redis+sentinel://")
        }
    }

    private static func parseTCP(
        _ location: Part,
        user: String?,
        isEncrypted: Bool
    ) throws(RedisConfigurationError) -> Self {
        guard !location.contains(where: { "?#".utf8.contains($0) }) else {
            throw .badAddress(reason: noQuery)
        }
        let slash = location.firstIndex(of: UInt8(ascii: "/")) ?? location.endIndex
        let path = location[slash...].dropFirst()
        let database = path.isEmpty ? 0 : try number(path, "database")
        let (host, port) = try splitPort(location[..<slash])
        return try Self(.tcp(host: host, port: port), database: database, user: user, isEncrypted: isEncrypted)
    }

    private static let noQuery = "has a ? or #, which redis:// does not take (the database is /N)"

    private static func parseSentinels(
        _ location: Part,
        user: String?,
        isEncrypted: Bool
    ) throws(RedisConfigurationError) -> Self {
        guard !location.contains(where: { "?#".utf8.contains($0) }) else { throw .badAddress(reason: noQuery) }
        let parts = location.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count else {
            throw .badAddress(reason: "has no name of a primary after its Sentinels")
        }
        var hosts: [Host] = []
        for text in parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let (name, port) = try splitPort(text, defaultPort: defaultSentinelPort)
            hosts.append(Host(name, port: port))
        }
        let database = parts.count == 3 && !parts[2].isEmpty ? try number(parts[2], "database") : 0
        return try Self(
            .sentinels(hosts, primary: String(decoding: parts[1], as: UTF8.self)), database: database, user: user,
            isEncrypted: isEncrypted)
    }

    private static func splitPort(
        _ text: Part,
        defaultPort: Int = defaultPort
    ) throws(RedisConfigurationError) -> (String, Int) {
        var host = text
        var rest = Part()
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else {
                throw .badAddress(reason: "opens a bracket and does not close it")
            }
            host = text[(text.startIndex + 1)..<end]
            rest = text[(end + 1)...]
            guard host.contains(UInt8(ascii: ":")) else {
                throw .badAddress(reason: "has something in brackets that is not an IPv6 address")
            }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            host = text[..<colon]
            rest = text[colon...]
            guard !rest.dropFirst().contains(UInt8(ascii: ":")) else {
                throw .badAddress(reason: "has several colons; write an IPv6 address in brackets")
            }
        }
        let name = String(decoding: host, as: UTF8.self)
        guard !rest.isEmpty else { return (name, defaultPort) }
        guard rest.first == UInt8(ascii: ":") else {
            throw .badAddress(reason: "has something other than :PORT after the bracket")
        }
        return (name, try number(rest.dropFirst(), "port"))
    }

    private static func parseUnix(_ location: Part, user: String?) throws(RedisConfigurationError) -> Self {
        guard location.first == UInt8(ascii: "/") else {
            throw .badAddress(reason: "has no absolute path after redis+unix:// (three slashes in all)")
        }
        let mark = location.firstIndex(of: UInt8(ascii: "?")) ?? location.endIndex
        let query = location[mark...].dropFirst()
        var database = 0
        if mark != location.endIndex {
            guard query.starts(with: "db=".utf8) else {
                throw .badAddress(reason: "has something other than ?db=N after the path")
            }
            database = try number(query.dropFirst(3), "database")
        }
        return try Self(
            .unixSocket(path: try decoded(location[..<mark], "path")), database: database, user: user)
    }

    /// Reads up to ten ASCII digits; ten are enough for every port and database.
    private static func number(_ digits: Part, _ name: String) throws(RedisConfigurationError) -> Int {
        guard 1...10 ~= digits.count,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else {
            throw .badAddress(reason: "has a \(name) that is not a number")
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func decoded(_ part: Part, _ name: String) throws(RedisConfigurationError) -> String {
        guard let bytes = Percent.decode(Array(part)) else {
            throw .badAddress(reason: "has a % in its \(name) without two hexadecimal digits after it")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .badAddress(reason: "has a \(name) that is not UTF-8")
        }
        return text
    }
}
#endif
