#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import TextCodecs

/// Answers requests on the public listener.
///
/// Paths are compared here and not by Hummingbird's `Router`, because the router matches methods too: `/v1/authz` may be
/// asked with any method, also one that no route can list, and another path asked with the wrong method is answered by 405
/// with `Allow`, where the router answers 404. Speed is not the reason: the router takes 1 µs or less of the 30 µs of
/// processor time that Hummingbird needs for an empty answer (`Tests/Service/BareRoute`, with and without `dispatch`, medians of 21
/// interleaved runs). Middleware is not used either: `measured` does all that the two listeners share.
struct PublicResponder: HTTPResponder {
    let state: ServiceState

    private static let authzPath = "/v1/authz"

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let used = state.inUse
        let suffix = authzSuffix(of: request.head.path ?? "", by: used.configuration)
        let endpoint = suffix == nil ? Self.endpoint(request.uri.path) : .authz
        if endpoint == .other, let gateway = used.gateway, let found = GatewayPath.find(request.uri.path) {
            return try await state.measured(found.path.endpoint, request) {
                try await GatewayResponder(state: state, gateway: gateway, configuration: used.configuration)
                    .respond(to: request, at: found.path, parameter: found.parameter, on: context.channel)
            }
        }
        return try await state.measured(endpoint, request) {
            if let suffix { return await authorize(request, pathSuffix: suffix, by: used.configuration) }
            switch endpoint {
            case .verify: return try await verify(request)
            case .verifyBatch: return try verifyBatch(request, on: context.channel)
            case .decisions: return try await verifyDecisions(request, on: context.channel)
            case .sessions, .renewSession, .endSession: return try await answerSession(endpoint, request)
            case .publicKeys: return try publicKeys(request)
            default: throw RequestError.notFound
            }
        }
    }

    /// The part of a request target after `/v1/authz`, with the query; `nil` for other targets.
    ///
    /// A path after it belongs to the endpoint only if `authz.uri` is `path`. With other settings no proxy appends one, but a
    /// client may send `/v1/authz/../devices` through a proxy that takes it for `/v1/devices`, and would ask in the proxy's
    /// place.
    private func authzSuffix(of target: String, by configuration: ActiveConfiguration) -> Substring? {
        guard target.utf8.starts(with: Self.authzPath.utf8) else { return nil }
        let suffix = target.utf8.dropFirst(Self.authzPath.utf8.count)
        switch suffix.first {
        case nil, UInt8(ascii: "?"): return Substring(suffix)
        case UInt8(ascii: "/") where configuration.settings.authz.uriSource == .path: return Substring(suffix)
        default: return nil
        }
    }

    private static func endpoint(_ path: String) -> Endpoint {
        switch path {
        case "/v1/media-tokens/verify": .verify
        case Self.batchPath: .verifyBatch
        case "/v1/decisions/verify": .decisions
        case "/v1/playback-sessions": .sessions
        case "/v1/playback-sessions/renew": .renewSession
        case "/v1/playback-sessions/end": .endSession
        case "/.well-known/jwks.json": .publicKeys
        default: .other
        }
    }

    /// The one path whose requests may take any time, as long as rows arrive.
    static let batchPath = "/v1/media-tokens/verify-batch"

    // MARK: Access

    private func authorize(
        _ request: Request,
        pathSuffix: Substring,
        by configuration: ActiveConfiguration
    ) async -> Response {
        let now = state.time.now
        let authorizer = Authorizer(
            configuration: configuration, store: state.store, registry: state.registry, now: now)
        let outcome = await authorizer.outcome(for: request.headers, pathSuffix: pathSuffix)
        state.note(outcome, at: now)
        var fields = HTTPFields()
        fields.reserveCapacity(8)
        fields.append(HTTPField(name: .cacheControl, value: "no-store"))
        fields.append(HTTPField(name: .resultStatus, value: outcome.status.rawValue))
        if let grant = outcome.grant {
            // All of them, always: a proxy may let the client's own field through in place of one that is missing.
            fields.append(grant.mvpd.rawValue, as: .resultMVPD)
            fields.append(grant.sessionGUID.rawValue, as: .resultSession)
            fields.append(grant.resource.rawValue, as: .resultResource)
            fields.append(HTTPField(name: .resultExpires, value: String(grant.expires.milliseconds)))
        }
        let status = HTTPResponse.Status(code: outcome.status.httpStatus)
        if status == .unauthorized { fields.append(HTTPField(name: .wwwAuthenticate, value: "MediaToken")) }
        return Response(status: status, headers: fields)
    }
}

/// The request context that Hummingbird requires; nothing in it is needed.
struct NoContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}

extension HTTPFields {
    /// The longest value that is passed on, in bytes; proxies have little room for header fields.
    private static let maximumResultLength = 1024

    /// Adds a value from a token, with everything but printable ASCII percent-encoded.
    ///
    /// Of a value that is too long it adds `sha256:` and the 64 digits of the SHA-256 of its UTF-8; `sha256:` alone if
    /// libcrypto failed.
    fileprivate mutating func append(_ text: String, as name: HTTPField.Name) {
        let isPrintable = { (byte: UInt8) in 0x20...0x7E ~= byte && byte != UInt8(ascii: "%") }
        var value = text.utf8.allSatisfy(isPrintable) ? text : Percent.encode(text.utf8, leaving: isPrintable)
        if value.utf8.count > Self.maximumResultLength { value = "sha256:\(digest(of: text) ?? "")" }
        append(HTTPField(name: name, value: value))
    }
}
#endif
