#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension Exchange {
    /// `POST /SP/decisions/authorize/MVPD`, for playback: decides, and orders a media token for what is permitted.
    ///
    /// `POST /SP/decisions/preauthorize/MVPD` says what would be permitted, for information.
    mutating func decide(
        for requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        isForPlayback: Bool,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Plan {
        let mvpd = try integration(MVPDID(route[.mvpd]), of: requestor, state.world)
        let resources = try requestedResources()
        self.resources = resources.count
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client), needsIdentity: isForPlayback)
        let question = DecisionQuestion(
            viewer: viewer, mvpd: mvpd, isForPlayback: isForPlayback, now: now, forced: forcedDecision)
        slowness = state.slowness(for: viewer, mvpd, at: now)
        let signed = (now + state.clock.issueTimeOffset).wholeSecond
        let lifetime = state.world.lifetimes.mediaToken
        let decisions = state.decide(resources, question).map { verdict in
            let order = MediaTokenOrder(
                requestor: requestor.id, resource: verdict.resource, mvpd: mvpd.id, proxy: mvpd.proxy, guid: "",
                signed: signed, lifetime: lifetime, fault: tokenDefect)
            return (verdict: verdict, order: order)
        }
        return .decisions(decisions, isForPlayback: isForPlayback)
    }

    /// The resources in the body: at least one, none of them empty.
    private func requestedResources() throws(Refusal) -> [ResourceID] {
        let resources: [ResourceID]
        do throws(BrokerRequestError) {
            resources = try DecisionsRequest(parsing: body).resources
        } catch .tooMany {
            throw .code(.tooManyResources)
        } catch {
            throw .code(.invalidParameterResources)
        }
        guard !resources.isEmpty, resources.allSatisfy({ !$0.rawValue.isEmpty }) else {
            throw .code(.invalidParameterResources)
        }
        return resources
    }
}

extension SimulatorState {
    /// How long the provider takes for a decision about the viewer.
    func slowness(for viewer: Viewer, _ mvpd: SimulatedMVPD, at now: Timestamp) -> TimeToLive {
        guard let held = profile(of: viewer, with: mvpd, at: now)?.profile,
            world.user(held.user)?.behavior == .slow
        else { return .zero }
        return world.limits.slowness
    }
}
#endif
