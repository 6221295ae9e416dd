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
            tidy(record?.signIns ?? DeviceSignIns())
            switch try await settle(record) {
            case .none(let session, let end):
                let profile = try await profile(of: session)
                return profile.map { .authenticated($0.mvpd, until: $0.until) } ?? .notAuthenticated(end)
            case .pending(let until): return .pending(until: until)
            case .signedIn(let signIn, _, let displaced): await signedIn(signIn, displacing: displaced)
            case .gone(let gone, let logsOut): await retire(gone, loggingOut: logsOut)
            case .moved: break
            }
        }
    }

    /// Sees what has become of the sign-in under way, by its profile.
    private func settle(_ record: GatewayDevice?) async throws -> Settled {
        guard let record else { return .none(session: 0, nil) }
        let now = now
        var seen: SeenSignIn?
        if let open = record.signIns.decidedByProfile(at: now) {
            seen = SeenSignIn(open, try await profile(of: open.number))
        }
        return try await decide(on: record) { [seen] device in
            let settled = device.signIns.settle(seen, at: now)
            if case .signedIn(_, let mvpd, _) = settled { device.facts.lastProvider = mvpd }
            return settled
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
}
#endif
