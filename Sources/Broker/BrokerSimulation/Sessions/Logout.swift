#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `GET /SP/logout/MVPD`: deletes the profile, and says what else is to be done.
    ///
    /// With an identity it is a single logout: from all providers of the brand with which the identity is signed in.
    mutating func logOut(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        let mvpd = try integration(MVPDID(route[.mvpd]), of: requestor, state.world)
        guard let redirectURL = FormFields(filledIn: query)?["redirectUrl"],
            requestor.allows(redirectURL: redirectURL)
        else { throw .code(.invalidParameterRedirectURL) }
        var viewer = try viewer(of: mvpd, requestor, holder: holder(client), needsIdentity: false)
        // A partner's profile is deleted whatever the platform says today.
        viewer.partnerMapping = mvpd.partner?.mappingID
        let standing = state.standing(of: viewer, with: mvpd, at: now)
        state.removeProfiles(of: viewer, with: mvpd.id)
        var steps = [step(for: standing, at: mvpd, of: requestor, redirectURL: redirectURL)]
        for other in requestor.mvpds.compactMap({ state.world.mvpd($0) }) where other.id != mvpd.id {
            guard let (profile, type) = state.sharedProfile(of: viewer, with: other, at: now) else { continue }
            state.removeProfile(profile, of: viewer)
            steps.append(step(for: .signedIn(profile, as: type), at: other, of: requestor, redirectURL: redirectURL))
        }
        return .json(LogoutResponse(logouts: steps).encoded())
    }

    private func step(
        for standing: Standing,
        at mvpd: SimulatedMVPD,
        of requestor: SimulatedRequestor,
        redirectURL: String
    ) -> LogoutStep {
        switch standing {
        case .degraded, .temporary: return LogoutStep(key: mvpd.id, actionName: .complete, actionType: .noAction)
        case .expired, .missing: return LogoutStep(key: mvpd.id, actionName: .invalid, actionType: .noAction)
        case .signedIn(_, .appleSSO):
            return LogoutStep(key: mvpd.id, actionName: .partnerLogout, actionType: .partnerInteractive)
        case .signedIn where !mvpd.hasLogoutPage:
            return LogoutStep(key: mvpd.id, actionName: .complete, actionType: .noAction)
        case .signedIn:
            let back = Percent.encode(redirectURL.utf8)
            return LogoutStep(
                key: mvpd.id, actionName: .logout, actionType: .interactive,
                url: "/sim/logout/\(requestor.id.rawValue.pathSegment)?redirectUrl=\(back)")
        }
    }
}

extension SimulatorState {
    /// Deletes the device's own profile, and with the identities that came along those of all their devices.
    mutating func removeProfiles(of viewer: Viewer, with mvpd: MVPDID) {
        removeProfile(of: viewer.holder, mvpd)
        for identity in viewer.identities {
            guard let shared = removeSharedProfile(of: identity, mvpd) else { continue }
            // Single logout: the device that signed in is signed out, too.
            removeOrigin(of: shared)
        }
    }

    /// Deletes a sign-in that a viewer has: the device's own, or one that an identity brings, with its origin.
    mutating func removeProfile(_ profile: HeldProfile, of viewer: Viewer) {
        if profiles[viewer.holder]?[profile.mvpd] == profile { removeProfile(of: viewer.holder, profile.mvpd) }
        for identity in viewer.identities where sharedProfiles[identity]?[profile.mvpd] == profile {
            _ = removeSharedProfile(of: identity, profile.mvpd)
            removeOrigin(of: profile)
        }
    }

    private mutating func removeSharedProfile(of identity: SharedIdentity, _ mvpd: MVPDID) -> HeldProfile? {
        defer { if sharedProfiles[identity]?.isEmpty == true { sharedProfiles[identity] = nil } }
        return sharedProfiles[identity]?.removeValue(forKey: mvpd)
    }

    /// Deletes the profile of the device at which a user signed in, which was shared from there.
    private mutating func removeOrigin(of shared: HeldProfile) {
        // It may have signed in anew since.
        guard profiles[shared.holder]?[shared.mvpd]?.code == shared.code else { return }
        removeProfile(of: shared.holder, shared.mvpd)
    }

    private mutating func removeProfile(of holder: ProfileHolder, _ mvpd: MVPDID) {
        profiles[holder]?[mvpd] = nil
        if profiles[holder]?.isEmpty == true { profiles[holder] = nil }
        forgetDecisions(of: holder, mvpd)
    }
}

extension String {
    /// The text as one segment of a path.
    ///
    /// Ids of brands are never empty or dots: a world with those is refused.
    var pathSegment: String { Percent.encode(pathSegment: self) ?? "" }
}
#endif
