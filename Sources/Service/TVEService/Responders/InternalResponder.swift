#if Service
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import HostSystem
import Hummingbird
import Logging
import OpenSSLBridge
import PlaybackSessions
import TextCodecs

/// Answers requests on the internal listener: monitoring, revocation of sessions, and decryption of user metadata.
struct InternalResponder: HTTPResponder {
    let state: ServiceState

    func respond(to request: Request, context: NoContext) async throws -> Response {
        let endpoint: Endpoint =
            switch request.uri.path {
            case "/v1/user-metadata/decrypt": .decrypt
            case "/v1/playback-sessions/revoke": .revokeSessions
            default: .other
            }
        return try await state.measured(endpoint, request) {
            if endpoint == .decrypt {
                let settings = state.configuration.settings
                guard settings.decryption?.listener == nil else { throw RequestError.elsewhere }
                return try await state.decrypt(request, on: .address(settings.internalAddress))
            }
            if endpoint == .revokeSessions { return try await revokeSessions(request) }
            guard let page = Self.pages[request.uri.path] else { throw RequestError.notFound }
            try request.require(.get, .head)
            return try await page(self, request)
        }
    }

    /// What monitoring asks for, by its path.
    private static let pages: [String: @Sendable (InternalResponder, Request) async throws -> Response] = [
        "/": { try await $0.statusPage($1) },
        "/healthz": { _, _ in
            var object = JSONWriter()
            object.member("healthy", true)
            return Response(.ok, object)
        },
        "/readyz": { $0.readiness(await $0.state.reasons(countingStore: try $1.storeReadiness())) },
        "/metrics": { responder, _ in
            let state = responder.state
            let text = state.metrics.registry.text() + ObservedMetrics(state).text
            return Response("text/plain; version=0.0.4; charset=utf-8", text.utf8)
        },
        "/version": { _, _ in
            var object = JSONWriter()
            object.member("version", releaseVersion)
            object.member("openssl", openSSLVersion)
            return Response(.ok, object)
        },
        "/openapi.json": { _, _ in Response("application/json", PackageResources.openapi_json) },
        "/openapi.yaml": { _, _ in Response("application/yaml", PackageResources.openapi_yaml) },
    ]

    private func statusPage(_ request: Request) async throws(RequestError) -> Response {
        StatusPage(
            state, isReady: await state.reasons(countingStore: .afterGrace).isEmpty,
            reasons: await state.reasons(countingStore: .now),
            reloads: try request.queryParameters.value(of: "reload") != "off"
        ).response
    }

    private func readiness(_ reasons: [(code: String, detail: String)]) -> Response {
        var object = JSONWriter()
        object.member("ready", reasons.isEmpty)
        object.member(
            "reasons",
            reasons.map { code, detail in
                var reason = JSONWriter()
                reason.member("code", code)
                reason.member("detail", detail)
                return reason
            })
        if let health = state.gateway?.runtime.health.current { object.member("broker", health.object) }
        return Response(reasons.isEmpty ? .ok : .serviceUnavailable, object)
    }
}

extension Request {
    /// When a store that fails counts: `now` if the query says so.
    fileprivate func storeReadiness() throws(RequestError) -> StoreHealth.Readiness {
        switch try queryParameters.value(of: "store") {
        case nil: return .afterGrace
        case "now": return .now
        default: throw .badRequest("store can only be now")
        }
    }
}

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
