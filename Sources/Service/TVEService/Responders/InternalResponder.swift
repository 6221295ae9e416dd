#if Service
import EntitlementKeys
import HTTPTypes
import HostSystem
import Hummingbird
import OpenSSLBridge
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
            let response = try await monitoring(request)
            try request.require(.get, .head)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func monitoring(_ request: Request) async throws -> Response {
        switch request.uri.path {
        case "/":
            return StatusPage(
                state, isReady: await state.reasons(countingStore: .afterGrace).isEmpty,
                reasons: await state.reasons(countingStore: .now),
                reloads: request.queryParameters["reload"] != "off"
            ).response
        case "/healthz":
            var object = JSONWriter()
            object.member("healthy", true)
            return Response(.ok, object)
        case "/readyz":
            return readiness(await state.reasons(countingStore: try request.storeReadiness()))
        case "/metrics":
            let text = state.metrics.registry.text() + ObservedMetrics(state).text
            return Response("text/plain; version=0.0.4; charset=utf-8", text.utf8)
        case "/version":
            var object = JSONWriter()
            object.member("version", releaseVersion)
            object.member("openssl", openSSLVersion)
            return Response(.ok, object)
        case "/openapi.yaml":
            return Response("application/yaml", PackageResources.openapi_yaml)
        default:
            throw RequestError.notFound
        }
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
        switch queryParameters["store"] {
        case nil: return .afterGrace
        case "now": return .now
        default: throw .badRequest("store can only be now")
        }
    }
}
#endif
