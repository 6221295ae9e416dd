#if Redis
import TextCodecs

/// Says what about a server could let a spent token pass again, although it answers.
@nonexhaustive
public enum RedisWarning: Sendable, Hashable {
    /// The server may throw redemptions away that are still live, when its memory is full.
    case evicts(policy: String)
    /// The server writes no log of changes: a crash or a restart forgets redemptions since the last snapshot, or all.
    case notPersistent
    /// The server is another one than before, or was started again: redemptions may be forgotten.
    case restarted
    /// The server does not say how it is configured, so none of the above could be looked for.
    case notChecked

    /// The stable name of the warning: what programs and log searches should look at.
    public var code: String {
        switch self {
        case .evicts: "evicts"
        case .notPersistent: "not_persistent"
        case .restarted: "restarted"
        case .notChecked: "not_checked"
        }
    }
}

extension RedisWarning: CustomStringConvertible {
    /// What the danger is, and what to do.
    public var description: String {
        switch self {
        case .evicts(let policy):
            """
            maxmemory-policy is \(printable(policy)): when memory is full the server forgets live redemptions, and \
            their tokens pass again; set maxmemory-policy noeviction
            """
        case .notPersistent:
            """
            appendonly is off: a server that stops forgets redemptions, and their tokens pass again; set appendonly \
            yes, and appendfsync always where not even a power failure may lose a redemption
            """
        case .restarted:
            """
            the server is not the one of before, or was started again: tokens that were spent shortly before may \
            pass once more until they expire
            """
        case .notChecked:
            """
            the server does not show its configuration (INFO is refused or empty): make sure of \
            maxmemory-policy noeviction and appendonly yes yourself, or allow the user +info
            """
        }
    }
}
#endif
