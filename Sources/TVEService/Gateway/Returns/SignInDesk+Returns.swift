#if Service
import EntitlementFlows
import EntitlementValues

/// The browser that came back, as far as its cookies tell.
struct ReturningBrowser: Sendable {
    /// Whether it has the device's own cookie.
    let isDevice: Bool
    /// Its mark, by which it is known if it comes back again: the one that it has, or a new one.
    let mark: String
    /// Whether it has the mark already.
    let isMarked: Bool
    /// Its mark as the one in which the user confirmed the device.
    let confirmed: String?
}

extension SignInDesk {
    /// Takes a browser that came back to an address of this device.
    ///
    /// The first browser that comes back counts. Which one comes first decides nothing by itself: it still has to prove
    /// that it is the device's. If another one comes back to the same address after it, one of them has signed in for
    /// another user's device, so the sign-in is void.
    ///
    /// - Parameters:
    ///   - browser: The browser.
    ///   - state: Stands in the address.
    ///   - signIns: The device's sign-ins.
    /// - Returns: What the browser finds.
    /// - Throws: `GatewayRefusal`, `EntitlementFlowError`.
    func take(
        _ browser: ReturningBrowser,
        at state: String,
        of signIns: DeviceSignIns
    ) async throws -> BrowserReturn {
        if let logout = signIns.logout, logout.state == state {
            try await change { signIns in
                if signIns.logout?.state == state { signIns.logout = nil }
            }
            _ = try? await withSession(signIns.current, returningTo: state) { session in
                try await session.handleExternalURL(gateway.returnAddress(state))
            }
            return .signedOut(returnTo: logout.returnTo)
        }
        if let open = signIns.open, open.state == state {
            return open.kind == .code
                ? try await takeActivation(browser, of: open) : try await takeLogin(browser, of: open)
        }
        if let proved = signIns.proved, proved.state == state {
            if browser.isSame(as: proved.mark) { return .done(returnTo: proved.returnTo) }
            let now = now
            if let gone = try await change({ $0.void(state, at: now) }) { await retire(gone, loggingOut: true) }
        } else if let gone = signIns.spent.first(where: { $0.state == state }) {
            // Its user has just signed in there.
            await logOut(gone)
        }
        return .ended
    }

    // MARK: First screen

    private func takeLogin(
        _ browser: ReturningBrowser,
        of open: OpenSignIn
    ) async throws -> BrowserReturn {
        guard case .away = open.phase else {
            let isSame = browser.isSame(as: open.mark) && isOwn(browser, in: open)
            guard isSame || isRepeated(browser, in: open) else {
                try await giveUp(open.state, because: .notProved, loggingOut: true)
                return .ended
            }
            await catchUp(with: open)
            return found(of: open)
        }
        let proof = try Self.randomText()
        let (now, state) = (now, open.state)
        let changed = try await change { signIns -> OpenSignIn? in
            guard let known = signIns.open, known.state == state, case .away = known.phase else { return nil }
            signIns.change(state) { open in
                open.mark = browser.mark
                open.phase = browser.isDevice ? .proven(at: now) : .returned(at: now)
                open.proof = browser.isDevice || open.returnTo == nil ? nil : proof
            }
            return signIns.open
        }
        guard let changed else {
            // Another browser came back in the same instant.
            try await giveUp(state, because: .notProved, loggingOut: true)
            return .ended
        }
        if let answer = await ask(about: changed), browser.isDevice {
            try await promote(changed, with: answer.mvpd, afterReturn: true)
        } else {
            remind(of: changed)
        }
        gateway.opened.signals.tell(key)
        return found(of: changed)
    }

    /// Asks the broker if that has not been done: the replica that took the browser first may have been killed before, and
    /// no other one asks as long as its lease on polling lasts.
    private func catchUp(with open: OpenSignIn) async {
        let known = try? await profile(of: open.number)
        guard known == nil else { return }
        _ = await ask(about: open)
        remind(of: open)
        gateway.opened.signals.tell(key)
    }

    /// Whether a browser that comes back again is the device's, if the first one was.
    private func isOwn(_ browser: ReturningBrowser, in open: OpenSignIn) -> Bool {
        guard case .returned = open.phase, browser.isDevice else { return true }
        return open.mark.map { browser.mark.isSameSecret(as: $0) } ?? false
    }

    /// Whether a proxy repeats the request of the browser that came back, because its answer was lost: over the same
    /// connection, and as soon as the proxy gives up.
    private func isRepeated(_ browser: ReturningBrowser, in open: OpenSignIn) -> Bool {
        guard case .returned(let at) = open.phase, !browser.isMarked, let mark = open.mark else { return false }
        return now < at + Self.repetitionTime && browser.mark.isSameSecret(as: mark)
    }

    /// How long a proxy may wait for a lost answer: longer than the longest long poll, for which proxies are set up.
    private static let repetitionTime = TimeToLive.seconds(60)

    private func found(of open: OpenSignIn) -> BrowserReturn {
        guard case .returned = open.phase else { return .done(returnTo: open.returnTo) }
        guard let proof = open.proof, let returnTo = open.returnTo else { return .ended }
        return .handOver(code: proof, returnTo: returnTo)
    }

    /// Sees to it that a sign-in ends that is not proved in time, or of which nothing comes.
    private func remind(of open: OpenSignIn) {
        let (keeper, state) = (gateway.opened.keeper, open.state)
        keeper.schedule("late \(state)", at: now + OpenSignIn.lateTime, by: time) { _ = try? await current?.status() }
        guard case .returned = open.phase else { return }
        keeper.schedule("proof \(state)", at: now + OpenSignIn.proofTime, by: time) { _ = try? await current?.status() }
    }

    // MARK: Second screen

    private func takeActivation(_ browser: ReturningBrowser, of open: OpenSignIn) async throws -> BrowserReturn {
        guard let mark = open.mark, browser.confirmed?.isSameSecret(as: mark) == true else {
            // The address of the login was forwarded: its user has not seen which device it is for.
            try await giveUp(open.state, because: .notProved, loggingOut: true)
            return .ended
        }
        guard let answer = await ask(about: open) else { return .notSignedIn(device: open.deviceName) }
        try await promote(open, with: answer.mvpd, afterReturn: true)
        return .activated(device: open.deviceName)
    }
}

extension ReturningBrowser {
    /// Whether it is the browser that was marked, or the device's own.
    fileprivate func isSame(as mark: String?) -> Bool {
        if isDevice { return true }
        guard let mark else { return false }
        return (isMarked && self.mark.isSameSecret(as: mark)) || confirmed?.isSameSecret(as: mark) == true
    }
}
#endif
