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
        if case .proven(let returned) = open.phase { await askForLateProfile(of: open, since: returned) }
        _ = try? await withSession(of: open) { session in try await session.awaitAuthentication() }
        try? await time.sleep(untilUptime: time.uptime + OpenSignIn.holdTime.duration)
    }

    /// The time from one question about a code to the next: the operator wants 3 to 5 seconds.
    private static let questionInterval = TimeToLive.seconds(3)

    /// Asks the broker for a profile that was not there with the return, as often as it may be asked, as long as a late one
    /// is waited for.
    private func askForLateProfile(of open: OpenSignIn, since returned: Timestamp) async {
        let known = try? await withSession(of: open) { session in await session.questionPause }
        guard var pause = known ?? nil else {
            // Another process took the browser back, and goes on asking, unless it has stopped before it asked.
            _ = await ask(about: open)
            return
        }
        // What a later question finds would come too late.
        let last = returned + .seconds(7)
        repeat {
            let rest = last > now ? last.since(now).duration : .zero
            guard (try? await time.sleep(untilUptime: time.uptime + min(pause, rest))) != nil else { return }
            if await ask(about: open) != nil { return }
            pause = Self.questionInterval.duration
        } while now + Self.questionInterval <= last
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
