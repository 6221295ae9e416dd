#if Service
import EntitlementFlows
import EntitlementValues

extension SignInDesk {
    /// How long the return of a browser from the provider's logout page is known.
    private static let logoutTime = TimeToLive.minutes(30)

    /// Signs the user out, and gives up the sign-in that is under way.
    ///
    /// - Parameters:
    ///   - scope: At which providers.
    ///   - returnTo: Where the return page sends the browser.
    ///   - hasUserAgent: Whether the device has a browser; `nil` to take it from what the device says of itself.
    ///   - hasRecord: Whether the gateway has a record of the device; without one it has no user.
    /// - Returns: What is left to do.
    /// - Throws: `EntitlementFlowError`, `GatewayRefusal`.
    func signOut(
        _ scope: LogoutScope,
        returningTo returnTo: String?,
        hasUserAgent: Bool? = nil,
        hasRecord: Bool
    ) async throws -> LogoutOutcome {
        guard hasRecord else { return LogoutOutcome(leaving: [.done]) }
        try await giveUp(nil, because: .cancelled)
        let state = try Self.randomText()
        guard let current = try await gateway.devices.record(of: key)?.signIns.current else {
            return LogoutOutcome(leaving: [.done])
        }
        // Who names a way back has a browser that goes it.
        let hasUserAgent = hasUserAgent ?? (returnTo == nil ? nil : true)
        let outcome = try await withSession(current, returningTo: state, hasUserAgent: hasUserAgent) { session in
            try await session.logout(scope)
        }
        gateway.opened.signals.tell(key)
        guard !outcome.visits.isEmpty else { return outcome }
        let end = now + Self.logoutTime
        try await gateway.devices.put(state: state, for: key, until: end)
        try await change { $0.logout = OpenLogout(state: state, returnTo: returnTo, until: end) }
        return outcome
    }

    /// Logs out all sessions of the device, and erases them.
    ///
    /// - Throws: `GatewayRefusal`, `EntitlementFlowError.store`.
    func forgetSessions() async throws {
        guard let signIns = try await gateway.devices.record(of: key)?.signIns else { return }
        if let open = signIns.open { try await giveUp(open.state, because: .cancelled) }
        let rest = try await gateway.devices.record(of: key)?.signIns ?? signIns
        for gone in rest.spent {
            await logOut(gone)
            gateway.opened.keeper.cancel("end \(gone.state)")
        }
        _ = try? await withSession(rest.current, returningTo: nil) { session in try await session.logout() }
        for number in rest.sessions { try await app.sessions.forget(key.session(number)) }
    }
}

extension LogoutOutcome {
    /// The addresses that the user's browser opens.
    var visits: [UserAgentVisit] {
        steps.compactMap { if case .openUserAgent(let visit) = $0 { visit } else { nil } }
    }
}
#endif
