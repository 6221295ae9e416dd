#if Redis
import EntitlementKeys
import EntitlementValues
import Synchronization

extension RedisPool {
    /// What connections sign in with: the newest password and certificate, and the former ones until those have worked.
    struct Accesses: Sendable {
        private(set) var newest: RedisAccess
        /// What worked last, while the newest has not worked yet.
        private(set) var former: RedisAccess?
        /// Counts the changes.
        private(set) var number = 0

        init(_ access: RedisAccess) { newest = access }

        /// Puts another access first.
        ///
        /// - Parameter access: The access.
        /// - Returns: Its number.
        mutating func offer(_ access: RedisAccess) -> Int {
            former = former ?? newest
            newest = access
            number += 1
            return number
        }

        /// Notes that the newest access worked.
        ///
        /// - Parameter number: The number of the access that worked.
        mutating func worked(_ number: Int) {
            if number == self.number { former = nil }
        }
    }

    /// Opens a session with the newest access, or with the former one if the server refuses the newest.
    ///
    /// So a password may be changed on the server before or after it is changed here.
    ///
    /// - Parameter deadline: When to give up.
    /// - Returns: The session, which has a warning if the newest access was refused.
    /// - Throws: `RedisFailure`, that of the newest access if both are refused.
    func openSession(until deadline: Duration) throws(RedisFailure) -> RedisSession {
        let access = state.withLock { $0.access }
        let refusal: RedisFailure
        do throws(RedisFailure) {
            let session = try connector.open(access.newest, until: deadline)
            state.withLock { $0.access.worked(access.number) }
            return session
        } catch {
            guard error.concernsAccess else { throw error }
            refusal = error
        }
        guard let former = access.former, var session = try? connector.open(former, until: deadline) else {
            throw refusal
        }
        session.warnings.insert(.newAccessRefused)
        return session
    }

    /// Reads the files of another access, tries it, and takes it into use if the server accepts it.
    ///
    /// - Parameters:
    ///   - password: The new password; `nil` for none.
    ///   - encryption: The files of an encrypted connection.
    /// - Throws: `RedisReloadError`.
    func use(password: KeyPassword?, encryption: RedisEncryption) async throws(RedisReloadError) {
        let access: RedisAccess
        do throws(RedisConfigurationError) {
            access = try RedisAccess(password: password, encryption: encryption, for: connector.address)
        } catch {
            throw .configuration(error)
        }
        do throws(RedisFailure) {
            try await use(access)
        } catch {
            throw .refused(reason: "\(connector.address) \(error)")
        }
    }

    /// Tries another access, and takes it into use if the server accepts it.
    ///
    /// Connections are replaced before their next command, so no command is lost. If the server does not accept the
    /// access, or cannot be reached, the former one stays in use, and new connections try both.
    ///
    /// - Parameter access: What to sign in with from now on.
    /// - Throws: `RedisFailure` if the server did not accept it.
    private func use(_ access: RedisAccess) async throws(RedisFailure) {
        let number = state.withLock { $0.access.offer(access) }
        try await onThread { [self] () throws(RedisFailure) in
            _ = try connector.open(access, until: connector.time.uptime + settings.connectTimeLimit.duration)
            state.withLock { state in
                state.access.worked(number)
                state.renew()
            }
        }
    }
}
#endif
