#if Redis
import TextCodecs

/// Something about a server that should be put right, although the server answers.
@nonexhaustive
public enum RedisWarning: Sendable, Hashable {
    /// When its memory is full, the server may drop redemptions that are still live.
    case evicts(policy: String)
    /// The server writes no log of changes: after a crash or a restart, the redemptions since its last snapshot are
    /// lost, or all of them.
    case notPersistent
    /// The server was restarted or replaced by another one: redemptions may be lost.
    case restarted
    /// The server does not show its configuration, so the other dangers could not be checked.
    case notChecked
    /// The server did not accept the password or certificates that were read last; the former ones are in use.
    case newAccessRefused

    /// The stable name of the warning, for programs and log searches.
    public var code: String {
        switch self {
        case .evicts: "evicts"
        case .notPersistent: "not_persistent"
        case .restarted: "restarted"
        case .notChecked: "not_checked"
        case .newAccessRefused: "new_access_refused"
        }
    }
}

extension RedisWarning: CustomStringConvertible {
    /// What the danger is, and what to do.
    public var description: String {
        switch self {
        case .evicts(let policy):
            """
            maxmemory-policy is \(policy.printable): when memory is full the server forgets live redemptions and \
            records, and tokens pass again; set maxmemory-policy noeviction
            """
        case .notPersistent:
            """
            appendonly is off: a server that stops forgets redemptions and records, and tokens pass again; set \
            appendonly yes, and appendfsync always if not even a power failure may lose a redemption
            """
        case .restarted:
            """
            the server was restarted or replaced: tokens that were used shortly before may pass once more until \
            they expire
            """
        case .notChecked:
            """
            the server does not show its configuration (INFO is refused or empty): check yourself that it has \
            maxmemory-policy noeviction and appendonly yes, or allow the user +info
            """
        case .newAccessRefused:
            """
            the server did not accept the password or the certificates that were read last; the former ones are in \
            use, and the others are tried once the server refuses those
            """
        }
    }
}
#endif
