#if Service
import DeviceRecords
import EntitlementFlows
import EntitlementValues

extension SignInDesk {
    /// How long the returns of a browser from the providers' logout pages are known.
    private static let logoutTime = TimeToLive.minutes(30)

    /// Signs the user out, and gives up the sign-in that is under way.
    ///
    /// - Parameters:
    ///   - scope: At which providers.
    ///   - returnTo: Where the return page sends the browser.
    ///   - hasUserAgent: Whether the device has a browser; `nil` to take it from what the device says of itself.
    /// - Returns: What is left to do.
    /// - Throws: `EntitlementFlowError`, `GatewayRefusal`.
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
        gateway.opened.signals.tell(key)
        // After a logout at one provider, the user of another one may still be signed in, and plays on.
        if hadUser, (try? await profile(of: current)) == nil { try await endPlays(of: current) }
        let pages = Int64(outcome.visits.count)
        guard pages > 0 else { return outcome }
        let end = now + Self.logoutTime
        try await gateway.devices.put(state: state, for: key, until: end)
        try await change { $0.logout = OpenLogout(state: state, returnTo: returnTo, until: end, pages: pages) }
        return outcome
    }

    /// Ends what plays on the device, however long ago it began.
    ///
    /// - Parameter session: The session of the user who was signed out.
    /// - Throws: `GatewayRefusal` if the store cannot tell what plays.
    private func endPlays(of session: Int64) async throws(GatewayRefusal) {
        guard gateway.registry != nil else { return }
        let plays = try await change { $0.signOut(of: session) }
        guard await endPlays(plays, of: "\(key.rawValue) \(now.milliseconds)"), !plays.isEmpty else { return }
        // If it fails, the next logout ends them once more.
        _ = try? await change { $0.forget(plays) }
    }

    /// Logs the device out at the broker, and erases everything about it; what refuses its tokens takes the place of its record.
    ///
    /// - Parameter end: When the last of its tokens ends.
    /// - Throws: `GatewayRefusal`, `EntitlementFlowError.store`.
    func forgetDevice(until end: Timestamp) async throws {
        if let current = try await giveUp() {
            let signIns = try await gateway.devices.record(of: key)?.signIns ?? DeviceSignIns()
            for gone in signIns.spent {
                await logOut(gone)
                gateway.opened.keeper.cancel("end \(gone.state)")
            }
            _ = try? await withSession(current, returningTo: nil) { session in try await session.logout() }
            for number in signIns.sessionsToErase { try await app.sessions.forget(key.session(number)) }
        }
        // A sign-in may have begun meanwhile; after this, none can.
        guard let last = try await gateway.devices.forget(key, of: app.id, until: end) else { return }
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
