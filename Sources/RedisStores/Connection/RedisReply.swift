#if Redis
/// What a server answered to one command.
enum RedisReply: Sendable, Equatable {
    case okay
    /// No value: what `SET … NX` answers where the key exists.
    case null
    /// A text of some length.
    case text([UInt8])
    /// An error, by the word it begins with, such as `OOM`; the rest may repeat what was sent, so it is dropped.
    case error(String)
    /// Well-formed, and nothing that any command of ours is answered with.
    case unexpected

    /// Why this is not what was asked for.
    var failure: RedisFailure {
        if case .error(let code) = self { .answered(code) } else { .nonsense }
    }

    /// Whether a new connection is needed after it: what comes next cannot be told apart, or another server, or
    /// signing in again, might help.
    var endsConnection: Bool {
        switch self {
        case .okay, .null: false
        case .error(let code): ["READONLY", "MASTERDOWN", "NOAUTH"].contains(code)
        case .text, .unexpected: true
        }
    }
}

/// Says why the server could not be used, in words for people.
struct RedisFailure: Error, Sendable, Equatable {
    let reason: String

    /// Words for the errors a server answers with, by the word that they begin with.
    static func answered(_ code: String) -> RedisFailure {
        RedisFailure(reason: explanations[code] ?? "answered with an error of a kind not known here; see its log")
    }

    private static let explanations = [
        "MISCONF": "cannot write to its disk and takes no redemptions (MISCONF); free the disk, see its log",
        "LOADING": "was started and still reads its data (LOADING); it answers when that is done",
        "OOM": "is out of memory (OOM); raise its maxmemory (and keep maxmemory-policy noeviction)",
        "READONLY": "is a replica (READONLY); give the address of the primary",
        "MASTERDOWN": "is a replica without its primary (MASTERDOWN); give the address of the primary",
        "NOREPLICAS": "has fewer replicas than min-replicas-to-write asks for (NOREPLICAS); bring them back",
        "NOAUTH": "wants a password (NOAUTH); give the file with it",
        "WRONGPASS": "does not accept the user or the password (WRONGPASS)",
        "NOPERM": """
        does not permit a command to this user (NOPERM); allow it +set, +select and +info, and the keys of the prefix
        """,
        "BUSY": "is busy with a script (BUSY); stop the script",
        "MOVED": cluster, "ASK": cluster, "CLUSTERDOWN": cluster, "CROSSSLOT": cluster, "TRYAGAIN": cluster,
        "ERR": "does not accept a command (ERR); the address may lead to something other than Redis or Valkey",
    ]

    static let cluster = """
        is part of a cluster, where no one server has all redemptions; give the address of a server without cluster mode
        """

    static let nonsense = RedisFailure(
        reason: "answered with something that is no answer to a redemption; is it Redis or Valkey?")
    static let closed = RedisFailure(reason: "closed the connection before it answered")
    static let slow = RedisFailure(reason: "did not answer in time")
}
#endif
