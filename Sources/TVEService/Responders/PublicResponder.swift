#if Service
import TextCodecs
import EntitlementValues
import HTTPTypes
import Hummingbird
import Instrumentation
import MediaTokens
import Tracing

/// Answers the public listener.
struct PublicResponder: HTTPResponder {
    let state: ServiceState

    private static let authzPath = "/v1/authz"

    func respond(to request: Request, context: NoContext) async throws -> Response {
        let rest = Self.rest(of: request.head.path ?? "")
        let endpoint = rest == nil ? Self.endpoint(request.uri.path) : .authz
        return try await state.measured(endpoint, request) {
            if let rest { return await authorize(request, rest) }
            switch endpoint {
            case .verify: return try await verify(request)
            case .verifyBatch: return try verifyBatch(request)
            case .decisions: return try await verifyDecisions(request)
            case .sessions: return try await startSession(request)
            case .authz, .decrypt, .other: throw RequestFault.notFound
            }
        }
    }

    /// What stands behind `/v1/authz`, with the query; `nil` for other addresses.
    private static func rest(of target: String) -> Substring? {
        guard target.utf8.starts(with: authzPath.utf8) else { return nil }
        let rest = target.utf8.dropFirst(authzPath.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
            ? Substring(rest) : nil
    }

    private static func endpoint(_ path: String) -> Endpoint {
        switch path {
        case "/v1/media-tokens/verify": .verify
        case Self.batchPath: .verifyBatch
        case "/v1/decisions/verify": .decisions
        case "/v1/playback-sessions": .sessions
        default: .other
        }
    }

    /// The one address whose requests may take as long as they like, while rows come.
    static let batchPath = "/v1/media-tokens/verify-batch"

    // MARK: The proxy's question

    private func authorize(_ request: Request, _ rest: Substring) async -> Response {
        let now = state.time.now
        let authorizer = Authorizer(set: state.set, store: state.store, now: now)
        let outcome = await authorizer.decide(request.headers, rest: rest)
        state.note(outcome, at: now)
        var fields = HTTPFields()
        fields.reserveCapacity(8)
        fields.append(HTTPField(name: .cacheControl, value: "no-store"))
        fields.append(HTTPField(name: .resultStatus, value: outcome.status.rawValue))
        if let grant = outcome.grant {
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

/// What the framework hands on with each request: nothing that is needed here.
struct NoContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}

extension HTTPFields {
    /// Bytes of the longest value that is passed on; proxies have little room for headers.
    private static let maximumResultLength = 1024

    /// Adds what a token says: percent-encoded but for printable ASCII, and left out where it is too long.
    fileprivate mutating func append(_ text: String, as name: HTTPField.Name) {
        let isPrintable = { (byte: UInt8) in 0x20...0x7E ~= byte && byte != UInt8(ascii: "%") }
        let bytes =
            text.utf8.allSatisfy(isPrintable)
            ? text
            : text.utf8.map { byte in
                isPrintable(byte) ? String(Unicode.Scalar(byte)) : "%\(hexadecimal([byte]).uppercased())"
            }.joined()
        if bytes.utf8.count <= Self.maximumResultLength { append(HTTPField(name: name, value: bytes)) }
    }
}

extension ServiceState {
    /// Answers a request, measures it, and tells traces of it; faults become their responses.
    func measured(
        _ endpoint: Endpoint,
        _ request: Request,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        metrics.begin()
        // What throws is the reading of a request that its client broke off.
        var status = 400
        defer {
            // A batch that runs is measured to its end; see `BatchPlace`.
            if endpoint != .verifyBatch || status != 200 {
                metrics.end(endpoint, status: status, start.duration(to: .now))
            }
        }
        var response = try await traced(endpoint, request, answer)
        status = response.status.code
        // A client that keeps its connection would find it closed in the middle of a request.
        if isDraining { response.headers[.connection] = "close" }
        return response
    }

    /// Tells traces of a request, where somebody gathers them.
    private func traced(
        _ endpoint: Endpoint,
        _ request: Request,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        guard isTraced else { return try await faultless(answer) }
        var context = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &context, using: FieldExtractor())
        return try await withSpan("tve \(endpoint.rawValue)", context: context, ofKind: .server) { span in
            let response = try await faultless(answer)
            span.attributes["http.response.status_code"] = response.status.code
            return response
        }
    }

    private func faultless(_ answer: () async throws -> Response) async throws -> Response {
        do {
            return try await answer()
        } catch let fault as RequestFault {
            return fault.response
        }
    }
}

/// Finds the caller's trace in the header fields.
private struct FieldExtractor: Extractor {
    func extract(key name: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }
}
#endif
