#if Service
import EntitlementValues
import Hummingbird
import Logging
import PlaybackSessions
import TextCodecs

extension InternalResponder {
    /// Revokes a session, or all sessions of a subscriber.
    ///
    /// Only the internal listener does it: IDs are in logs, and session GUIDs in every token, so on the public listener
    /// clients could end the streams of others. There, a client can end the session whose text it has.
    func revokeSessions(_ request: Request) async throws -> Response {
        try request.require(.post)
        try request.requireProgram(at: .address(state.configuration.settings.internalAddress))
        let configuration = state.configuration
        guard let registry = state.registry else { throw RequestError.notEnabled(setting: "sessions.store") }
        let body = try RevocationRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes))
        let end: Timestamp
        do throws(PlaybackSessionError) {
            switch body {
            case .session(let id):
                end = try await registry.revoke(id)
                state.metrics.count(.id)
                state.logger.notice("session revoked", metadata: ["session": "\(id)"])
            case .subscriber(let subscriber):
                end = try await registry.revoke(subscriber: subscriber)
                state.metrics.count(.subscriber)
                state.logger.notice("all sessions of a subscriber revoked")
            }
        } catch {
            throw error.requestError
        }
        var object = JSONWriter()
        object.member("revoked", true)
        object.member("until", end.milliseconds)
        return Response(.ok, object)
    }
}

/// The body of a request to revoke sessions: one of `id` and `subscriber`.
private enum RevocationRequestBody {
    case session(PlaybackSessionID)
    case subscriber(SessionGUID)

    init(_ body: [UInt8]) throws(RequestError) {
        let body = body[...]
        guard body.span.isTextWithoutNUL else { throw .badRequest("not UTF-8") }
        let named = try RequestError.reading { () throws(JSONFault) in
            let object = try JSONObject(body.span, in: body.span.afterByteOrderMark)
            try object.allowOnly(["id", "subscriber"])
            return (try object.identifier("id", in: body.span), try object.identifier("subscriber", in: body.span))
        }
        switch named {
        case (let id?, nil):
            guard let id = PlaybackSessionID(text: id) else { throw .badRequest("id is not the ID of a session") }
            self = .session(id)
        case (nil, let subscriber?): self = .subscriber(SessionGUID(subscriber))
        default: throw .badRequest("give either id or subscriber")
        }
    }
}
#endif
