#if Service
import EntitlementFlows
import EntitlementValues

// How the sign-ins of a device go on while no request changes them: for a request that waits, at the broker, and in time.

extension SignInFlow {
    /// How often a waiting request reads its device's record, since another replica may have changed it.
    private static let lookInterval = Duration.milliseconds(500)

    /// Waits for the end of a sign-in, at most as long as the limit, and returns the status then.
    ///
    /// `wait` hears of changes, and ends early if the client has gone. `isStopping` says whether the service stops.
    /// Throws as ``status()``.
    func status(
        within limit: Duration,
        hearing wait: LongPolls.Wait,
        isStopping: @Sendable () -> Bool
    ) async throws -> SignInStatus {
        let end = time.uptime + limit
        while true {
            let status = try await status()
            guard case .pending(let open) = status else { return status }
            let left = end - time.uptime
            guard left > .zero, !wait.hasEnded, !Task.isCancelled, !isStopping() else { return status }
            askLater(about: open)
            await wait.change(within: min(left, Self.lookInterval), by: time)
        }
    }

    /// Lets the broker be asked for a sign-in that may be, here or in another process.
    ///
    /// Nothing is asked as long as a browser is away, or has not proved where it came back.
    func askLater(about open: OpenSignIn) {
        if open.mayBeAskedAbout { gateway.runtime.timers.ask(about: open.state, of: device) }
    }

    /// Asks the broker for a sign-in until it has ended, here or in another process.
    func waitAtBroker(for open: OpenSignIn) async {
        // The process that took the browser back may have stopped before it asked.
        if open.kind == .browser { _ = await ask(about: open) }
        _ = try? await withSession(of: open) { session in try await session.awaitAuthentication() }
        try? await time.sleep(untilUptime: time.uptime + OpenSignIn.holdTime.duration)
    }

    /// Does what time alone has brought, although no request came.
    ///
    /// Returns whether all is done, and when it is worth another look.
    func look(at record: GatewayDevice) async -> SignInTimers.Outcome {
        var record = record
        do {
            while try await status(by: record) == nil {
                guard let later = try await gateway.devices.record(of: key) else { return .done(nil) }
                record = later
            }
        } catch {
            // What comes later must not be forgotten with what fails now.
            return SignInTimers.Outcome(error, next: record.signIns.nextLook(after: now))
        }
        let next = record.signIns.nextLook(after: now)
        // One that its provider does not confirm must not keep the others.
        var isCleared = true
        for gone in record.signIns.due(at: now) {
            switch await clear(gone) {
            case .done: break
            case .failed: isCleared = false
            case .storeAway: return .storeAway
            }
        }
        guard isCleared else { return .failed(next) }
        // What this process has given up itself is noted already. What another one has, that one clears away first.
        return .done(next.map { $0.worth == .clearing ? NextLook(at: $0.instant + .minutes(1), as: .clearing) : $0 })
    }
}
#endif
