#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues

/// How far a device's user is with signing in.
enum SignInStatus: Sendable, Hashable {
    case authenticated(MVPDID, until: Timestamp?)
    /// A sign-in is under way until an instant.
    case pending(until: Timestamp)
    case notAuthenticated(SignInEnd?)
}

extension SignInDesk {
    /// How often those look at the records who wait for what another replica may see.
    private static let lookInterval = Duration.milliseconds(500)

    /// How far the user is; the broker is not asked.
    ///
    /// A sign-in that has become good is taken over, and one that has ended is given up.
    ///
    /// - Returns: The status.
    /// - Throws: `GatewayRefusal`, `EntitlementFlowError.store`.
    func status() async throws -> SignInStatus {
        while true {
            let record = try await gateway.devices.record(of: key)
            let signIns = record?.signIns ?? DeviceSignIns()
            tidy(signIns)
            guard let open = signIns.open else {
                let profile = try await profile(of: signIns.current)
                return profile.map { .authenticated($0.mvpd, until: $0.until) } ?? .notAuthenticated(signIns.end)
            }
            if let status = try await settle(open) { return status }
        }
    }

    /// Waits for the end of a sign-in.
    ///
    /// - Parameters:
    ///   - limit: The longest wait.
    ///   - isStopping: Whether the service stops.
    /// - Returns: The status then.
    /// - Throws: As ``status()``; `CancellationError` if the client has gone.
    func status(within limit: Duration, isStopping: @Sendable () -> Bool) async throws -> SignInStatus {
        let end = time.uptime + limit
        return try await gateway.opened.signals.listening(to: key) { listener in
            while true {
                let status = try await status()
                guard case .pending = status else { return status }
                let left = end - time.uptime
                guard left > .zero, !isStopping() else { return status }
                if let open = try await gateway.devices.record(of: key)?.signIns.open { await watch(open.state) }
                await listener.wait(atMost: min(left, Self.lookInterval), by: time)
                try Task.checkCancellation()
            }
        }
    }

    /// Lets the broker be asked for a sign-in that may be, here or in another process.
    ///
    /// Nothing is asked as long as a browser is away, or has not proved where it came back.
    ///
    /// - Parameter state: Which sign-in.
    func watch(_ state: String) async {
        guard let open = try? await gateway.devices.record(of: key)?.signIns.open, open.state == state else { return }
        if open.kind == .browser {
            guard case .proven = open.phase else { return }
        }
        let keeper = gateway.opened.keeper
        keeper.schedule("watch \(state)", at: now, by: time) {
            guard let desk = current else { return }
            await desk.wait(for: open)
            // As something of its own: the end of the sign-in cancels the wait, and must not cancel a logout.
            keeper.schedule("settle \(state)", at: now, by: time) { _ = try? await current?.status() }
        }
    }

    private func wait(for open: OpenSignIn) async {
        // The process that took the browser back may have stopped before it asked.
        if open.kind == .browser { _ = await ask(about: open) }
        _ = try? await withSession(of: open) { session in try await session.awaitAuthentication() }
        try? await time.sleep(untilUptime: time.uptime + OpenSignIn.holdTime.duration)
    }

    /// Sees what has become of a sign-in.
    ///
    /// - Returns: The status if it is still under way; `nil` if it has ended, and the record has to be read again.
    private func settle(_ open: OpenSignIn) async throws -> SignInStatus? {
        let isOver = now >= open.until
        switch open.phase {
        case .returned(let at):
            let isLate = try await isWithoutProfile(open, since: at)
            if isLate || now >= at + OpenSignIn.proofTime {
                try await giveUp(open.state, because: isLate ? .notSignedIn : .notProved, loggingOut: !isLate)
                return nil
            }
        case .proven(let at):
            if let profile = try await profile(of: open.number), isSettled(profile, returned: at) {
                try await takeOver(open, with: profile.mvpd)
                return nil
            }
            if try await isWithoutProfile(open, since: at) {
                try await giveUp(open.state, because: .notSignedIn)
                return nil
            }
        case .away where open.kind == .code:
            guard let profile = try await profile(of: open.number) else { break }
            guard open.mark != nil else {
                // The address of the login was forwarded: its user has not seen which device it is for.
                try await giveUp(open.state, because: .notProved, loggingOut: true)
                return nil
            }
            if isSettled(profile, returned: nil) {
                try await takeOver(open, with: profile.mvpd)
                return nil
            }
        case .away: break
        }
        guard isOver else { return .pending(until: open.until) }
        try await giveUp(open.state, because: .codeEnded)
        return nil
    }

    private func takeOver(_ open: OpenSignIn, with mvpd: MVPDID) async throws {
        do {
            // A browser has come back, or may do so yet.
            try await promote(open, with: mvpd, afterReturn: true)
        } catch EntitlementFlowError.superseded {
            // Another request was faster; the record tells what it did.
        }
    }

    /// Whether a profile counts: it was there with the return, or it was held back long enough for another browser to come.
    private func isSettled(_ profile: KnownProfile, returned: Timestamp?) -> Bool {
        if let returned, profile.asked <= returned + OpenSignIn.holdTime { return true }
        return now >= profile.asked + OpenSignIn.holdTime
    }

    /// Whether a browser came back long ago, and no user was signed in.
    private func isWithoutProfile(_ open: OpenSignIn, since returned: Timestamp) async throws -> Bool {
        guard now >= returned + OpenSignIn.lateTime else { return false }
        return try await profile(of: open.number) == nil
    }
}
#endif
