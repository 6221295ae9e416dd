#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues

extension SignInDesk {
    /// Takes a browser that came back to an address of this device.
    ///
    /// The broker is asked first, and then one change decides, on what is there then: while the broker answers, the
    /// sign-in may be proved, given up, or taken by another browser.
    ///
    /// - Parameters:
    ///   - browser: The browser.
    ///   - state: Stands in the address.
    ///   - signIns: The device's sign-ins, as they were read.
    /// - Returns: What the browser finds.
    /// - Throws: `GatewayRefusal`, `EntitlementFlowError`.
    func take(
        _ browser: ReturningBrowser,
        at state: String,
        of signIns: DeviceSignIns
    ) async throws -> BrowserReturn {
        let open = signIns.signInToAskAbout(for: browser, at: state)
        let mvpd = if let open { try await provider(of: open) } else { nil as MVPDID? }
        let (proof, now) = (try Self.randomText(), now)
        let came: Came
        do throws(GatewayRefusal) {
            came = try await gateway.devices.change(key) { device throws(GatewayRefusal) in
                let came = device.signIns.come(browser, to: state, finding: mvpd, proof: proof, at: now)
                if case .signedIn = came { device.facts.lastProvider = mvpd }
                return came
            }
        } catch {
            // The device may have been erased while the broker was asked.
            if let open { await gateway.eraseIfGone(open.number, of: key, in: app) }
            throw error
        }
        switch came {
        case .signedOut(let session, let returnTo):
            _ = try? await withSession(session, returningTo: state) { session in
                try await session.handleExternalURL(gateway.returnAddress(state))
            }
            return .signedOut(returnTo: returnTo)
        case .waits(let open):
            remind(of: open)
            gateway.opened.signals.tell(key)
            return found(of: open)
        case .signedIn(let open, let displaced):
            await signedIn(open, displacing: displaced)
            return open.kind == .code ? .activated(device: open.deviceName) : .done(returnTo: open.returnTo)
        case .notSignedIn(let open): return .notSignedIn(device: open.deviceName)
        case .held(let open): return try await settled(open)
        case .again(let proved): return .done(returnTo: proved.returnTo)
        case .void(let gone):
            await retire(gone, loggingOut: true)
            return .ended
        case .overtaken(let plays):
            await endPlays(plays, of: state)
            return .ended
        case .late(let gone):
            // Its user has just signed in there.
            await logOut(gone)
            return .ended
        case .unknown: return .ended
        }
    }

    /// The provider with which the broker has a profile of a sign-in; `nil` if it has none.
    private func provider(of open: OpenSignIn) async throws -> MVPDID? {
        // A reload asks only as long as the profile is not known.
        if open.isThere != nil, let known = try await profile(of: open.number) { return known.mvpd }
        return await ask(about: open)?.mvpd
    }

    private func found(of open: OpenSignIn) -> BrowserReturn {
        guard case .returned = open.phase else { return .done(returnTo: open.returnTo) }
        guard let proof = open.proof, let returnTo = open.returnTo else { return .ended }
        return .handOver(code: proof, returnTo: returnTo)
    }

    /// Waits until a profile counts that is held back.
    private func settled(_ open: OpenSignIn) async throws -> BrowserReturn {
        try await time.sleep(untilUptime: time.uptime + OpenSignIn.holdTime.duration)
        guard case .authenticated = try await status(),
            try await gateway.devices.record(of: key)?.signIns.proved?.state == open.state
        else { return .notSignedIn(device: open.deviceName) }
        return .activated(device: open.deviceName)
    }

    /// Sees to it that a sign-in ends that is not proved in time, or of which nothing comes.
    private func remind(of open: OpenSignIn) {
        look(at: "late \(open.state)", when: now + OpenSignIn.lateTime)
        guard case .returned = open.phase else { return }
        look(at: "proof \(open.state)", when: now + OpenSignIn.proofTime)
    }

    /// Sees to it that a sign-in ends whose device never asks again, and whose browser never comes back: a user may have
    /// signed in there all the same.
    func remindOfEnd(of open: OpenSignIn, at end: Timestamp) {
        let keeper = gateway.opened.keeper
        keeper.schedule("over \(open.state)", at: end, by: time, upTo: SignInKeeper.roomForReminders) {
            // As something of its own: the end of the sign-in cancels this, and must not cancel a logout.
            keeper.schedule("settle \(open.state)", at: now, by: time) { _ = try? await current?.status() }
        }
    }

    private func look(at name: String, when instant: Timestamp) {
        gateway.opened.keeper.schedule(name, at: instant, by: time) { _ = try? await current?.status() }
    }
}
#endif
