#if Service
package import EntitlementValues

/// The browser that came back, as far as its cookies tell.
package struct ReturningBrowser: Sendable {
    /// Whether it has the device's own cookie.
    let isDevice: Bool
    /// Its mark, by which it is known if it comes back again: the one that it has, or a new one.
    let mark: String
    /// Whether it has the mark already.
    let isMarked: Bool
    /// Its mark as the one in which the user confirmed the device.
    let confirmed: String?

    package init(isDevice: Bool, mark: String, isMarked: Bool, confirmed: String?) {
        (self.isDevice, self.mark, self.isMarked, self.confirmed) = (isDevice, mark, isMarked, confirmed)
    }

    /// Whether it is the browser that was marked, or the device's own.
    fileprivate func isSame(as mark: String?) -> Bool {
        if isDevice { return true }
        guard let mark else { return false }
        return (isMarked && self.mark.isSameSecret(as: mark)) || isConfirmed(by: mark)
    }

    /// Whether the user confirmed the device in it.
    fileprivate func isConfirmed(by mark: String) -> Bool { confirmed?.isSameSecret(as: mark) == true }

    /// Whether a proxy repeats the request of the browser that was marked at an instant, because its answer was lost: over
    /// the same connection, and as soon as the proxy gives up.
    fileprivate func isRepetition(of mark: String?, since marked: Timestamp, at now: Timestamp) -> Bool {
        guard !isMarked, let mark else { return false }
        return now < marked + Self.repetitionTime && self.mark.isSameSecret(as: mark)
    }

    /// How long a proxy may wait for a lost answer: longer than the longest long poll, for which proxies are set up.
    private static let repetitionTime = TimeToLive.seconds(60)
}

/// What comes of a browser that came back.
package enum ReturnDecision: Sendable, Hashable {
    /// A page of a logout is done; the session that it was of.
    case signedOut(session: Int64, returnTo: String?)
    /// The sign-in goes on: a proof, or the broker's word, is waited for.
    case waits(OpenSignIn)
    /// The device is signed in. The session that counted before is used no more.
    case signedIn(OpenSignIn, displaced: Int64)
    /// No user has signed in on the second screen yet.
    case notSignedIn(OpenSignIn)
    /// The user has signed in on the second screen, and was not seen with its first return: the profile is held back.
    case held(OpenSignIn)
    /// The browser of a sign-in that is proved came once more.
    case again(ProvedSignIn)
    /// Two browsers came, or one in which no user has confirmed: the sign-in is void.
    case void(SpentSignIn)
    /// Two browsers came, and another sign-in has taken the place of this one since: only its plays are left.
    case overtaken([NotedPlay])
    /// The sign-in was given up before; its user has just signed in there.
    case late(SpentSignIn)
    /// Nothing is known of the address.
    case unknown
}

/// What a one-time code proves.
package enum ProofDecision: Sendable, Hashable {
    /// That the browser of the sign-in under way came back to the device.
    case proved(OpenSignIn)
    /// The same of the sign-in that counts, once more.
    case again(session: Int64)
    /// Nothing.
    case refused
}

/// A sign-in as it was when its profile was looked up.
package struct SeenSignIn: Sendable, Hashable {
    let signIn: OpenSignIn
    /// The profile; `nil` if there was none, or if it was not looked up because it decides nothing.
    let profile: KnownProfile?

    package init(_ signIn: OpenSignIn, _ profile: KnownProfile?) { (self.signIn, self.profile) = (signIn, profile) }
}

/// How far a device is with signing in.
package enum SignInProgress: Sendable, Hashable {
    /// No sign-in is under way; the session whose profile counts, and why the last sign-in ended without one.
    case none(session: Int64, SignInEnd?)
    /// It is under way.
    case pending(OpenSignIn)
    /// The sign-in counts from now on. The session that counted before is used no more.
    case signedIn(OpenSignIn, with: MVPDID, displaced: Int64)
    /// It was given up, and a user may have signed in there already.
    case gone(SpentSignIn, logsOut: Bool)
    /// It is not the one any more whose profile was looked up, or not as far.
    case moved
}

/// What comes of a request to begin a sign-in.
package enum StartDecision: Sendable, Hashable {
    /// It has begun, in the place of one that was under way.
    case begun(OpenSignIn, insteadOf: SpentSignIn?)
    /// Too many were given up; a place is free from an instant on.
    case full(until: Timestamp)
    /// Another session counts than the one whose profile was looked up.
    case moved
}

// What one change of a device's sign-ins decides. None of it knows a store or the broker. It runs inside of the change,
// on the record as it is then: a sign-in that was read before may have been promoted, proved or given up since.

