#if Service
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues

extension SignInDesk {
    /// How long after a code's end its sign-in is cleared away: a login that was begun before may end after it.
    private static let margin = TimeToLive.minutes(2)
    /// How often a logout is tried that the broker does not confirm.
    private static let maximumAttempts = 3

    /// Makes the session of a sign-in the one that counts.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - mvpd: The provider.
    ///   - isReturn: Whether a browser came back, so that a second one makes it void.
    /// - Throws: `GatewayRefusal`; `EntitlementFlowError.superseded` if it is not under way anymore.
    func promote(_ signIn: OpenSignIn, with mvpd: MVPDID, afterReturn isReturn: Bool) async throws {
        let now = now
        let displaced = try await gateway.devices.change(key) { device throws(GatewayRefusal) in
            guard let before = device.signIns.promote(signIn.state, afterReturn: isReturn, at: now) else {
                return nil as Int64?
            }
            device.facts.lastProvider = mvpd
            return before
        }
        guard let displaced else { throw EntitlementFlowError.superseded }
        gateway.opened.keeper.cancel("watch \(signIn.state)")
        gateway.opened.signals.tell(key)
        // What another user's sign-in, or none, has left is not needed anymore.
        if displaced != signIn.number { _ = try? await app.sessions.forget(key.session(displaced)) }
    }

    /// Gives up the sign-in that is under way.
    ///
    /// - Parameters:
    ///   - state: Which one; `nil` for any.
    ///   - reason: Why.
    ///   - logsOut: Whether a user may have signed in already.
    /// - Throws: `GatewayRefusal`.
    func giveUp(_ state: String?, because reason: SignInEnd, loggingOut logsOut: Bool = false) async throws {
        let now = now
        let gone = try await change { signIns in
            guard state == nil || signIns.open?.state == state else { return nil as SpentSignIn? }
            return signIns.giveUp(because: reason, at: now)
        }
        if let gone { await retire(gone, loggingOut: logsOut) }
    }

    /// Ends what waits for a sign-in that was given up, and clears it away once its code has ended.
    ///
    /// - Parameters:
    ///   - gone: The sign-in.
    ///   - logsOut: Whether a user may have signed in already, who is logged out at once.
    func retire(_ gone: SpentSignIn, loggingOut logsOut: Bool = false) async {
        gateway.opened.signals.tell(key)
        gateway.opened.keeper.cancel("watch \(gone.state)")
        _ = try? await withSession(gone.number, returningTo: gone.state) { session in
            try await session.setSelectedProvider(nil)
        }
        if logsOut { await logOut(gone) }
        gateway.opened.keeper.schedule("end \(gone.state)", at: gone.until + Self.margin, by: time) {
            await clear(gone)
        }
    }

    /// Clears away what other processes have left, after a stop.
    func tidy(_ signIns: DeviceSignIns) {
        for gone in signIns.spent where gone.until + Self.margin <= now {
            gateway.opened.keeper.schedule("end \(gone.state)", at: now, by: time) { await clear(gone) }
        }
    }

    /// Logs out at the broker what came of a sign-in that does not count.
    ///
    /// - Parameter gone: The sign-in.
    /// - Returns: Whether the broker has confirmed that there is nothing left.
    @discardableResult
    func logOut(_ gone: SpentSignIn) async -> Bool {
        guard let mvpd = gone.mvpd else { return true }
        let outcome = try? await withSession(gone.number, returningTo: gone.state) { session in
            try await session.logout(.mvpd(mvpd))
        }
        return outcome?.unconfirmed.isEmpty == true
    }

    /// Logs out for the last time, and erases the session.
    private func clear(_ gone: SpentSignIn) async {
        for attempt in 1...Self.maximumAttempts {
            if let desk = current, await desk.logOut(gone) {
                guard (try? await desk.app.sessions.forget(key.session(gone.number))) != nil else { return }
                _ = try? await desk.change { $0.forget(gone) }
                return
            }
            guard attempt < Self.maximumAttempts,
                (try? await time.sleep(untilUptime: time.uptime + .seconds(60))) != nil
            else { return }
        }
    }
}
#endif
