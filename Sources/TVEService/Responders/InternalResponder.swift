#if Service
import TextCodecs
import EntitlementKeys
import HTTPTypes
import HostSystem
import Hummingbird
import MetadataDecryption
import OpenSSLBridge

/// Answers the internal listener: what machines and people watch, and the decryption of metadata.
struct InternalResponder: HTTPResponder {
    let state: ServiceState

    func respond(to request: Request, context: NoContext) async throws -> Response {
        let endpoint: Endpoint = request.uri.path == "/v1/user-metadata/decrypt" ? .decrypt : .other
        return try await state.measured(endpoint, request) {
            if endpoint == .decrypt { return try await decrypt(request) }
            let response = try await watch(request.uri.path)
            try request.require(.get, .head)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func watch(_ path: String) async throws -> Response {
        switch path {
        case "/":
            return Response(
                "text/html; charset=utf-8", StatusPage(state, reasons: await state.reasons()).html.utf8)
        case "/healthz":
            var object = JSONWriter()
            object.member("healthy", true)
            return Response(.ok, object)
        case "/readyz":
            return readiness(await state.reasons())
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
            throw RequestFault.notFound
        }
    }

    private func readiness(_ reasons: [(code: String, detail: String)]) -> Response {
        var object = JSONWriter()
        object.member("ready", reasons.isEmpty)
        object.member(
            "reasons",
            reasons.map { code, detail in
                var obstacle = JSONWriter()
                obstacle.member("code", code)
                obstacle.member("detail", detail)
                return obstacle
            })
        return Response(reasons.isEmpty ? .ok : .serviceUnavailable, object)
    }

    private func decrypt(_ request: Request) async throws -> Response {
        let set = state.set
        guard let decrypter = set.decrypter else {
            throw RequestFault(
                status: .notFound, code: "not_enabled", detail: "there are no decryption.paths in the configuration"
            )
        }
        try request.require(.post)
        let question = try DecryptRequestBody(try await request.bytes(upTo: set.settings.limits.bodyBytes))
        do throws(MetadataDecryptionError) {
            let found = try decrypter.decrypt(question.value.span, of: question.attribute)
            state.metrics.countDecryption(isGood: true)
            var object = JSONWriter()
            object.member("text", found.text)
            object.member("key", found.key.label)
            return Response(.ok, object)
        } catch {
            state.metrics.countDecryption(isGood: false)
            var status = HTTPResponse.Status.unprocessableContent
            if case .undecided = error { status = .serviceUnavailable }
            throw RequestFault(status: status, code: error.code, detail: error.description)
        }
    }
}

/// An encrypted value, and which attribute it is of.
private struct DecryptRequestBody {
    let value: [UInt8]
    let attribute: MetadataAttribute?

    init(_ body: [UInt8]) throws(RequestFault) {
        guard body.span.isTextWithoutNUL else { throw .badRequest("not UTF-8") }
        do throws(JSONFault) {
            let members = try JSONReader.members(of: body.span, in: 0..<body.count)
            guard members.list.allSatisfy({ [Array("value".utf8), Array("attribute".utf8)].contains($0.name) })
            else {
                throw JSONFault(reason: "a member is none of attribute, value")
            }
            guard let value = try Self.text("value", members, body) else {
                throw JSONFault(reason: "value is missing")
            }
            self.value = value
            attribute = try Self.text("attribute", members, body).map {
                MetadataAttribute(String(decoding: $0, as: UTF8.self))
            }
        } catch {
            throw .badRequest(error.reason)
        }
    }

    private static func text(
        _ name: String,
        _ members: JSONMembers,
        _ body: [UInt8]
    ) throws(JSONFault) -> [UInt8]? {
        guard let value = members[Array(name.utf8)] else { return nil }
        guard value.kind == .string, let text = JSONReader.string(body.span, value) else {
            throw JSONFault(reason: "\(name) is not a text")
        }
        return text
    }
}
#endif