extension DeviceSignIns {
    /// Begins a sign-in.
    ///
    /// The state stands in the address of the return, and the return page sends the browser to `returnTo`. `seen` is
    /// the session that counted when its profile was looked up, and whether a user is signed in with it. The sign-in
    /// ends at `end` unless the broker says otherwise.
    package mutating func start(
        _ state: String,
        returnTo: String?,
        keeping seen: (session: Int64, isSignedIn: Bool),
        at now: Timestamp,
        until end: Timestamp
    ) -> StartDecision {
        guard current == seen.session else { return .moved }
        let waiting = spent.map(\.clearing).filter { $0 > now }
        if waiting.count >= Self.maximumSpent { return .full(until: waiting.min() ?? now) }
        let gone = giveUp(because: .cancelled)
        let signIn = begin(
            state: state, returnTo: returnTo, keepingCurrent: seen.isSignedIn, at: now, until: end)
        return .begun(signIn, insteadOf: gone)
    }

    // MARK: Returns

    /// The sign-in that the broker is asked about before a browser that came back is taken.
    ///
    /// The state stands in the address that the browser came to. `nil` if nothing that the broker says would count.
    package func signInToAskAbout(for browser: ReturningBrowser, at state: String) -> OpenSignIn? {
        guard let open, open.state == state else { return nil }
        switch (open.kind, open.phase) {
        case (.code, _): return open.mark.map { browser.isConfirmed(by: $0) } == true ? open : nil
        case (.browser, .away): return open
        case (.browser, _): return open.isThere != true && browser.isSame(as: open.mark) ? open : nil
        }
    }

    /// Takes a browser that came back.
    ///
    /// The first browser that comes back counts. Which one comes first decides nothing by itself: it still has to prove
    /// that it is the device's. If another one comes back to the same address after it, one of them has signed in for
    /// another user's device, so the sign-in is void.
    ///
    /// The state stands in the address that the browser came to. `mvpd` is the provider with which the broker had a
    /// profile of the sign-in just now; `nil` if it had none. `proof` is a one-time code for the app, if there is none
    /// yet.
    package mutating func come(
        _ browser: ReturningBrowser,
        to state: String,
        finding mvpd: MVPDID?,
        proof: String,
        at now: Timestamp
    ) -> ReturnDecision {
        if var logout, logout.state == state {
            logout.pages -= 1
            self.logout = logout.pages > 0 ? logout : nil
            return .signedOut(session: current, returnTo: logout.returnTo)
        }
        if let open, open.state == state {
            return open.kind == .code
                ? comeToSecondScreen(browser, of: open, finding: mvpd, at: now)
                : comeToFirstScreen(browser, of: open, finding: mvpd, proof: proof, at: now)
        }
        if let proved = provedSignIn(state) {
            if browser.isSame(as: proved.mark) || browser.isRepetition(of: proved.mark, since: proved.at, at: now) {
                return .again(proved)
            }
            guard now < proved.at + OpenSignIn.proofTime else { return .unknown }
            if let gone = void(state, at: now) { return .void(gone) }
            return .overtaken(forget(proved))
        }
        return spent.first { $0.state == state }.map { .late($0) } ?? .unknown
    }

    private mutating func comeToFirstScreen(
        _ browser: ReturningBrowser,
        of open: OpenSignIn,
        finding mvpd: MVPDID?,
        proof: String,
        at now: Timestamp
    ) -> ReturnDecision {
        switch open.phase {
        case .away: break
        case .returned(let marked):
            // The device's own cookie alone is not enough here: the first browser did not have it.
            let isFirst =
                browser.isSame(as: open.mark)
                && (!browser.isDevice || open.mark.map { browser.mark.isSameSecret(as: $0) } == true)
            if isFirst || browser.isRepetition(of: open.mark, since: marked, at: now) { return .waits(open) }
            return giveUp(because: .notProved).map { .void($0) } ?? .unknown
        case .proven(let marked):
            if browser.isSame(as: open.mark) || browser.isRepetition(of: open.mark, since: marked, at: now) {
                return .waits(open)
            }
            return giveUp(because: .notProved).map { .void($0) } ?? .unknown
        }
        var first = open
        first.mark = browser.mark
        first.phase = browser.isDevice ? .proven(at: now) : .returned(at: now)
        first.proof = browser.isDevice || open.returnTo == nil ? nil : proof
        first.isThere = mvpd != nil
        change(open.state) { $0 = first }
        guard browser.isDevice, mvpd != nil, let displaced = promote(open.state, afterReturn: true, at: now) else {
            return .waits(first)
        }
        return .signedIn(first, displaced: displaced)
    }

