#if Redis
/// What a server answered to one command.
enum RedisReply: Sendable, Equatable {
    case okay
    /// No value: the answer to `SET … NX` if the key exists.
    case null
    /// A text.
    case text([UInt8])
    /// An error: its first word, such as `OOM`. The rest may repeat what was sent, so it is dropped.
    case error(String)
    /// A well-formed answer of a kind that none of our commands gets.
    case unexpected

    /// The failure that this answer means to a command that expected another one.
    var failure: RedisFailure {
        if case .error(let code) = self { .answered(code) } else { .nonsense }
    }

    /// Whether a new connection is needed after this answer: later answers could not be matched to their commands, or
    /// another server, or signing in again, might help.
    var endsConnection: Bool {
        switch self {
        case .okay, .null: false
        case .error(let code): ["READONLY", "MASTERDOWN", "NOAUTH"].contains(code)
        case .text, .unexpected: true
        }
    }
}

/// The reason why the server could not be used, in words for people that follow the address of the server.
struct RedisFailure: Error, Sendable, Equatable {
    let reason: String

    /// Explains an error of the server.
    ///
    /// - Parameter code: The first word of the error.
    /// - Returns: What happened and what to do.
    static func answered(_ code: String) -> RedisFailure {
        RedisFailure(reason: explanations[code] ?? "answered with an unknown error; see its log")
    }

    private static let explanations = [
        "MISCONF": "cannot write to its disk and redeems no tokens (MISCONF); free the disk, see its log",
        "LOADING": "is starting and still reads its data (LOADING); wait until that is done",
        "OOM": "is out of memory (OOM); raise its maxmemory (and keep maxmemory-policy noeviction)",
        "READONLY": "is a replica (READONLY); give the address of the primary",
        "MASTERDOWN": "is a replica without its primary (MASTERDOWN); give the address of the primary",
        "NOREPLICAS": "has fewer replicas than min-replicas-to-write demands (NOREPLICAS); restart the missing ones",
        "NOAUTH": "demands a password (NOAUTH); give the file with it",
        "WRONGPASS": "does not accept the user or the password (WRONGPASS)",
        "NOPERM": """
        does not permit a command to this user (NOPERM); allow it +set, +select and +info, and the keys of the prefix
        """,
        "BUSY": "is busy with a script (BUSY); stop the script",
        "MOVED": cluster, "ASK": cluster, "CLUSTERDOWN": cluster, "CROSSSLOT": cluster, "TRYAGAIN": cluster,
        "ERR": "does not accept a command (ERR); the address may lead to something other than Redis or Valkey",
    ]

    static let cluster = """
        is part of a cluster, where no single server has all redemptions; give the address of a server without cluster mode
        """

    static let nonsense = RedisFailure(
        reason: "gave an answer that does not belong to a redemption; is it Redis or Valkey?")
    static let closed = RedisFailure(reason: "closed the connection before it answered")
    static let slow = RedisFailure(reason: "did not answer in time")
}
#endif
