#if Redis
import EntitlementKeys
import EntitlementValues
import HostSystem

/// A connection that has signed in and selected its database, to a server that may redeem tokens.
struct RedisSession: ~Copyable {
    let connection: RedisConnection
    /// Identifies one run of one server; `nil` if the server does not name it.
    let runID: String?
    let warnings: Set<RedisWarning>
    /// Numbers the servers, or their runs, that the pool has seen.
    var generation = 0

    /// Opens a connection, signs in and checks the server.
    static func open(
        _ address: RedisAddress,
        password: KeyPassword?,
        time: TimeSource,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisSession {
        let connection = try RedisConnection.open(to: address.endpoint, time: time, until: deadline)
        if password != nil || address.user != nil {
            try connection.signIn(user: address.user, password: password, until: deadline)
        }
        if address.database != 0 { try connection.select(address.database, until: deadline) }
        let facts = try connection.facts(until: deadline)
        if let refusal = facts.refusal { throw refusal }
        return RedisSession(connection: connection, runID: facts.runID, warnings: facts.warnings)
    }

    private init(connection: consuming RedisConnection, runID: String?, warnings: Set<RedisWarning>) {
        self.connection = connection
        self.runID = runID
        self.warnings = warnings
    }
}

extension RedisConnection {
    fileprivate func signIn(
        user: String?,
        password: KeyPassword?,
        until deadline: Duration
    ) throws(RedisFailure) {
        var words = RedisCommand.header("*", user == nil ? 2 : 3) + RedisCommand.word("AUTH")
        if let user { words += RedisCommand.word(user) }
        words += RedisCommand.header("$", password?.bytes.count ?? 0)
        // The memory of the command is wiped like that of the password itself.
        let command = WipedBytes(
            joining: [WipedBytes(words)] + (password.map { [$0.bytes] } ?? []) + [WipedBytes(RedisCommand.lineEnd)])
        let reply = try command.withSpan { bytes throws(RedisFailure) in try ask(bytes: bytes, until: deadline) }
        switch reply {
        case .okay: return
        case .error("ERR"):
            throw RedisFailure(
                reason: "does not accept a password, or a user with it; is one set on the server (requirepass, ACL)?")
        default: throw reply.failure
        }
    }

    fileprivate func select(
        _ database: Int,
        until deadline: Duration
    ) throws(RedisFailure) {
        let reply = try ask("SELECT", "\(database)", until: deadline)
        switch reply {
        case .okay: return
        case .error("ERR"): throw RedisFailure(reason: "has no database \(database)")
        default: throw reply.failure
        }
    }

    /// Asks for the few sections of INFO that matter; all of it is much longer, and has lists of clients.
    fileprivate func facts(until deadline: Duration) throws(RedisFailure) -> RedisServerFacts {
        var text: [UInt8] = []
        for section in ["server", "replication", "memory", "persistence"] {
            let reply = try ask("INFO", section, until: deadline)
            switch reply {
            case .text(let lines): text += lines + RedisCommand.lineEnd
            // The command is not permitted, or was renamed.
            case .error("NOPERM"), .error("ERR"): continue
            default: throw reply.failure
            }
        }
        return RedisServerFacts(info: text)
    }
}
#endif
