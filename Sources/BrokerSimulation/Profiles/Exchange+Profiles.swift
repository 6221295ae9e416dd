#if Client
import Synchronization
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension Exchange {
    /// `GET /SP/profiles`: the sign-ins of the device.
    ///
    /// Degraded and temporary profiles are not among them.
    mutating func listProfiles(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient
    ) throws(Refusal) -> Reply {
        let viewer = try viewer(of: nil, requestor, holder: holder(client))
        let (found, world) = simulator.state.withLock { ($0.profiles(of: viewer, at: now), $0.world) }
        let writer = ProfileWriter(world: world, requestor: requestor, now: now)
        var profiles: [Profile] = []
        for entry in found { profiles.append(try writer.profile(entry.profile, as: entry.type)) }
        return .json(ProfilesResponse(profiles: profiles).encoded())
    }

    /// `GET /SP/profiles/MVPD`: the profile with one provider, of whatever type; an empty map if there is none.
    mutating func profile(
        of id: MVPDID,
        _ requestor: SimulatedRequestor,
        _ client: RegisteredClient
    ) throws(Refusal) -> Reply {
        let mvpd = try integration(id, of: requestor)
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client))
        let (standing, world) = simulator.state.withLock { ($0.standing(of: viewer, with: mvpd, at: now), $0.world) }
        let writer = ProfileWriter(world: world, requestor: requestor, now: now)
        return try reply(standing, viewer, mvpd, writer)
    }

    /// `GET /SP/profiles/code/CODE`: the profile that a login with the code brought; an empty map before it.
    ///
    /// A profile that an identity brings is not shown here.
    mutating func profile(ofCode code: String, _ requestor: SimulatedRequestor) throws(Refusal) -> Reply {
        let (session, world) = try simulator.state.withLock { state throws(Refusal) in
            (try state.liveSession(code, of: requestor.id, at: now), state.world)
        }
        let writer = ProfileWriter(world: world, requestor: requestor, now: now)
        guard let mvpd = session.mvpd.flatMap({ world.mvpd($0) }) else {
            return .json(ProfilesResponse(profiles: []).encoded())
        }
        let viewer = try viewer(of: mvpd, requestor, holder: session.holder)
        let standing: Standing = simulator.state.withLock { state in
            switch state.standing(of: viewer, with: mvpd, at: now) {
            case .signedIn(let profile, let type) where profile.code == code && type == .regular:
                .signedIn(profile, as: type)
            case .degraded: .degraded
            case .temporary(let balance): .temporary(balance)
            default: .missing
            }
        }
        return try reply(standing, viewer, mvpd, writer)
    }

    private func reply(
        _ standing: Standing,
        _ viewer: Viewer,
        _ mvpd: SimulatedMVPD,
        _ writer: ProfileWriter
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
