#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// What a request comes to, once all is decided and remembered.
///
/// Signing takes longer than everything else, and needs nothing that could change: it is done when the simulator's state
/// is free again.
enum AnswerPlan: Sendable {
    case reply(Reply)
    case accessToken(AccessTokenOrder)
    /// Decisions, with what the media token of each says; `isForPlayback` says whether there are such tokens.
    case decisions([(verdict: Verdict, order: MediaTokenOrder)], isForPlayback: Bool)
}

/// Everything that an access token says.
struct AccessTokenOrder: Sendable, Hashable {
    let client: RegisteredClient
    let id: String
    let issued: Timestamp
    let lifetime: TimeToLive
}

extension BrokerSimulator {
    /// Signs what is to be signed, and makes the answer.
    func carryOut(_ plan: AnswerPlan) throws(Refusal) -> Reply {
        switch plan {
        case .reply(let reply): return reply
        case .accessToken(let order): return .json(try accessToken(order))
        case .decisions(let planned, let isForPlayback):
            var decisions: [Decision] = []
            for (verdict, order) in planned {
                decisions.append(try decision(verdict, order, isForPlayback: isForPlayback))
            }
            return .json(DecisionsResponse(decisions: decisions).encoded())
        }
    }

    private func accessToken(_ order: AccessTokenOrder) throws(Refusal) -> [UInt8] {
        do {
            let token = try signer.accessToken(of: order.client, issued: order.issued, lifetime: order.lifetime)
            let answer = AccessToken(
                try BearerToken(token), id: order.id, createdAt: order.issued, lifetime: order.lifetime)
            return answer.encoded()
        } catch {
            throw .failure("\(error)")
        }
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
                    serializedToken: try mediaToken(order), notBefore: order.issued, notAfter: order.expires)
            }
            return Decision(
                resource: verdict.resource, serviceProvider: order.requestor, mvpd: order.mvpd, source: verdict.source,
                isAuthorized: true, notBefore: period?.notBefore, notAfter: period?.notAfter, token: token)
        }
    }

    private func mediaToken(_ order: MediaTokenOrder) throws(Refusal) -> String {
        try rethrowing(mint.token(order)) { (error: SimulationError) in Refusal.failure(error.description) }
    }
}
#endif
