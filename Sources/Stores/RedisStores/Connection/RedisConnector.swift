#if Redis
import EntitlementKeys
import EntitlementValues
import HostSystem

/// Opens sessions: finds the server, connects, signs in and checks what it is.
struct RedisConnector: Sendable {
    let address: RedisAddress
    /// The name by which an operator finds the connections in `CLIENT LIST`.
    let clientName: String
    /// How many bytes one reply may have.
    let maximumReply: Int
    let time: TimeSource
    /// Which of the Sentinels is asked first.
    let firstSentinel = FirstSentinel()

    /// Opens a session, with the primary that Sentinels name if the address is theirs.
    ///
    /// - Parameters:
    ///   - access: What to sign in with.
    ///   - deadline: When to give up.
    /// - Returns: The session.
    /// - Throws: `RedisFailure`.
    func open(_ access: RedisAccess, until deadline: Duration) throws(RedisFailure) -> RedisSession {
        guard case .sentinels(let hosts, let name) = address.endpoint else {
            return try open(access, at: address.endpoint, until: deadline)
        }
        return try open(access, of: name, from: hosts, until: deadline)
    }

    /// Connects to a server.
    func connection(
        to endpoint: RedisAddress.Endpoint,
        _ access: RedisAccess,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisConnection {
        try RedisConnection(
            to: endpoint, encryption: access.encryption, maximumReply: maximumReply, time: time, until: deadline)
    }

    /// Connects to a server, signs in and checks it.
    ///
    /// All commands are sent at once, so that a distant server costs one round trip after connecting.
    func open(
        _ access: RedisAccess,
        at endpoint: RedisAddress.Endpoint,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisSession {
        var connection = try connection(to: endpoint, access, until: deadline)
        do throws(RedisFailure) {
            try greeting(access.password).withSpan { bytes throws(RedisFailure) in
                try connection.write(bytes, until: deadline)
            }
        } catch {
            // A server that has no place says so, and closes the connection before it was asked.
            guard error == .closed else { throw error }
        }
        if hasSignIn(access.password) {
            let reply = try connection.next(until: deadline)
            guard reply != .error("ERR") else { throw .needlessPassword }
            if let failure = reply.failure(unless: .okay) { throw failure }
        }
        if address.database != 0 {
            let reply = try connection.next(until: deadline)
            guard reply != .error("ERR") else { throw .noDatabase(address.database) }
            if let failure = reply.failure(unless: .okay) { throw failure }
        }
        // A server that does not permit a name is as good without one.
        switch try connection.next(until: deadline) {
        case .okay, .error("NOPERM"), .error("ERR"): break
        case let reply: throw reply.failure(unless: .okay) ?? .nonsense
        }
        let facts = try facts(&connection, until: deadline)
        if let refusal = facts.refusal { throw refusal }
        let server = RedisServerIdentity(runID: facts.runID, address: connection.server)
        return RedisSession(connection: connection, server: server, warnings: facts.warnings)
    }

    /// The few sections of INFO that matter; all of it is much longer, and has lists of clients.
    private static let sections = ["server", "replication", "memory", "persistence"]

    private func hasSignIn(_ password: KeyPassword?) -> Bool { password != nil || address.user != nil }

    /// The commands that begin a session, in memory that is wiped like that of the password itself.
    private func greeting(_ password: KeyPassword?) -> WipedBytes {
        var parts: [WipedBytes] = []
        if hasSignIn(password) {
            var words = RedisCommand.header("*", address.user == nil ? 2 : 3) + RedisCommand.word("AUTH")
            if let user = address.user { words += RedisCommand.word(user) }
            words += RedisCommand.header("$", password?.bytes.count ?? 0)
            parts.append(WipedBytes(words))
            if let password { parts.append(password.bytes) }
            parts.append(WipedBytes(RedisCommand.lineEnd))
        }
        var rest: [UInt8] = []
        if address.database != 0 { rest += RedisCommand.encode(["SELECT", "\(address.database)"]) }
        rest += RedisCommand.encode(["CLIENT", "SETNAME", clientName])
        for section in Self.sections { rest += RedisCommand.encode(["INFO", section]) }
        return WipedBytes(joining: parts + [WipedBytes(rest)])
    }

    private func facts(
        _ connection: inout RedisConnection,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisServerFacts {
        var text: [UInt8] = []
        for _ in Self.sections {
            switch try connection.next(until: deadline) {
            case .text(let lines): text += lines + RedisCommand.lineEnd
            // The command is not permitted, or was renamed.
            case .error("NOPERM"), .error("ERR"): continue
            case let reply: throw reply.failure(unless: .text) ?? .nonsense
            }
        }
        return RedisServerFacts(info: text)
    }
}

extension RedisConnection {
    /// Waits for the next answer to a command that began the connection.
    ///
    /// Throws `.noConnectionInTime` if there is none by the deadline; `.closedAtOnce` instead of `.closed` if there was
    /// no answer before, and the connection is in clear.
    mutating func next(until deadline: Duration) throws(RedisFailure) -> RedisReply {
        let isFirst = !hasAnswered && !isEncrypted
        do throws(RedisFailure) {
            guard let reply = try reply(until: deadline) else { throw .noConnectionInTime }
            return reply
        } catch {
            throw isFirst && error == .closed ? .closedAtOnce : error
        }
    }
}

/// What connections sign in with.
struct RedisAccess: Sendable {
    /// The password of the address's user, or of the server's default user; `nil` for none.
    let password: KeyPassword?
    /// The authorities and the client's certificate; `nil` for connections in clear.
    let encryption: EncryptionContext?

    /// Reads the files, if the address asks for encryption; throws `.badFile`.
    init(
        password: KeyPassword?,
        encryption: RedisEncryption,
        for address: RedisAddress
    ) throws(RedisConfigurationError) {
        self.password = password
        self.encryption = address.isEncrypted ? try EncryptionContext(encryption) : nil
    }
}

/// A connection that has signed in and selected its database, to a server that may be written to.
struct RedisSession: ~Copyable {
    var connection: RedisConnection
    /// The server that was reached.
    let server: RedisServerIdentity
    var warnings: Set<RedisWarning>
    /// Numbers the servers, their runs and the changes of passwords that the pool has seen.
    var generation = 0
}
#endif
