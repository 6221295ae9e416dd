#if Redis
/// The reason why the address or the settings of a Redis store are wrong.
///
/// No case carries the address itself, since there may be a password in it by mistake.
@nonexhaustive
public enum RedisConfigurationError: Error, Sendable, Hashable {
    /// The text is not the address of a server.
    case badAddress(reason: String)
    /// The address contains a password, which process lists, shell histories and logs would show.
    case passwordInAddress
    /// The address asks for TLS, which this store does not support.
    case needsTLS
    /// A setting is out of range.
    case badSetting(name: String, allowed: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .badAddress: "bad_address"
        case .passwordInAddress: "password_in_address"
        case .needsTLS: "needs_tls"
        case .badSetting: "bad_setting"
        }
    }
}

extension RedisConfigurationError: CustomStringConvertible {
    /// What is wrong, and what to write instead.
    public var description: String {
        switch self {
        case .badAddress(let reason):
            "the Redis address \(reason); write redis://HOST:PORT/DB or redis+unix:///PATH?db=N"
        case .passwordInAddress:
            """
            the Redis address has a password in it, which process lists and logs would show; put it into a file, \
            write redis://USER@HOST:PORT/DB (or no USER), and give the file
            """
        case .needsTLS:
            """
            rediss:// asks for TLS, which this store does not support; let a TLS proxy on this host (stunnel, \
            Envoy, ghostunnel) hold the encrypted connection, and write redis+unix:///PATH or \
            redis://127.0.0.1:PORT for its local end
            """
        case .badSetting(let name, let allowed):
            "the setting \(name) of the Redis store is not \(allowed)"
        }
    }
}
#endif
