public import EntitlementValues
import ServiceResponses

extension RequestorRecord {
    // MARK: Codes

    /// Makes all earlier waits void: for a new sign-in, a cancelled one, or a logout.
    ///
    /// - Returns: The new epoch, which a code of the new sign-in carries.
    @discardableResult
    public mutating func raiseEpoch() -> Int64 {
        epoch += 1
        (pendingCode, lease) = (nil, nil)
        return epoch
    }

    /// Keeps an activation code unless there is a later one: the later epoch wins, and in one epoch the later end.
    ///
    /// - Parameter code: The code.
    /// - Returns: Whether the code is kept.
    @discardableResult
    public mutating func adopt(_ code: PendingCode) -> Bool {
        guard code.epoch >= epoch else { return false }
        if let known = pendingCode, known.isLater(than: code) { return false }
        if pendingCode != code { lease = nil }
        (pendingCode, epoch) = (code, code.epoch)
        return true
    }

    /// Forgets an activation code that was used, replaced or cancelled, unless another has taken its place.
    ///
    /// - Parameter code: The code.
    public mutating func drop(_ code: PendingCode) {
        if pendingCode == code { (pendingCode, lease) = (nil, nil) }
    }

    // MARK: Leases

    /// Takes or renews the lease on polling, if no other session holds it.
    ///
    /// - Parameters:
    ///   - poller: A name of the one that polls, random and its own.
    ///   - now: The time of day.
    /// - Returns: Whether `poller` polls now, for ``PollingLease/duration``.
    public mutating func takeLease(as poller: String, at now: Timestamp) -> Bool {
        if let lease, lease.holds(at: now), lease.poller != poller { return false }
        lease = PollingLease(poller: poller, until: now + PollingLease.duration)
        return true
    }

    /// Gives the lease on polling back.
    ///
    /// - Parameter poller: The one that polled; the lease of another stays.
    public mutating func releaseLease(of poller: String) {
        if lease?.poller == poller { lease = nil }
    }

    // MARK: Profiles

    /// Keeps what the broker answered about the profile: its last answer wins.
    ///
    /// An answer from a time that the clock leapt ahead to, and back from, must not lock out those that come after it.
    ///
    /// A profile that is older than a logout is not adopted: otherwise a logout that the broker did not hear of would undo
    /// itself.
    ///
    /// - Parameters:
    ///   - profile: The profile; `nil` if the broker has none.
    ///   - asked: When the broker was asked.
    /// - Returns: Whether the answer is kept.
    @discardableResult
    public mutating func adopt(_ profile: ProfileHint?, askedAt asked: Timestamp) -> Bool {
        if let known = self.asked, known > asked, known <= asked + Self.maximumSkew { return false }
        if let profile, let logout = logouts[profile.mvpd], (profile.notBefore ?? asked) <= logout {
            return false
        }
        if let profile {
            if self.profile?.mvpd != profile.mvpd { rememberProfile(at: asked) }
            otherProfiles[profile.mvpd] = nil
            lastSignIn = profile.mvpd
        }
        (self.profile, self.asked) = (profile, asked)
        return true
    }

    /// Forgets the profile here, because the user changes to another provider: at the broker it lives on, and is one of
    /// ``otherProfiles`` from now on.
    ///
    /// - Parameter now: The time of day.
    public mutating func leaveProfile(at now: Timestamp) {
        rememberProfile(at: now)
        adopt(nil, askedAt: now)
    }

    /// Keeps in mind that the broker has a further profile, unless it is to be taken away there anyway.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - now: The time of day.
    public mutating func rememberProfile(mvpd: MVPDID, at now: Timestamp) {
        guard logouts[mvpd] == nil else { return }
        otherProfiles[mvpd] = now
        Self.dropOldest(of: &otherProfiles, over: Self.maximumOtherProfiles)
    }

    /// Keeps in mind that the broker has the profile of now, unless it has ended: it has another one from now on.
    private mutating func rememberProfile(at now: Timestamp) {
        guard let profile, profile.notAfter.map({ now < $0 }) ?? true, !isTemporary(profile.mvpd) else { return }
        rememberProfile(mvpd: profile.mvpd, at: now)
    }

    /// Whether a provider stands for temporary access, from which there is nothing to sign out.
    ///
    /// - Parameter mvpd: The provider.
    /// - Returns: `false` if that is not known.
    public func isTemporary(_ mvpd: MVPDID) -> Bool {
        if let profile, profile.mvpd == mvpd, profile.profile?.type == .temporary { return true }
        return provider?.id == mvpd && provider?.isTemporary == true
    }

    private static func dropOldest(of instants: inout [MVPDID: Timestamp], over count: Int) {
        if instants.count > count, let oldest = instants.min(by: { $0.value < $1.value }) { instants[oldest.key] = nil }
    }

    /// Notes that the user could not sign in, or is not signed in anymore before the profile's end.
    public mutating func noteFailedSignIn() { lastSignIn = nil }

    // MARK: Logouts

    /// Signs the user out here: forgets the profile and what is under way, and marks the logout until it is confirmed.
    ///
    /// - Parameters:
    ///   - mvpd: The provider; the profile of another one stays.
    ///   - now: The time of day.
    public mutating func logOut(mvpd: MVPDID, at now: Timestamp) {
        raiseEpoch()
        if profile?.mvpd == mvpd { profile = nil }
        if lastSignIn == mvpd { lastSignIn = nil }
        otherProfiles[mvpd] = nil
        logouts[mvpd] = max(now, logouts[mvpd] ?? now)
        decisions.removeAll { $0.mvpd == mvpd }
        Self.dropOldest(of: &logouts, over: Self.maximumLogouts)
    }

    /// Takes a mark away once the broker has confirmed the logout.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - mark: When the confirmed logout was made; the mark of a later one stays.
    public mutating func confirmLogout(mvpd: MVPDID, markedAt mark: Timestamp) {
        if let known = logouts[mvpd], known <= mark { logouts[mvpd] = nil }
    }

    // MARK: Decisions and partners

    /// Keeps when a resource was decided on; the later decision wins.
    ///
    /// - Parameter decision: The times.
    public mutating func adopt(_ decision: DecisionTime) {
        if let place = decisions.firstIndex(where: { $0.isAboutSame(as: decision) }) {
            guard decisions[place].decided <= decision.decided else { return }
            decisions[place] = decision
        } else {
            decisions.append(decision)
        }
        if decisions.count > Self.maximumDecisions,
            let oldest = decisions.indices.min(by: { decisions[$0].decided < decisions[$1].decided })
        {
            decisions.remove(at: oldest)
        }
    }

    /// Keeps what the device's sign-on partner said: what it said last.
    ///
    /// A status from a time that the clock leapt ahead to, and back from, does not lock out those that come after it.
    ///
    /// - Parameter partner: What it said.
    /// - Returns: Whether it is kept.
    @discardableResult
    public mutating func adopt(_ partner: PartnerStatusHint) -> Bool {
        if let known = self.partner, known.said > partner.said, known.said <= partner.said + Self.maximumSkew {
            return false
        }
        self.partner = partner
        return true
    }

    /// Forgets what has ended: codes, leases, the partner's status, decision times.
    ///
    /// A profile that has ended stays, since the user is told so.
    ///
    /// - Parameter now: The time of day.
    mutating func dropExpired(at now: Timestamp) {
        if let code = pendingCode, code.until <= now { pendingCode = nil }
        if let lease, !lease.holds(at: now) { self.lease = nil }
        if let partner, partner.until <= now { self.partner = nil }
        decisions.removeAll { ($0.notAfter ?? .init(milliseconds: .max)) <= now }
    }
}
