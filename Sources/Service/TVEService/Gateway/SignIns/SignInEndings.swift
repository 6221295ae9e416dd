#if Service
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import PlaybackSessions

extension SignInFlow {
    /// How long after a revocation of plays that failed the next one is tried.
    private static let playsTime = Duration.seconds(5)
    /// The longest time until it is tried again: each is twice as long as the one before.
    private static let longestPlaysTime = Duration.seconds(60)

    /// Makes the session of a sign-in the one that counts, which no browser was needed for.
    ///
    /// Throws `EntitlementFlowError.superseded` if it is not under way anymore.
    func promote(_ signIn: OpenSignIn, with mvpd: MVPDID) async throws {
        let now = now
        let displaced = try await changeRecord { record in
            guard let before = record.signIns.promote(signIn.state, afterReturn: false, at: now) else {
                return nil as Int64?
            }
            record.facts.lastProvider = mvpd
            return before
        }
        guard let displaced else { throw EntitlementFlowError.superseded }
        await signedIn(signIn, displacing: displaced)
    }

    /// Does what follows when the session of a sign-in has become the one that counts.
    ///
    /// `displaced` is the session that counted before.
    func signedIn(_ signIn: OpenSignIn, displacing displaced: Int64) async {
        gateway.runtime.timers.cancel(.ask(state: signIn.state))
        gateway.runtime.longPolls.wake(key)
        // What another user's sign-in, or none, has left is not needed anymore.
        if displaced != signIn.number { _ = try? await app.sessions.erase(key.session(displaced)) }
    }

    /// Gives up the sign-in that is under way, if there is one, because the app asks for it.
    ///
    /// If the user has cancelled it, the answer's events tell that. Returns the session that counts then; `nil` if the
    /// gateway has no record of the device.
    @discardableResult
    func giveUp(asCancel isCancel: Bool = false) async throws -> Int64? {
        guard let record = try await gateway.devices.record(of: key), !record.isForgotten else { return nil }
        let (gone, session) = try await decide(on: record) { device in
            (device.signIns.giveUp(because: .cancelled), device.signIns.current)
        }
        if let gone { await retire(gone, asCancel: isCancel) }
        return session
    }

    /// Ends what waits for a sign-in that was given up; it is cleared away once its code has ended.
    ///
    /// `logsOut` says whether a user may have signed in already, who is logged out at once. `isCancel` says whether the
    /// user has cancelled it. If not, another sign-in or a logout took its place, or it has ended: then no event of the
    /// answer may tell of a cancel.
    func retire(_ gone: SpentSignIn, loggingOut logsOut: Bool = false, asCancel isCancel: Bool = false) async {
        gateway.runtime.longPolls.wake(key)
        gateway.runtime.timers.cancel(.ask(state: gone.state))
        await endPlays(gone.plays, of: gone.state)
        await AnsweredEvents.$current.withValue(isCancel ? AnsweredEvents.current : nil) {
            _ = try? await withSession(gone.number, returningTo: gone.state) { session in
                try await session.setSelectedProvider(nil)
            }
        }
        if logsOut { _ = try? await logOut(gone) } else { await gateway.eraseIfGone(gone.number, of: key, in: app) }
    }

    /// Ends plays, at once or as soon as the store of sessions answers again; returns whether all have ended.
    ///
    /// The state names what they belonged to.
    @discardableResult
    func endPlays(_ plays: [NotedPlay], of state: String) async -> Bool {
        guard let registry = gateway.runtime.registry, await !registry.revoke(plays) else { return true }
        gateway.runtime.timers.run(.plays(of: state)) { [time] in
            var pause = Self.playsTime
            guard (try? await time.sleep(untilUptime: time.uptime + pause)) != nil else { return }
            // However long the store is away: until their ceilings, sessions could be renewed.
            while plays.contains(where: { time.now < $0.until }) {
                if await registry.revoke(plays) { return }
                guard (try? await time.sleep(untilUptime: time.uptime + pause)) != nil else { return }
                pause = min(pause * 2, Self.longestPlaysTime)
            }
        }
        return false
    }

    /// Whether the session of a given-up sign-in is still its own: an erased session must not be made anew, and one that
    /// another sign-in has taken must be left alone.
    private func isLeft(_ gone: SpentSignIn) async throws -> Bool {
        guard let device = try await gateway.devices.record(of: key), !device.isForgotten,
            device.signIns.current != gone.number, device.signIns.open?.number != gone.number
        else { return false }
        return try await record(of: gone.number) != nil
    }

    /// Logs out at the broker what came of a sign-in that does not count.
    ///
    /// Returns whether the broker has confirmed that there is nothing left. Throws also if a store does not answer, so that
    /// the broker was not asked.
    func logOut(_ gone: SpentSignIn) async throws -> Bool {
        guard let mvpd = gone.mvpd else { return true }
        // The device may be erased while the broker is asked, or the session cleared away by another process.
        do {
            // It is not the logout of a user whom the app knows.
            let outcome = try await AnsweredEvents.$current.withValue(nil) {
                try await withSession(gone.number, returningTo: gone.state) { session in
                    try await session.logout(.mvpd(mvpd))
                }
            }
            await gateway.eraseIfGone(gone.number, of: key, in: app)
            return outcome.unconfirmed.isEmpty
        } catch {
            await gateway.eraseIfGone(gone.number, of: key, in: app)
            throw error
        }
    }

