#if Client
@testable import EntitlementFlows

extension SessionModel {
    /// Asks the broker for the profile: of the provider that is known, else for all.
    ///
    /// - Returns: Whether another user is signed in than before, or none anymore.
    mutating func refresh() throws(Failure) -> Bool {
        let (before, epoch, time) = (signIn?.mvpd, epoch, now)
        let mvpd = provider ?? profile?.mvpd
        if !unconfirmed.isEmpty { _ = try retryLogouts() }
        let (found, all) = try askPlainly(mvpd.map { "profiles/\($0)" } ?? "profiles") { broker in
            let all = mvpd == nil ? broker.profiles(at: time) : []
            return (mvpd.map { broker.profile(of: $0, at: time) } ?? broker.bestProfile(at: time), all)
        }
        try check(epoch)
        if adopt(found) {
            for other in all where other.mvpd != found?.mvpd { remember(other.mvpd) }
        }
        if provider == "Elsewhere" { provider = nil }
        return signIn?.mvpd != before
    }

    /// Whether the user is signed in, as far as the device knows; `nil` if it does not.
    var status: Bool? { profile == nil && !isAsked ? nil : signIn != nil }

    mutating func checkAuthentication(_ source: StatusSource) throws(Failure) -> String {
        if status == nil, source == .localOnly { return "unknown" }
        if status == nil || source == .broker { _ = try refresh() }
        tellStatus()
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
        let isChange = try refresh()
        if isChange, signIn != nil { return succeed() }
        if isChange { tell("not authenticated", "tracking of authentication") }
        return status == nil ? "unknown" : signInText
    }

    mutating func authenticationTTL() throws(Failure) -> String {
        if status == nil || (signIn != nil && signIn?.until == nil) { _ = try refresh() }
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
        raiseEpoch()
        for mvpd in providers {
            if profile?.mvpd == mvpd { keep(nil) }
            others[mvpd] = nil
            if lastSignIn == mvpd { lastSignIn = nil }
            unconfirmed[mvpd] = max(now, unconfirmed[mvpd] ?? now)
            decisions = decisions.filter { !$0.key.hasPrefix("\(mvpd) ") }
        }
        if profile == nil { isAsked = true }
        if provider.map({ providers.contains($0) }) ?? true { provider = nil }
        permits = [:]
        endPending()
        var (visits, failed) = (0, [String]())
        for mvpd in providers {
            do throws(Failure) {
                if try sendLogout(of: mvpd) { visits += 1 }
                unconfirmed[mvpd] = nil
            } catch {
                failed.append(mvpd)
            }
        }
        openLogouts = visits
        for _ in 0..<visits { tell("the browser opens an address") }
        if visits == 0 { tell(signIn == nil ? "not authenticated" : "authenticated") }
        return "\(visits) visits, unconfirmed: \(failed.sorted())"
    }

    /// Tries logouts again that the broker has not confirmed, but for one with which the user has signed in since.
    ///
    /// - Returns: Those that failed again.
    mutating func retryLogouts() throws(Failure) -> [String] {
        var failed: [String] = []
        for mvpd in unconfirmedLogouts {
            if profile?.mvpd != mvpd {
                do throws(Failure) {
                    _ = try sendLogout(of: mvpd)
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

    private mutating func sendLogout(of mvpd: String) throws(Failure) -> Bool {
        let time = now
        return try askPlainly("logout/\(mvpd)") { $0.logOut(of: mvpd, at: time) } && !isTelevision
    }
}
#endif
