#if Client
import TextCodecs

/// Says what is wrong with an address or a setting of the client.
///
/// Nothing was sent. No case carries the address itself: it may hold a password that was put there by mistake.
@nonexhaustive
public enum BrokerSettingsError: Error, Sendable, Hashable {
    /// The address of a broker is not of the form `https://HOST[:PORT]`.
    case malformedOrigin(reason: String)
    /// The address has a user, a path, a query or a fragment, and may have none.
    case originWithMore(part: String)
    /// The address begins with `http://`, and its host is not this machine.
    case plainHTTP
    /// The file of authorities could not be read.
    case unreadableAuthorities(file: String, reason: String)
    /// The authorities are not certificates in PEM form, or there is none.
    case malformedAuthorities
    /// The address of a proxy is not of the form `http://[USER:PASSWORD@]HOST[:PORT]`; with the environment variable that
    /// holds it, if it is from there.
    case malformedProxy(variable: String?, reason: String)
    /// A setting of the transport is out of range.
    case setting(name: String, reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .malformedOrigin: "malformed_origin"
        case .originWithMore: "origin_with_more"
        case .plainHTTP: "plain_http"
        case .unreadableAuthorities: "unreadable_authorities"
        case .malformedAuthorities: "malformed_authorities"
        case .malformedProxy: "malformed_proxy"
        case .setting: "unsuitable_setting"
        }
    }
}

extension BrokerSettingsError: CustomStringConvertible {
    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .malformedOrigin(let reason):
            "the broker's address \(reason); it has the form https://HOST or https://HOST:PORT"
        case .originWithMore(let part):
            "the broker's address has a \(part); it may have none: https://HOST or https://HOST:PORT"
        case .plainHTTP:
            "the broker's address begins with http://, which is accepted for localhost, 127.0.0.0/8 and [::1] only; "
                + "use https://"
        case .unreadableAuthorities(let file, let reason):
            "the file of authorities \(file.printable) cannot be read: \(reason)"
        case .malformedAuthorities:
            "the authorities are not one or more certificates in PEM form (-----BEGIN CERTIFICATE-----)"
        case .malformedProxy(let variable, let reason):
            "the proxy's address \(variable.map { "in \($0) " } ?? "")\(reason); it has the form http://HOST:PORT or "
                + "http://USER:PASSWORD@HOST:PORT"
        case .setting(let name, let reason):
            "the setting \(name) \(reason)"
        }
    }
}
#endif
