#if Redis
import TextCodecs

/// The reason why the address or the settings of a Redis store are wrong.
///
/// No case carries the address itself, since there may be a password in it by mistake.
@nonexhaustive
public enum RedisConfigurationError: Error, Sendable, Hashable {
    /// The text is not the address of a server.
    case badAddress(reason: String)
    /// The address contains a password, which process lists, shell histories and logs would show.
    case passwordInAddress
    /// A file that encrypted connections need cannot be used.
    case badFile(path: String?, reason: String)
    /// A setting is out of range.
    case badSetting(name: String, allowed: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .badAddress: "bad_address"
        case .passwordInAddress: "password_in_address"
        case .badFile: "bad_file"
        case .badSetting: "bad_setting"
        }
    }
}

extension RedisConfigurationError: CustomStringConvertible {
    /// What is wrong, and what to write instead.
    public var description: String {
        switch self {
        case .badAddress(let reason):
            "the Redis address \(reason); write redis://HOST:PORT/DB, rediss://HOST:PORT/DB (TLS), redis+unix:///PATH?db=N or redis+sentinel://HOST:PORT,…/NAME/DB"
        case .passwordInAddress:
            """
            the Redis address has a password in it, which process lists and logs would show; put it into a file, \
            write redis://USER@HOST:PORT/DB (or no USER), and give the file
            """
        case .badFile(let path, let reason):
            "\(path.map { "the file \($0.printable)" } ?? "the system's libssl") \(reason)"
        case .badSetting(let name, let allowed):
            "the setting \(name) of the Redis store is not \(allowed)"
        }
    }
}

/// The reason why another password, or other certificates, were not taken into use.
@nonexhaustive
public enum RedisReloadError: Error, Sendable, Hashable {
    /// A file cannot be used; nothing was changed.
    case configuration(RedisConfigurationError)
    /// The server did not accept them, or could not be asked. The former ones stay in use; once the server refuses those,
    /// new connections try these.
    case refused(reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .configuration(let error): error.code
        case .refused: "new_access_refused"
        }
    }
}

extension RedisReloadError: CustomStringConvertible {
    /// What happened; the former password and certificates stay in use.
    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .refused(let reason): "\(reason); the former password and certificates stay in use"
        }
    }
}
#endif
