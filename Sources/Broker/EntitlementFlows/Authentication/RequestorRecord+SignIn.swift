#if Client
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension RequestorRecord {
    /// Whether the user is signed in, as far as the record tells; `.unknown` if the broker was never asked.
    func status(at now: Timestamp) -> AuthenticationStatus {
        if let profile {
            guard profile.isLive(at: now) else { return .notAuthenticated }
            return .authenticated(
                SignIn(
                    mvpd: profile.mvpd, until: profile.notAfter, because: profile.profile?.reason,
                    isTemporary: isTemporary(profile.mvpd)))
        }
        return asked == nil ? .unknown : .notAuthenticated
    }

    /// Whether the user neither is signed in nor is about to, so that the device's own account may sign in.
    func isIdle(at now: Timestamp) -> Bool { signIn(at: now) == nil && pendingCode == nil }

    /// Whether it was found within a time that there is no profile, by the broker's word or by a logout, and nothing is known
    /// that may have changed that.
    func isKnownToLackProfile(for time: TimeToLive, at now: Timestamp) -> Bool {
        guard let asked, profile == nil, pendingCode == nil, otherProfiles.isEmpty, logouts.isEmpty
        else { return false }
        return asked <= now && now < asked + time
    }

    /// The sign-in that counts now; `nil` if there is none.
    func signIn(at now: Timestamp) -> SignIn? {
        guard case .authenticated(let signIn) = status(at: now) else { return nil }
        return signIn
    }
}

extension Profile {
    /// Why a user with this profile counts as signed in, if that is a rule for the provider's failure or temporary access.
    var reason: SessionReason? {
        switch type {
        case .degraded: .degraded
        case .temporary: .temporary
        default: nil
        }
    }
}

extension ProfileHint {
    /// Whether the profile counts, as far as is known; one of unknown end does.
    func isLive(at now: Timestamp) -> Bool { notAfter.map { now < $0 } ?? true }

    /// Whether two profiles are the same sign-in: attributes may change during one.
    func isSameSignIn(as other: ProfileHint) -> Bool {
        guard mvpd == other.mvpd else { return false }
        guard let begin = notBefore, let otherBegin = other.notBefore else { return true }
        return begin == otherBegin
    }
}

extension RequestorRecord {
    /// The providers with which the user may be signed in: chosen, of the profile, of further profiles at the broker,
    /// of a decision that holds, and of logouts that the broker has not confirmed.
    ///
    /// They come in the order in which the broker is asked. `noted` are decisions that are not in the record yet.
    private func knownProviders(with noted: [DecisionTime], at now: Timestamp) -> [MVPDID] {
        let deciders = Set((decisions + noted).filter { $0.notAfter.map { $0 > now } ?? true }.map(\.mvpd))
        let all =
            [provider?.id, profile?.mvpd].compactMap(\.self) + Self.oldestFirst(otherProfiles)
            + deciders.sorted { $0.rawValue < $1.rawValue } + unconfirmedLogouts
        var seen: Set<MVPDID> = []
        return all.filter { seen.insert($0).inserted }
    }

    /// The providers whose logouts the broker has not confirmed: the oldest first.
    var unconfirmedLogouts: [MVPDID] { Self.oldestFirst(logouts) }

    private static func oldestFirst(_ instants: [MVPDID: Timestamp]) -> [MVPDID] {
        instants.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }.map(\.key)
    }

    /// Clears what belongs to sign-ins, and marks the logouts until the broker has confirmed them.
    ///
    /// What the device's partner said stays, since it is about the device's own account. `noted` are decisions that are
    /// not in the record yet. Returns the providers, in the order in which the broker is asked.
    mutating func signOut(_ scope: LogoutScope, noted: [DecisionTime], at now: Timestamp) -> [MVPDID] {
        let providers: [MVPDID] =
            switch scope {
            case .all: knownProviders(with: noted, at: now)
            case .mvpd(let mvpd): [mvpd]
            }
        raiseEpoch()
        for mvpd in providers { logOut(mvpd: mvpd, at: now) }
        if provider.map({ providers.contains($0.id) }) ?? true { (provider, identity) = (nil, nil) }
        // From now on it is known that a profile does not exist, even if the broker was never asked.
        if profile == nil { adopt(nil, askedAt: now) }
        return providers
    }
}
#endif
