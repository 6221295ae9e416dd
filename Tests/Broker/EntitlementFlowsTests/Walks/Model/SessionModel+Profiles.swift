#if Client
import EntitlementFlows

extension SessionModel {
    /// Asks the broker for the profile: of the provider that is known, else for all.
    ///
    /// - Returns: Whether another user is signed in than before, or none anymore; and whether temporary access is used up.
    @discardableResult
    mutating func refresh() throws(Failure) -> (isChange: Bool, isUsedUp: Bool) {
        look()
        let (before, epoch, time, chosen) = (signIn?.mvpd, epoch, now, choice)
        let mvpd = provider ?? profile?.mvpd
        if !unconfirmed.isEmpty { _ = try retryLogouts() }
        let place = origin(of: mvpd, with: chosen)
        let isKnown = mvpd.map { knows($0, at: place) } ?? true
        let (standing, all) = try askPlainly(mvpd.map { "profiles/\($0)" } ?? "profiles", at: place) {
            broker -> (BrokerModel.Standing, [BrokerModel.Profile]) in
            if let mvpd { return (broker.standing(with: mvpd, at: time), []) }
            return (broker.bestProfile(at: time).map { .signedIn($0) } ?? .signedOut, broker.profiles(at: time))
        }
        try check(epoch)
        guard isKnown else {
            // Nobody is signed in there, and the user chooses another one.
            if provider == mvpd { choice = nil }
            keep(nil)
            return (signIn?.mvpd != before, false)
        }
        switch standing {
        case .signedIn(let found):
            if adopt(found) {
                for other in all where other.mvpd != found.mvpd { remember(other.mvpd) }
            }
        case .signedOut: keep(nil)
        case .usedUp:
            keep(nil)
            lastSignIn = nil
        }
        let isUsedUp = if case .usedUp = standing { true } else { false }
        return (signIn?.mvpd != before, isUsedUp)
    }

    /// Whether the user is signed in, as far as the device knows; `nil` if it does not.
    var status: Bool? { profile == nil && !isAsked ? nil : signIn != nil }

    mutating func checkAuthentication(_ source: StatusSource) throws(Failure) -> String {
        look()
        if status == nil, source == .localOnly { return "unknown" }
        guard status == nil || source == .broker else {
            tellStatus()
            return signInText
        }
        let (isChange, isUsedUp) = try refresh()
        // The authorization that waits for a sign-in goes on; who waits for a code waits for another sign-in than the known.
        if signIn != nil { return succeed(endingWatch: isChange) }
        tellStatus()
        if isUsedUp { tell("status N111 (Warning)") }
        return signInText
    }

    mutating func tellStatus() {
        if signIn != nil { return tellSignIn() }
        tell("not authenticated", "status N000 (Info)", "tracking of authentication")
    }

    /// The app is in the foreground: only changes are told.
    ///
    /// - Returns: Whether the user is signed in.
    mutating func foreground() throws(Failure) -> String {
        let (isChange, isUsedUp) = try refresh()
        if isChange, signIn != nil { return succeed() }
        if isChange {
            tell("not authenticated")
            if isUsedUp { tell("status N111 (Warning)") }
            tell("tracking of authentication")
        }
        return status == nil ? "unknown" : signInText
    }

    mutating func authenticationTTL() throws(Failure) -> String {
        if status == nil || (signIn != nil && signIn?.until == nil) { try refresh() }
        return "until \(signIn?.until.map { "\($0)" } ?? "?")"
    }

    func authorizationTTL(of resource: String) -> String {
        let end = signIn.flatMap { decisions["\($0.mvpd) \(resource)"] }.flatMap { now < $0 ? $0 : nil }
        return "until \(end.map { "\($0)" } ?? "?")"
    }

    // MARK: Logout

    /// Signs the user out.
    ///
    /// - Parameter providers: At which providers.
    /// - Returns: What the call returns, as text.
    /// - Throws: The failure that the call ends with.
    mutating func logOut(of providers: [String]) throws(Failure) -> String {
        let (chosen, temporary) = (choice, providers.filter(isTemporary))
        raiseEpoch()
        for mvpd in providers { markLogout(of: mvpd) }
        if profile == nil { isAsked = true }
        if provider.map({ providers.contains($0) }) ?? true { choice = nil }
        (permits, denials) = ([:], [:])
        endPending()
        var (visits, failed) = (0, [String]())
        for mvpd in providers {
            do throws(Failure) {
                // There is nothing to sign out of with temporary access.
                if !temporary.contains(mvpd), try sendLogout(of: mvpd, with: chosen) { visits += 1 }
                unconfirmed[mvpd] = nil
            } catch {
                failed.append(mvpd)
            }
        }
        knowsRegistration = isRegistered
        afterLogout = visits == 0 ? nil : .visits(visits)
        // A browser opens one page at a time.
        if visits > 0 {
            tell("the browser opens an address")
        } else {
            tell(signIn == nil ? "not authenticated" : "authenticated")
        }
        return "\(visits) visits, unconfirmed: \(failed.sorted())"
    }

    /// Signs the user out here, and marks the logout until the broker has confirmed it.
    mutating func markLogout(of mvpd: String) {
        raiseEpoch()
        if profile?.mvpd == mvpd { keep(nil) }
        others[mvpd] = nil
        if lastSignIn == mvpd { lastSignIn = nil }
        unconfirmed[mvpd] = max(now, unconfirmed[mvpd] ?? now)
        decisions = decisions.filter { !$0.key.hasPrefix("\(mvpd) ") }
    }

    /// Tries logouts again that the broker has not confirmed, but for one with which the user has signed in since.
    ///
    /// - Returns: Those that failed again.
    mutating func retryLogouts() throws(Failure) -> [String] {
        var failed: [String] = []
        let chosen = choice
        for mvpd in unconfirmedLogouts {
            if profile?.mvpd != mvpd {
                do throws(Failure) {
                    _ = try sendLogout(of: mvpd, with: chosen)
                } catch {
                    failed.append(mvpd)
                }
            }
        }
        unconfirmed = unconfirmed.filter { failed.contains($0.key) }
        return failed
    }

    /// The providers whose logouts the broker has not confirmed: the oldest first.
    var unconfirmedLogouts: [String] { Self.oldestFirst(unconfirmed) }

    static func oldestFirst(_ instants: [String: Int64]) -> [String] {
        instants.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    private mutating func sendLogout(of mvpd: String, with choice: Choice?) throws(Failure) -> Bool {
        // Another origin would not know the profile, and what it answers would pass for a logout.
        _ = try findOrigin(of: mvpd, with: choice)
        let time = now
        return try askPlainly("logout/\(mvpd)", at: origin(of: mvpd, with: choice)) {
            $0.logOut(of: mvpd, at: time)
        } && !isTelevision
    }
}
#endif
