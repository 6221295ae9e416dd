#if Service
import EntitlementKeys
import HTTPTypes
import HostSystem
import Hummingbird
import MetadataDecryption
import OpenSSLBridge
import TextCodecs

/// Answers requests on the internal listener: monitoring, and the decryption of user metadata.
struct InternalResponder: HTTPResponder {
    let state: ServiceState

    func respond(to request: Request, context: NoContext) async throws -> Response {
        let endpoint: Endpoint = request.uri.path == "/v1/user-metadata/decrypt" ? .decrypt : .other
        return try await state.measured(endpoint, request) {
            if endpoint == .decrypt { return try await decrypt(request) }
            let response = try await monitoring(request)
            try request.require(.get, .head)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func monitoring(_ request: Request) async throws -> Response {
        switch request.uri.path {
        case "/":
            let page = StatusPage(
                state, isReady: await state.reasons(countingStore: .afterGrace).isEmpty,
                reasons: await state.reasons(countingStore: .now))
            return Response("text/html; charset=utf-8", page.html.utf8)
        case "/healthz":
            var object = JSONWriter()
            object.member("healthy", true)
            return Response(.ok, object)
        case "/readyz":
            return readiness(await state.reasons(countingStore: try request.storeReadiness()))
        case "/metrics":
            return Response("text/plain; version=0.0.4; charset=utf-8", state.metrics.registry.text().utf8)
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
        return Response(reasons.isEmpty ? .ok : .serviceUnavailable, object)
    }

    private func decrypt(_ request: Request) async throws -> Response {
        let configuration = state.configuration
        guard let decrypter = configuration.decrypter else {
            throw RequestError.notEnabled(setting: "decryption.paths")
        }
        try request.require(.post)
        let body = try DecryptRequestBody(try await request.bytes(upTo: configuration.settings.limits.bodyBytes))
        do throws(MetadataDecryptionError) {
            let found = try decrypter.decrypt(body.value, of: body.attribute)
            state.metrics.countDecryption(isGood: true)
            var object = JSONWriter()
            object.member("text", found.text)
            object.member("key", found.key.label)
            return Response(.ok, object)
        } catch {
            state.metrics.countDecryption(isGood: false)
            var status = HTTPResponse.Status.unprocessableContent
            if case .undecided = error { status = .serviceUnavailable }
            throw RequestError(status: status, code: error.code, detail: error.description)
        }
    }
}

extension Request {
    /// When a store that fails counts: `now` if the query says so.
    fileprivate func storeReadiness() throws(RequestError) -> ServiceState.StoreReadiness {
        switch uri.queryParameters.get("store") {
        case nil: return .afterGrace
        case "now": return .now
        default: throw .badRequest("store can only be now")
        }
    }
}

/// The body of a request to decrypt: an encrypted value, and the name of its attribute if it is known.
private struct DecryptRequestBody {
    let value: [UInt8]
    let attribute: MetadataAttribute?

    init(_ body: [UInt8]) throws(RequestError) {
        let body = body[...]
        guard body.span.isTextWithoutNUL else { throw .badRequest("not UTF-8") }
        do throws(JSONFault) {
            let object = try JSONObject(body.span, in: 0..<body.count)
            try object.allowOnly(["value", "attribute"])
            value = try object.required("value", try object.bytes("value", in: body.span))
            attribute = try object.string("attribute", in: body.span).map(MetadataAttribute.init)
        } catch {
            throw .badRequest(error.reason)
        }
    }
}
#endif
