#if Client
import BrokerMessages
import TextCodecs

/// Where a broker listens: scheme, host and port, and nothing else.
///
/// Two origins are equal if they lead to the same place: scheme and host are in lower case, and the scheme's usual port
/// is left out.
public struct BrokerOrigin: Sendable, Hashable {
    /// How the connection is protected.
    public enum Scheme: String, Sendable, Hashable {
        /// HTTP over TLS.
        case https
        /// HTTP in clear, to this machine only.
        case http

        /// The port that is meant if none is named.
        var usualPort: UInt16 { self == .https ? 443 : 80 }
    }

    /// How the connection is protected.
    public let scheme: Scheme
    /// The host's name or address, in lower case; an IPv6 address is in brackets.
    public let host: String
    /// The port.
    public let port: UInt16

    /// Reads `https://HOST[:PORT]`; `http://` is accepted for `localhost`, 127.0.0.0/8 and `[::1]`.
    ///
    /// The host is a DNS name, an IPv4 address of four decimal numbers, or an IPv6 address in brackets. A name that only
    /// looks like an address (`127.1`, `0x7f.0.0.1`) is refused, because systems disagree about it.
    ///
    /// - Parameter text: The address, without white space and without anything after the host or the port.
    /// - Throws: `BrokerSettingsError`: `.malformedOrigin`, `.originWithMore` or `.plainHTTP`.
    public init(parsing text: String) throws(BrokerSettingsError) {
        let bytes = Array(text.utf8)
        let (scheme, rest) = try Self.splitScheme(bytes[...])
        // The user comes first: what stands before an @ may be a password with any character.
        let more = [("@", "user"), ("/", "path"), ("?", "query"), ("#", "fragment")]
        for (mark, part) in more where rest.contains(mark.utf8[mark.startIndex]) {
            throw .originWithMore(part: part)
        }
        let (host, port) = try Self.splitPort(rest)
        let name = try HostName(parsing: host)
        guard scheme == .https || name.isLoopback else { throw .plainHTTP }
        (self.scheme, self.host, self.port) = (scheme, name.text, port ?? scheme.usualPort)
    }

    /// Makes the origin of a host that this library names.
    init(knownHost: String) {
        (scheme, host, port) = (.https, knownHost, Scheme.https.usualPort)
    }

    /// The host, and the port unless it is the scheme's usual one: the value of the header `Host`.
    public var authority: String { port == scheme.usualPort ? host : "\(host):\(port)" }

    /// A part of an address, as bytes: parts end at ASCII characters.
    typealias Part = ArraySlice<UInt8>

    private static func splitScheme(_ text: Part) throws(BrokerSettingsError) -> (Scheme, Part) {
        let scheme = text.prefix { $0 != UInt8(ascii: ":") }
        let rest = text.dropFirst(scheme.count)
        guard rest.starts(with: "://".utf8) else {
            throw .malformedOrigin(reason: "does not begin with https://")
        }
        guard let known = Scheme(rawValue: String(decoding: scheme, as: UTF8.self).lowercased()) else {
            throw .malformedOrigin(reason: "has another scheme than https")
        }
        return (known, rest.dropFirst(3))
    }

    /// Splits what stands before a path into the host and the port; `nil` if no port is named.
    static func splitPort(_ text: Part) throws(BrokerSettingsError) -> (host: Part, port: UInt16?) {
        let end = text.lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? text.startIndex
        guard let colon = text[end...].firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
        let digits = text[(colon + 1)...]
        // A number of ASCII digits alone: UInt16 would accept a sign.
        guard (1...5).contains(digits.count), digits.allSatisfy({ $0.isASCIIDigit }),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw .malformedOrigin(reason: "has a port that is not a number from 1 to 65535")
        }
        return (text[..<colon], port)
    }
}

extension BrokerOrigin: CustomStringConvertible {
    /// The origin as a URL without path, for example `https://sp.auth.adobe.com`.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

/// A host in an address: a DNS name, an IPv4 address, or an IPv6 address in brackets.
struct HostName {
    /// The host in lower case.
    let text: String
    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    let isLoopback: Bool

    /// Reads a host and nothing else; throws `.malformedOrigin`.
    init(parsing bytes: ArraySlice<UInt8>) throws(BrokerSettingsError) {
        text = String(decoding: bytes, as: UTF8.self).lowercased()
        if bytes.first == UInt8(ascii: "[") {
            // No zone, and no IPv4 address at the end (RFC 4291 §2.2, forms 1 and 2).
            let address = bytes.dropFirst().dropLast()
            guard bytes.last == UInt8(ascii: "]"), address.contains(UInt8(ascii: ":")),
                !address.contains(UInt8(ascii: ".")), IPAddress(bytes: address) != nil
            else {
                throw .malformedOrigin(reason: "has brackets around something that is not an IPv6 address")
            }
            isLoopback = text == "[::1]"
            return
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, labels.allSatisfy(Self.isLabel) else {
            throw .malformedOrigin(reason: "has a host that is neither a DNS name nor an address")
        }
        // Resolvers read any name whose last part is a number as an address, and disagree which.
        guard let last = labels.last, last.first?.isASCIIDigit == true else {
            isLoopback = text == "localhost"
            return
        }
        guard let address = IPAddress(bytes: bytes) else {
            throw .malformedOrigin(reason: "has a host that looks like an IPv4 address and is not one")
        }
        isLoopback = address.isLoopback
    }

    /// Whether this can be a part of a DNS name: letters, digits and inner hyphens (RFC 1123 §2.1).
    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == hyphen }
    }
}

/// The two origins of one installation of the broker.
public struct BrokerEnvironment: Sendable, Hashable {
    /// Serves `/api/v2` and `/o/client`.
    public let api: BrokerOrigin
    /// Serves the resets of temporary access, `/reset-tempass`; `nil` if it is not known.
    ///
    /// A reset sends an access token there.
    public let management: BrokerOrigin?

    /// Makes an environment, for example of a simulated broker.
    ///
    /// - Parameters:
    ///   - api: Serves `/api/v2` and `/o/client`.
    ///   - management: Serves `/reset-tempass`; without it, there are no resets.
    public init(api: BrokerOrigin, management: BrokerOrigin? = nil) {
        (self.api, self.management) = (api, management)
    }

    /// The release for viewers, with the providers' production systems.
    public static let production = Self(
        api: BrokerOrigin(knownHost: "sp.auth.adobe.com"), management: BrokerOrigin(knownHost: "mgmt.auth.adobe.com"))

    /// The next release, with the providers' production systems.
    public static let prequalification = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt-prequal.auth.adobe.com"))

    /// The release for viewers, with the providers' staging systems.
    public static let staging = Self(
        api: BrokerOrigin(knownHost: "sp.auth-staging.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt.auth-staging.adobe.com"))

    /// The next release, with the providers' staging systems.
    public static let prequalificationStaging = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth-staging.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt-prequal.auth-staging.adobe.com"))

    /// The environment of an API: one of those above, or one that has everything at the same origin, as a test server
    /// does.
    ///
    /// - Parameter api: The origin of the API.
    public init(of api: BrokerOrigin) {
        let known = [Self.production, .prequalification, .staging, .prequalificationStaging]
        self = known.first { $0.api == api } ?? Self(api: api, management: api)
    }

    /// Where an endpoint is; `nil` if that is not known.
    func origin(of endpoint: BrokerEndpoint) -> BrokerOrigin? { endpoint.family == .reset ? management : api }
}
#endif