    private mutating func comeToSecondScreen(
        _ browser: ReturningBrowser,
        of open: OpenSignIn,
        finding mvpd: MVPDID?,
        at now: Timestamp
    ) -> ReturnDecision {
        guard let mark = open.mark, browser.isConfirmed(by: mark) else {
            // The address of the login was forwarded: its user has not seen which device it is for.
            return giveUp(because: .notProved).map { .void($0) } ?? .unknown
        }
        guard open.isThere == nil else { return mvpd == nil ? .notSignedIn(open) : .held(open) }
        change(open.state) { $0.isThere = mvpd != nil }
        guard mvpd != nil, let displaced = promote(open.state, afterReturn: true, at: now) else {
            return .notSignedIn(open)
        }
        return .signedIn(open, displaced: displaced)
    }

    // MARK: Proofs

    /// Takes the one-time code that the return page handed to the app.
    ///
    /// An app whose answer was lost sends the code again, and so does a proxy for it: that changes nothing.
    package mutating func prove(by code: String, at now: Timestamp) -> ProofDecision {
        if let proved, proved.number == current, proved.isProved(by: code, at: now) {
            return .again(session: proved.number)
        }
        guard var open, open.isProved(by: code, at: now) else { return .refused }
        if case .returned(let at) = open.phase { open.phase = .proven(at: at) }
        change(open.state) { [open] in $0 = open }
        return .proved(open)
    }

    /// Notes the provider that the user of a code chose, and the browser in which the device was confirmed.
    ///
    /// The first browser counts: a second one would take the sign-in from the user who signs in there.
    ///
    /// A provider that is there already stays. The mark is what the browser has as a cookie; `nil` leaves it as it is.
    /// Returns the provider that counts; `nil` if another sign-in is under way, or none, or if the device was confirmed
    /// in another browser.
    package mutating func confirm(_ state: String, choosing mvpd: MVPDID, mark: String?) -> MVPDID? {
        if let mark, let known = open?.mark, !known.isSameSecret(as: mark) { return nil }
        guard
            change(
                state,
                { signIn in
                    signIn.mvpd = signIn.mvpd ?? mvpd
                    signIn.mark = mark ?? signIn.mark
                })
        else { return nil }
        return open?.mvpd
    }

    // MARK: Status

    /// The sign-in under way whose profile decides something now; `nil` if none does.
    package func decidedByProfile(at now: Timestamp) -> OpenSignIn? {
        guard let open else { return nil }
        switch open.phase {
        case .away: return open.kind == .code ? open : nil
        case .returned(let at): return now >= at + OpenSignIn.lateTime ? open : nil
        case .proven: return open
        }
    }

    /// Takes a sign-in over that has become good, and gives up one that has ended; returns how far the device is.
    ///
    /// `seen` is the sign-in and its profile, if it is one that the profile decides.
    package mutating func settle(_ seen: SeenSignIn?, at now: Timestamp) -> SignInProgress {
        guard let open else { return .none(session: current, end) }
        if decidedByProfile(at: now) != nil {
            guard let seen, seen.signIn.state == open.state, seen.signIn.phase == open.phase,
                seen.signIn.kind == open.kind
            else { return .moved }
            if let verdict = judge(open, seen, at: now) { return verdict }
        }
        if case .returned(let at) = open.phase, now >= at + OpenSignIn.proofTime {
            return end(because: .notProved, loggingOut: true, at: now)
        }
        return now < open.until ? .pending(open) : end(because: .codeEnded, loggingOut: false, at: now)
    }

    /// What the profile of a sign-in says; `nil` if nothing yet.
    private mutating func judge(_ open: OpenSignIn, _ seen: SeenSignIn, at now: Timestamp) -> SignInProgress? {
        guard let profile = seen.profile else {
            switch open.phase {
            case .returned(let at), .proven(let at):
                guard now >= at + OpenSignIn.lateTime else { return nil }
                return end(because: .notSignedIn, loggingOut: false, at: now)
            case .away: return nil
            }
        }
        switch open.phase {
        case .returned: return nil
        case .proven: break
        case .away:
            // Also if it was confirmed since. The address of the login was forwarded: its user has not seen which device it is for.
            if seen.signIn.mark == nil { return end(because: .notProved, loggingOut: true, at: now) }
        }
        guard open.isThere == true || now >= profile.asked + OpenSignIn.holdTime,
            let displaced = promote(open.state, afterReturn: true, at: now)
        else { return nil }
        return .signedIn(open, with: profile.mvpd, displaced: displaced)
    }

    private mutating func end(
        because reason: SignInEnd,
        loggingOut logsOut: Bool,
        at now: Timestamp
    ) -> SignInProgress {
        giveUp(because: reason).map { .gone($0, logsOut: logsOut) } ?? .moved
    }
}
#endif