    /// Logs out for the last time, and erases the session, unless another process has done so.
    ///
    /// The sign-in was given up, and its code has ended. It fails if the broker does not confirm the logout.
    func clear(_ gone: SpentSignIn) async -> SignInTimers.Outcome {
        // The process that made it void may have stopped before it revoked its plays.
        if let registry = gateway.runtime.registry, await !registry.revoke(gone.plays) { return .storeAway }
        do {
            if try await isLeft(gone) {
                guard try await logOut(gone) else { return .failed(nil) }
                _ = try await app.sessions.erase(key.session(gone.number))
            }
            try await change { $0.forget(gone) }
            return .done(nil)
        } catch {
            return SignInTimers.Outcome(error, next: nil)
        }
    }
}

extension SessionRegistry {
    /// Revokes plays; returns whether all are revoked.
    fileprivate func revoke(_ plays: [NotedPlay]) async -> Bool {
        var isRevoked = true
        for play in plays {
            guard let session = PlaybackSessionID(text: play.session) else { continue }
            if (try? await revoke(session, until: play.until)) == nil { isRevoked = false }
        }
        return isRevoked
    }
}

extension Gateway {
    /// Erases a session that its device does not have any more: what was under way while the device was erased, or the
    /// session displaced, may have made it anew.
    func eraseIfGone(_ session: Int64, of device: DeviceKey, in app: GatewayApp) async {
        guard let record = try? await devices.record(of: device), record.isForgotten || !record.signIns.has(session)
        else { return }
        _ = try? await app.sessions.erase(device.session(session))
    }
}

extension SignInFlow {
    /// How long the returns of a browser from the providers' logout pages are known.
    private static let logoutTime = TimeToLive.minutes(30)

    /// Signs the user out at the providers of a scope, and gives up the sign-in that is under way.
    ///
    /// The return page sends the browser to `returnTo`. `hasUserAgent` says whether the device has a browser; `nil`
    /// takes it from what the device says of itself. Returns what is left to do.
    func signOut(
        _ scope: LogoutScope,
        returningTo returnTo: String?,
        hasUserAgent: Bool? = nil
    ) async throws -> LogoutOutcome {
        // Without a record the device has no user.
        guard let current = try await giveUp() else { return LogoutOutcome(leaving: [.done]) }
        let state = try Self.randomText()
        // An app that names an address to return to has a browser, which opens it.
        let hasUserAgent = hasUserAgent ?? (returnTo == nil ? nil : true)
        // Without a user, a logout at one provider ends no play: those that go on need no sign-in.
        let hadUser = if scope == .all { true } else { try await profile(of: current) != nil }
        let outcome = try await withSession(current, returningTo: state, hasUserAgent: hasUserAgent) { session in
            try await session.logout(scope)
        }
        await gateway.eraseIfGone(current, of: key, in: app)
        gateway.runtime.longPolls.wake(key)
        // After a logout at one provider, the user of another one may still be signed in, and plays on.
        if hadUser, (try? await profile(of: current)) == nil { try await endPlays(of: current) }
        let pages = Int64(outcome.visits.count)
        guard pages > 0 else { return outcome }
        let end = now + Self.logoutTime
        try await gateway.devices.put(state: state, for: key, until: end)
        try await change { $0.logout = OpenLogout(state: state, returnTo: returnTo, until: end, pages: pages) }
        return outcome
    }

    /// Ends what plays on the device, however long ago it began; the session is that of the user who was signed out.
    ///
    /// Throws if the store cannot tell what plays.
    private func endPlays(of session: Int64) async throws {
        guard gateway.runtime.registry != nil else { return }
        let plays = try await change { $0.signOut(of: session) }
        guard await endPlays(plays, of: "\(key.rawValue) \(now.milliseconds)"), !plays.isEmpty else { return }
        // If it fails, the next logout ends them once more.
        _ = try? await change { $0.forget(plays) }
    }

    /// Logs the device out at the broker, and erases everything about it; what refuses its tokens takes the place of its record.
    ///
    /// The last of its tokens ends at `end`.
    func forgetDevice(until end: Timestamp) async throws {
        if let current = try await giveUp() {
            let signIns = try await gateway.devices.record(of: key)?.signIns ?? DeviceSignIns()
            for gone in signIns.spent { _ = try? await logOut(gone) }
            _ = try? await withSession(current, returningTo: nil) { session in try await session.logout() }
            for number in signIns.sessionsToErase { try await app.sessions.forget(key.session(number)) }
        }
        // A sign-in may have begun meanwhile; after this, none can.
        let last = try await gateway.devices.forget(key, of: app.id, until: end)
        gateway.runtime.timers.forget(key)
        guard let last else { return }
        await endPlays(last.signIns.plays, of: key.rawValue)
        for number in last.signIns.sessionsToErase { try await app.sessions.forget(key.session(number)) }
    }
}

extension LogoutOutcome {
    /// The addresses that the user's browser opens.
    var visits: [UserAgentVisit] {
        steps.compactMap { if case .openUserAgent(let visit) = $0 { visit } else { nil } }
    }
}
#endif
