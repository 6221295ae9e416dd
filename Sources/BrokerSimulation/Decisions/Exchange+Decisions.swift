#if Client
import Synchronization
import EntitlementValues
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `POST /SP/decisions/authorize/MVPD`: decides, and signs a media token for what is permitted.
    mutating func authorize(
        _ id: MVPDID,
        _ requestor: SimulatedRequestor,
        _ client: RegisteredClient
    ) throws(Refusal) -> Reply {
        try decisions(of: id, requestor, client, isForPlayback: true)
    }

    /// `POST /SP/decisions/preauthorize/MVPD`: says what would be permitted, for information.
    mutating func preauthorize(
        _ id: MVPDID,
        _ requestor: SimulatedRequestor,
        _ client: RegisteredClient
    ) throws(Refusal) -> Reply {
        try decisions(of: id, requestor, client, isForPlayback: false)
    }

    private mutating func decisions(
        of id: MVPDID,
        _ requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        isForPlayback: Bool
    ) throws(Refusal) -> Reply {
        let mvpd = try integration(id, of: requestor)
        let resources = try resources()
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client), needsIdentity: isForPlayback)
        let question = DecisionQuestion(
            viewer: viewer, mvpd: mvpd, isForPlayback: isForPlayback, now: now, forced: forcedDecision)
        let (verdicts, lifetime, issueTimeOffset, slowness) = simulator.state.withLock { state in
            (
                state.decide(resources, question), state.world.lifetimes.mediaToken, state.clock.issueTimeOffset,
                state.slowness(for: viewer, mvpd, at: now)
            )
        }
        self.slowness = slowness
        var decisions: [Decision] = []
        for verdict in verdicts {
            let order = MediaTokenOrder(
                requestor: requestor.id, resource: verdict.resource, mvpd: id, proxy: mvpd.proxy, guid: "",
                issued: (now + issueTimeOffset).wholeSecond, lifetime: lifetime, fault: tokenDefect)
            decisions.append(try decision(verdict, order, isForPlayback: isForPlayback))
        }
        return .json(DecisionsResponse(decisions: decisions).encoded())
    }

    private func decision(
        _ verdict: Verdict,
        _ order: MediaTokenOrder,
        isForPlayback: Bool
    ) throws(Refusal) -> Decision {
        switch verdict.outcome {
        case .denied(let code, let details):
            return Decision(
                resource: verdict.resource, serviceProvider: order.requestor, mvpd: order.mvpd, source: verdict.source,
                isAuthorized: false, error: EnhancedError(documented: code, details: details))
        case .permitted(let guid, let period):
            var token: SerializedMediaToken?
            if isForPlayback {
                var order = order
                order.guid = guid
                token = SerializedMediaToken(
                    serializedToken: try sign(order), notBefore: order.issued, notAfter: order.expires)
            }
            return Decision(
                resource: verdict.resource, serviceProvider: order.requestor, mvpd: order.mvpd, source: verdict.source,
                isAuthorized: true, notBefore: period?.notBefore, notAfter: period?.notAfter, token: token)
        }
    }

    private func sign(_ order: MediaTokenOrder) throws(Refusal) -> String {
        do throws(SimulationError) {
            return try simulator.mint.token(order)
        } catch {
            throw .code(.internalServerError, details: error.description)
        }
    }

    /// The resources in the body: at least one, none of them empty.
    private func resources() throws(Refusal) -> [ResourceID] {
        let texts: [String]
        do throws(JSONFault) {
            texts = try body.withSpan { text throws(JSONFault) in
                try JSONObject(text, in: 0..<text.count).identifiers("resources", in: text)
            }
        } catch {
            throw .code(.invalidParameterResources)
        }
        guard !texts.isEmpty else { throw .code(.invalidParameterResources) }
        return texts.map { ResourceID($0) }
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

extension Timestamp {
    /// The beginning of the second: media tokens have no milliseconds.
    var wholeSecond: Timestamp {
        let remainder = milliseconds % 1000
        return Timestamp(milliseconds: milliseconds - (remainder < 0 ? remainder + 1000 : remainder))
    }
}
#endif
