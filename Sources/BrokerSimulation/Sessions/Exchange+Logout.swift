#if Client
import Synchronization
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `GET /SP/logout/MVPD`: deletes the profile, and says what else is to be done.
    mutating func logOut(
        _ id: MVPDID,
        _ requestor: SimulatedRequestor,
        _ client: RegisteredClient
    ) throws(Refusal) -> Reply {
        let mvpd = try integration(id, of: requestor)
        guard let redirectURL = FormFields(Array(query.utf8))?["redirectUrl"],
            requestor.allows(redirectURL: redirectURL)
        else { throw .code(.invalidParameterRedirectURL) }
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client), needsIdentity: false)
        let standing = simulator.state.withLock { state in
            // A partner's profile is deleted whatever the platform says today.
            var viewer = viewer
            viewer.partnerMapping = mvpd.partner?.mappingID
            let standing = state.standing(of: viewer, with: mvpd, at: now)
            state.removeProfiles(of: viewer, with: id)
            return standing
        }
        let step = step(standing, mvpd, requestor, redirectURL)
        return .json(LogoutResponse(logouts: [step]).encoded())
    }

    private func step(
        _ standing: Standing,
        _ mvpd: SimulatedMVPD,
        _ requestor: SimulatedRequestor,
        _ redirectURL: String
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
        profiles[viewer.holder]?[mvpd] = nil
        for identity in viewer.identities {
            guard let shared = sharedProfiles[identity]?.removeValue(forKey: mvpd) else { continue }
            // Single logout: the device that signed in is signed out, too.
            for holder in profiles.keys where profiles[holder]?[mvpd]?.code == shared.code && shared.code != nil {
                profiles[holder]?[mvpd] = nil
            }
        }
        forgetDecisions(of: viewer.holder, mvpd)
    }
}

extension String {
    /// The text as one segment of a path.
    ///
    /// Ids of brands are never empty or dots: a world with those is refused.
    var pathSegment: String { Percent.encode(pathSegment: self) ?? "" }
}
#endif
