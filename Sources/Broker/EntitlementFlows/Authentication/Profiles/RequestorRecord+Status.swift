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
#endif
