#if Client
import AsyncHTTPClient
import HostSystem
import TextCodecs

/// A proxy that connections to other machines go through.
///
/// It is asked for a tunnel to each server (`CONNECT`), and TLS is spoken with the server inside of the tunnel: the proxy learns
/// the server's name and port, and nothing of requests and answers. It is the proxy that resolves the server's name.
///
/// No connection to this machine goes through it (`localhost`, 127.0.0.0/8, `[::1]`), and so none in clear.
public struct HTTPProxy: Sendable, Hashable {
    /// The proxy's name or address, in lower case; an IPv6 address is in brackets.
    public let host: String
    /// The proxy's port.
    public let port: UInt16
    private let authorization: HTTPClient.Authorization?
    private let exceptions: [ProxyException]

    /// The port of a proxy whose address names none: that of HTTP.
    private static let usualPort: UInt16 = 80
    /// The variables that may name a proxy; the first one that is set counts, as for curl.
    private static let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    private static let exceptionVariables = ["no_proxy", "NO_PROXY"]

    /// Reads `http://[USER:PASSWORD@]HOST[:PORT]`; `http://` may be left out, and so may the port, which is 80 then.
    ///
    /// User and password are percent-encoded, and sent to the proxy in clear (`Basic`). They are in no description.
    ///
    /// - Parameters:
    ///   - address: The proxy's address.
    ///   - exceptions: Servers that are reached without the proxy, as in the variable `NO_PROXY`: names, each with all names
    ///     below it, addresses, networks (`10.0.0.0/8`), each but the networks with a port or without, or `*` for all; commas or
    ///     white space between them. An entry that is none of these has no effect.
    /// - Throws: `BrokerSettingsError.malformedProxy`.
    public init(parsing address: String, except exceptions: String = "") throws(BrokerSettingsError) {
        try self.init(address, except: exceptions, in: nil)
    }

    /// Reads the proxy that the environment of this process names: in `https_proxy`, `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY`,
    /// of which the first one that is set counts, with the exceptions in `no_proxy` or `NO_PROXY`.
    ///
    /// A variable that is empty counts as one that is not set.
    ///
    /// - Returns: The proxy; `nil` if there is none.
    /// - Throws: `BrokerSettingsError.malformedProxy` with the variable's name.
    public static func ofEnvironment() throws(BrokerSettingsError) -> HTTPProxy? { try ofEnvironment(environmentValue) }

    /// Reads the proxy that an environment names; `nil` if there is none.
    ///
    /// Throws `.malformedProxy` with the variable's name.
    package static func ofEnvironment(_ value: (_ name: String) -> String?) throws(BrokerSettingsError) -> HTTPProxy? {
        for name in variables {
            guard let address = value(name), !address.isEmpty else { continue }
            let exceptions = exceptionVariables.compactMap(value).first { !$0.isEmpty }
            return try HTTPProxy(address, except: exceptions ?? "", in: name)
        }
        return nil
    }

    private init(_ address: String, except exceptions: String, in variable: String?) throws(BrokerSettingsError) {
        do throws(BrokerSettingsError) {
            (host, port, authorization) = try Self.parts(of: Array(address.utf8)[...])
        } catch {
            // What is wrong with the place is the same as in the address of a broker.
            guard case .malformedOrigin(let reason) = error else { throw error }
            throw .malformedProxy(variable: variable, reason: reason)
        }
        self.exceptions = ProxyException.all(in: exceptions)
    }

    /// Whether connections to a server go through the proxy; `false` for this machine, and for the exceptions.
    package func isUsed(for origin: BrokerOrigin) -> Bool {
        let host = origin.host.withoutBrackets
        let address = IPAddress(host)
        guard origin.scheme == .https, host != "localhost", address?.isLoopback != true else { return false }
        return !exceptions.contains { $0.covers(host, address, port: origin.port) }
    }

    /// The proxy in async-http-client's terms.
    var configuration: HTTPClient.Configuration.Proxy {
        .server(host: host.withoutBrackets, port: Int(port), authorization: authorization)
    }

    // MARK: Reading

    /// A part of an address, as bytes.
    private typealias Part = BrokerOrigin.Part

    private static func parts(
        of address: Part
    ) throws(BrokerSettingsError) -> (host: String, port: UInt16, authorization: HTTPClient.Authorization?) {
        let rest = try withoutScheme(address)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard rest[end...].isEmpty || rest[end...].elementsEqual("/".utf8) else {
            throw .malformedOrigin(reason: "has a path, a query or a fragment")
        }
        let authority = rest[..<end]
        // A password may hold an @ that is not encoded, and a host may not.
        let user = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] }
        let place = user.map { authority[($0.endIndex + 1)...] } ?? authority
        let (host, port) = try BrokerOrigin.splitPort(place)
        let name = try HostName(parsing: host).text
        guard let user else { return (name, port ?? usualPort, nil) }
        return (name, port ?? usualPort, try authorization(user))
    }

    private static func withoutScheme(_ address: Part) throws(BrokerSettingsError) -> Part {
        let scheme = address.prefix { $0 != UInt8(ascii: ":") }
        let rest = address[scheme.endIndex...]
        // Else the colon is one before a port or a password.
        guard rest.starts(with: "://".utf8) else { return address }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        switch name {
        case "http": return rest.dropFirst(3)
        // Others are not repeated: they may be a part of a password.
        case "https", "socks", "socks4", "socks4a", "socks5", "socks5h":
            throw .malformedOrigin(reason: "begins with \(name)://, which is not supported")
        default: throw .malformedOrigin(reason: "has another scheme than http")
        }
    }

    private static func authorization(_ user: Part) throws(BrokerSettingsError) -> HTTPClient.Authorization {
        let end = user.firstIndex(of: UInt8(ascii: ":")) ?? user.endIndex
        guard let name = Percent.decode(Array(user[..<end])),
            let password = Percent.decode(Array(user[end...].dropFirst())),
            let nameText = String(validating: name, as: UTF8.self),
            let passwordText = String(validating: password, as: UTF8.self)
        else {
            throw .malformedOrigin(reason: "has a user or password that is not percent-encoded UTF-8")
        }
        return .basic(username: nameText, password: passwordText)
    }
}

extension HTTPProxy: CustomStringConvertible, CustomReflectable {
    /// The proxy's address, without user and password.
    public var description: String { "http://\(host):\(port)" }

    /// A mirror without user and password.
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
#endif
