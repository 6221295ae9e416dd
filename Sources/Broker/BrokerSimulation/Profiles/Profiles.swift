#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension Exchange {
    /// `GET /SP/profiles`: the sign-ins of the device.
    ///
    /// Degraded and temporary profiles are not among them.
    mutating func listProfiles(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: SimulatorState
    ) throws(Refusal) -> Reply {
        let viewer = try viewer(of: nil, requestor, holder: holder(client))
        let writer = ProfileWriter(world: state.world, requestor: requestor, now: now)
        var profiles: [Profile] = []
        for entry in state.profiles(of: viewer, at: now) {
            profiles.append(try writer.profile(entry.profile, as: entry.type))
        }
        return .json(ProfilesResponse(profiles: profiles).encoded())
    }

    /// `GET /SP/profiles/MVPD`: the profile with one provider, of whatever type; an empty map if there is none.
    mutating func profile(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: SimulatorState
    ) throws(Refusal) -> Reply {
        let mvpd = try integration(MVPDID(route[.mvpd]), of: requestor, state.world)
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client))
        let writer = ProfileWriter(world: state.world, requestor: requestor, now: now)
        return try reply(to: viewer, of: mvpd, standing: state.standing(of: viewer, with: mvpd, at: now), by: writer)
    }

    /// `GET /SP/profiles/code/CODE`: the profile that a login with the code brought; an empty map before it.
    ///
    /// If the second screen was told that the device is signed in already, it is the profile of that sign-in: the
    /// device waits for one. A profile that an identity brings is not shown here.
    mutating func profileByCode(
        of requestor: SimulatedRequestor,
        _ state: SimulatorState
    ) throws(Refusal) -> Reply {
        let code = route[.code]
        let session = try state.liveSession(code, of: requestor.id, at: now)
        let writer = ProfileWriter(world: state.world, requestor: requestor, now: now)
        guard let mvpd = session.mvpd.flatMap({ state.world.mvpd($0) }) else {
            return .json(ProfilesResponse(profiles: []).encoded())
        }
        let viewer = try viewer(of: mvpd, requestor, holder: session.holder)
        let standing: Standing =
            switch state.standing(of: viewer, with: mvpd, at: now) {
            case .signedIn(let profile, let type)
            where type == .regular && (profile.code == code || session.isAnswered):
                .signedIn(profile, as: type)
            case .degraded: .degraded
            case .temporary(let balance): .temporary(balance)
            default: .missing
            }
        return try reply(to: viewer, of: mvpd, standing: standing, by: writer)
    }

    private func reply(
        to viewer: Viewer,
        of mvpd: SimulatedMVPD,
        standing: Standing,
        by writer: ProfileWriter
    ) throws(Refusal) -> Reply {
        let profiles: [Profile]
        switch standing {
        case .degraded: profiles = [try writer.degradedProfile(of: mvpd.id, device: viewer.holder.device)]
        case .temporary(let balance):
            if balance.isOver(at: now) { throw .code(.temporaryAccessDurationLimitExceeded) }
            if balance.remaining == 0 { throw .code(.temporaryAccessResourcesLimitExceeded) }
            profiles = [try writer.temporaryProfile(of: mvpd.id, balance, viewer: viewer)]
        case .signedIn(let held, let type): profiles = [try writer.profile(held, as: type)]
        case .expired, .missing: profiles = []
        }
        return .json(ProfilesResponse(profiles: profiles).encoded())
    }
}
#endif
