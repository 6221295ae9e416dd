#if Redis
/// Says what is wrong with the address or the settings of a Redis store.
///
/// No case carries the address itself, which may hold a password that should not be there.
@nonexhaustive
public enum RedisConfigurationError: Error, Sendable, Hashable {
    /// The text is no address of a server.
    case badAddress(reason: String)
    /// The address has a password in it, where process lists, shell histories and logs show it.
    case passwordInAddress
    /// The address asks for TLS, which this store does not speak.
    case needsTLS
    /// A setting is outside what makes sense.
    case badSetting(name: String, allowed: String)

    /// The stable name of the error: what programs and log searches should look at.
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
            rediss:// asks for TLS, which this store does not speak; let a TLS proxy on this host (stunnel, \
            Envoy, ghostunnel) hold the encrypted connection, and write redis+unix:///PATH or \
            redis://127.0.0.1:PORT for its near end
            """
        case .badSetting(let name, let allowed):
            "the setting \(name) of the Redis store is not \(allowed)"
        }
    }
}
#endif
