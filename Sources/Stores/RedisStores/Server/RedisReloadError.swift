#if Redis
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
