#if Redis
import EntitlementKeys
import EntitlementValues
import Synchronization

extension RedisPool {
    /// What connections sign in with: the password and certificate that worked, and newer ones that have not worked yet.
    struct Accesses: Sendable {
        /// What worked last, or what the pool was made with.
        private(set) var working: RedisAccess
        /// The newest, if it did not work when it was tried.
        private(set) var refused: RedisAccess?
        /// Counts the trials.
        private(set) var number = 0

        init(_ access: RedisAccess) { working = access }

        /// Begins the trial of another access, and returns its number.
        mutating func beginTrial() -> Int {
            number += 1
            return number
        }

        /// Notes that an access worked; nothing changes unless its trial was the last one.
        mutating func worked(_ access: RedisAccess, _ number: Int) {
            if number == self.number { (working, refused) = (access, nil) }
        }

        /// Notes that an access did not work when it was tried; nothing changes unless its trial was the last one.
        mutating func failed(_ access: RedisAccess, _ number: Int) {
            if number == self.number { refused = access }
        }
    }

    /// Opens a session with what worked last, or with the newer access if the server takes that no longer.
    ///
    /// So a password may be changed on the server before or after it is changed here, and a wrong file here changes
    /// nothing. If both are refused, the error is that of the access that worked last.
    ///
    /// The session has a warning if there is a newer access that has not worked yet.
    func openSession(until deadline: Duration) throws(RedisFailure) -> RedisSession {
        let access = state.withLock { $0.access }
        let refusal: RedisFailure
        do throws(RedisFailure) {
            var session = try connector.open(access.working, until: deadline)
            if access.refused != nil { session.warnings.insert(.newAccessRefused) }
            return session
        } catch {
            guard error.concernsAccess else { throw error }
            refusal = error
        }
        guard let newer = access.refused, let session = try? connector.open(newer, until: deadline) else {
            throw refusal
        }
        state.withLock { $0.access.worked(newer, access.number) }
        return session
    }

    /// Reads the files of another access, tries it, and takes it into use if the server accepts it.
    func use(password: KeyPassword?, encryption: RedisEncryption) async throws(RedisReloadError) {
        let access = try rethrowing(
            RedisAccess(password: password, encryption: encryption, for: connector.address),
            as: RedisReloadError.configuration)
        try await rethrowing(awaiting: await use(access)) { (failure: RedisFailure) in
            RedisReloadError.refused(reason: "\(connector.address) \(failure)")
        }
    }

    /// Tries another access, and takes it into use if the server accepts it; throws if not.
    ///
    /// Connections are replaced before their next command, so no command is lost. If the server does not accept the
    /// access, or cannot be reached, the former one stays in use, and new connections try the other one only after the
    /// server has refused the former.
    private func use(_ access: RedisAccess) async throws(RedisFailure) {
        let number = state.withLock { $0.access.beginTrial() }
        do throws(RedisFailure) {
            try await onThread { [self] () throws(RedisFailure) in
                _ = try connector.open(access, until: connector.time.uptime + settings.connectTimeLimit.duration)
            }
        } catch {
            state.withLock { $0.access.failed(access, number) }
            throw error
        }
        state.withLock { state in
            state.access.worked(access, number)
            state.renew()
        }
    }
}
#endif
