#if Redis
/// The reason why a server could not be used, or did not do what it was asked.
enum RedisFailure: Error, Sendable, Equatable {
    /// No connection could be opened; the words are the system's.
    case unreachable(String)
    /// No connection could be opened in the time limit for connecting.
    case noConnectionInTime
    /// The connection could not be encrypted.
    case encryption(EncryptionFailure)
    /// The server answered with an error: its first word, such as `OOM`. The rest may repeat what was sent.
    case answered(String)
    /// The server closed a connection in clear before its first answer, as one that speaks TLS does.
    case closedAtOnce
    /// There is an answer that does not belong to the command.
    case nonsense
    /// The server closed the connection before it answered.
    case closed
    /// The time limit of a command has passed.
    case slow
    /// As many commands as may wait do so already; this one was not sent.
    case crowded(maximum: Int)
    /// The server has no password set, or not for this user, and was given one.
    case needlessPassword
    /// The server has no database of this number.
    case noDatabase(Int)
    /// The server is a Sentinel, and the address says that it keeps data.
    case isSentinel
    /// The server is part of a cluster.
    case isCluster
    /// The Sentinels have no primary of this name.
    case unknownPrimary
    /// A Sentinel could not be asked for the primary.
    indirect case sentinel(RedisAddress.Host, RedisFailure)
    /// The primary that a Sentinel names cannot be used.
    indirect case primary(RedisAddress.Host, RedisFailure)

    /// Whether other secrets, such as a former password, could help.
    var concernsAccess: Bool {
        switch self {
        case .answered(let code): ["WRONGPASS", "NOAUTH", "NOPERM"].contains(code)
        case .needlessPassword: true
        case .encryption(let failure): failure.concernsAccess
        // Sentinels are shown certificates, and no password.
        case .sentinel(_, .encryption(let failure)): failure.concernsAccess
        case .primary(_, let failure): failure.concernsAccess
        default: false
        }
    }
}

extension RedisFailure: CustomStringConvertible {
    /// What happened and what to do, in words that follow the address of the server.
    var description: String {
        switch self {
        case .unreachable(let words):
            "cannot be reached: \(words); is it running, and is the address right?"
        case .noConnectionInTime:
            "cannot be reached: no connection in time; is it running, and is the address right?"
        case .encryption(let failure): failure.description
        case .answered(let code): Self.explanations[code] ?? "answered with an unknown error; see its log"
        case .closedAtOnce: "closed the connection before its first answer; does it speak TLS at this port (rediss://)?"
        case .nonsense: "gave an answer that does not belong to the command; is it Redis or Valkey?"
        case .closed: "closed the connection before it answered"
        case .slow: "did not answer in time"
        case .crowded(let maximum): "has \(maximum) commands waiting for it; this one was not sent"
        case .needlessPassword:
            "does not accept a password, or a user with it; is one set on the server (requirepass, ACL)?"
        case .noDatabase(let number): "has no database \(number)"
        case .isSentinel: "is a Sentinel; write redis+sentinel://HOST:PORT/NAME, or give the address of its primary"
        case .isCluster: Self.cluster
        case .unknownPrimary: "has no primary of this name (SENTINEL MASTERS lists the names)"
        case .sentinel(let host, .answered("NOAUTH")), .sentinel(let host, .answered("NOPERM")):
            """
            names no primary: the Sentinel \(host) wants a password, which is not supported; let it answer SENTINEL \
            GET-MASTER-ADDR-BY-NAME without one, and keep others from its port
            """
        case .sentinel(let host, let failure): "names no primary: the Sentinel \(host) \(failure)"
        case .primary(let host, let failure): "names a primary that cannot be used: \(host) \(failure)"
        }
    }

    private static let explanations = [
        "MISCONF": "cannot write to its disk and takes no changes (MISCONF); free the disk, see its log",
        "LOADING": "is starting and still reads its data (LOADING); wait until that is done",
        "OOM": "is out of memory (OOM); raise its maxmemory (and keep maxmemory-policy noeviction)",
        "READONLY": "is a replica (READONLY); give the address of the primary",
        "MASTERDOWN": "is a replica without its primary (MASTERDOWN); give the address of the primary",
        "NOREPLICAS": "has fewer replicas than min-replicas-to-write demands (NOREPLICAS); restart the missing ones",
        "NOAUTH": "demands a password (NOAUTH); give the file with it",
        "WRONGPASS": "does not accept the user or the password (WRONGPASS)",
        "NOPERM": """
        does not permit a command to this user (NOPERM); allow it +set, +select, +info and what else the article \
        RedisStores lists, and the keys of the prefix
        """,
        "MAXCLIENTS": """
        has as many connections as it takes (maxclients); raise that, or find out who has them (CLIENT LIST)
        """,
        "BUSY": "is busy with a script (BUSY); stop the script",
        "MOVED": cluster, "ASK": cluster, "CLUSTERDOWN": cluster, "CROSSSLOT": cluster, "TRYAGAIN": cluster,
        "ERR": "does not accept a command (ERR); the address may lead to something other than Redis or Valkey",
    ]

    private static let cluster = """
        is part of a cluster, where no single server has all keys; give the address of a server without cluster mode
        """
}
#endif
