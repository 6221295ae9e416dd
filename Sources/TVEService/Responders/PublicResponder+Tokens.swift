#if Service
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import NIOCore
import RowBatches
import ServiceResponses
import TextCodecs
import TokenRedemption

extension PublicResponder {
    // MARK: One token

    func verify(_ request: Request) async throws -> Response {
        try request.require(.post)
        let configuration = state.configuration
        let body = try VerifyRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes),
            taking: ["token", "requestor", "resource", "redeem"])
        guard !body.redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let now = state.time.now
        var verdict = try body.verdict(by: configuration.verifier, at: now)
        if body.redeems, let store = state.store { verdict = await verdict.redeemed(in: store, at: now) }
        state.note(Outcome(verdict, of: body.text), at: now)
        return Response(verdict.status == .errorUnknown ? .serviceUnavailable : .ok, verdict.object())
    }

    // MARK: A session for a token

    func startSession(_ request: Request) async throws -> Response {
        try request.require(.post)
        let configuration = state.configuration
        guard let settings = configuration.settings.sessions, let keys = configuration.sessionKeys,
            let store = state.store
        else {
            throw RequestError.notEnabled(setting: "sessions.keyFiles")
        }
        let body = try VerifyRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes),
            taking: ["token", "requestor", "resource"])
        guard let client = settings.clientAddress(request.headers) else {
            throw RequestError.badRequest("the header field with the client's address must occur exactly once")
        }
        let now = state.time.now
        var verdict = try body.verdict(by: configuration.verifier, at: now)
        // Signed before the token is redeemed: a failure after that would cost the client its token.
        var signed: (text: String, session: PlaybackSession)?
        if case .success(let token) = verdict.result {
            let session = PlaybackSession(token, expires: now + settings.lifetime)
            do throws(SessionError) {
                signed = (try keys.sign(session, for: client), session)
            } catch {
                throw RequestError(
                    status: .serviceUnavailable, code: error.code,
                    detail: "libcrypto could not sign the playback session; try again")
            }
            verdict = await verdict.redeemed(in: store, at: now)
        }
        state.note(Outcome(verdict, of: body.text), at: now)
        var object = verdict.object()
        guard verdict.status == .validToken, let signed else {
            return Response(HTTPResponse.Status(code: verdict.status.httpStatus), object)
        }
        state.metrics.countSession()
        object.member("session", signed.text)
        object.member("sessionExpires", signed.session.expires.milliseconds)
        var response = Response(.ok, object)
        let seconds = settings.lifetime.milliseconds / 1000
        response.headers[.setCookie] =
            "\(settings.cookie)=\(signed.text); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Lax"
        return response
    }

    // MARK: Many tokens

    func verifyBatch(_ request: Request) throws -> Response {
        try request.require(.post)
        let redeems = try request.flag("redeem")
        guard !redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        guard let place = state.takeBatchPlace(for: .verifyBatch) else { throw RequestError.busy }
        let redemption = redeems ? state.store.map { RowRedemption(store: $0, inOrder: $0.isInMemory) } : nil
        let body = request.body
        let answers = ResponseBody { writer in
            // Few rows at a time, so that single requests are answered in between.
            var cutter = LineCutter(
                limits: .init(
                    maximumLineLength: VerdictRows.lineLimits.maximumLineLength, maximumLines: Self.batchPiece))
            let answer = { (cutter: inout LineCutter, writer: inout any ResponseBodyWriter) in
                while let piece = cutter.next() {
                    var bytes: [UInt8] = []
                    // Read anew for each piece: a batch may run for hours, and keys may change meanwhile.
                    let rows = VerdictRows(
                        verifier: state.configuration.verifier, at: state.time.now, redemption: redemption)
                    let verdicts = await rows.verdicts(on: piece)
                    for (line, code) in verdicts {
                        bytes += line + [UInt8(ascii: "\n")]
                        state.metrics.count(tokenCode: code)
                    }
                    state.metrics.countBatch(rows: verdicts.count)
                    try await writer.write(ByteBuffer(bytes: bytes))
                    await Task.yield()
                }
            }
            for try await buffer in body {
                cutter.add(buffer.readableBytesView)
                try await answer(&cutter, &writer)
            }
            // When the service is cancelled, the body just ends; the response must not look complete then.
            try Task.checkCancellation()
            cutter.finish(isCut: false)
            try await answer(&cutter, &writer)
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: answers)
    }

    private static let batchPiece = 64

    // MARK: A response of the entitlement service

    /// Verifies the decisions of a response one after the other.
    ///
    /// A response with many decisions is as much work as a batch, so it takes the place of one, and lets single requests
    /// be answered in between.
    func verifyDecisions(_ request: Request) async throws -> Response {
        try request.require(.post)
        guard let requestor = request.uri.queryParameters.get("requestor"), !requestor.isEmpty else {
            throw RequestError.badRequest("the query parameter requestor is missing")
        }
        let configuration = state.configuration
        let body = try await request.bytes(upTo: configuration.settings.limits.decisionsBytes)
        let response: DecisionsResponse
        do throws(ServiceResponseError) {
            response = try DecisionsResponse(parsing: body)
        } catch {
            throw RequestError(status: .badRequest, code: error.code, detail: error.description)
        }
        var place: ServiceState.BatchPlace?
        if response.decisions.count > Self.batchPiece {
            place = state.takeBatchPlace(for: .decisions)
            guard place != nil else { throw RequestError.busy }
        }
        defer { withExtendedLifetime(place) {} }
        let expected = Expectation.exactly(RequestorID(requestor))
        let now = state.time.now
        var results: [Result<VerifiedMediaToken, ResponseTokenError>] = []
        for decision in response.decisions {
            if results.count % Self.decisionsPiece == Self.decisionsPiece - 1 { await Task.yield() }
            do throws(ResponseTokenError) {
                let token = try decision.verified(by: configuration.verifier, expecting: expected, at: now)
                state.metrics.count(tokenCode: "valid")
                results.append(.success(token))
            } catch {
                state.metrics.count(tokenCode: error.code)
                results.append(.failure(error))
            }
        }
        var object = JSONWriter()
        object.name("decisions")
        object.array { array in
            for (decision, result) in zip(response.decisions, results) {
                array.object { $0.members(of: decision, result) }
            }
        }
        object.name("faults")
        object.array { array in
            for fault in response.faults { array.object { $0.members(of: fault) } }
        }
        object.member("faultCount", response.faultCount)
        return Response(.ok, object)
    }

    /// The decisions that are verified between two chances for other requests.
    private static let decisionsPiece = 8
}

extension JSONWriter {
    fileprivate mutating func members(of decision: Decision, _ result: Result<VerifiedMediaToken, ResponseTokenError>) {
        member("resource", decision.resource.rawValue)
        member("serviceProvider", decision.serviceProvider.rawValue)
        member("mvpd", decision.mvpd.rawValue)
        member("authorized", decision.isAuthorized)
        switch result {
        case .success(let token):
            member("valid", true)
            member("code", "valid")
            name("claims")
            object { token.claims.write(to: &$0) }
            member("key", token.key.label)
        case .failure(let error):
            member("valid", false)
            member("code", error.code)
            member("detail", error.description)
        }
    }

    fileprivate mutating func members(of fault: ServiceResponseError) {
        member("code", fault.code)
        if let path = fault.path { member("path", path.pointer) }
        member("detail", fault.description)
    }
}

/// The body of a request to verify a token: the token, the expectations, and whether to redeem it.
private struct VerifyRequestBody {
    private let row: VerifyRow
    let redeems: Bool
    /// The token as a string, for its digest.
    let text: String
    private let body: ArraySlice<UInt8>

    /// Reads a body.
    ///
    /// A member with another name is an error, since it may be a misspelt one.
    ///
    /// - Parameters:
    ///   - body: JSON in UTF-8.
    ///   - names: The names that members may have.
    /// - Throws: `RequestError` with the status 400.
    init(_ body: [UInt8], taking names: Set<String>) throws(RequestError) {
        let body = body[...]
        self.body = body
        do throws(JSONFault) {
            var id: [UInt8]?
            row = try VerifyRow(body.span, 0..<body.count, id: &id)
            text = String(decoding: try row.tokenBytes(in: body.span), as: UTF8.self)
            let object = try JSONObject(body.span, in: 0..<body.count)
            try object.allowOnly(names)
            redeems = try object.boolean("redeem", in: body.span) ?? false
        } catch {
            throw .badRequest(error.reason)
        }
    }

    func verdict(by verifier: MediaTokenVerifier, at now: Timestamp) throws(RequestError) -> MediaTokenVerdict {
        do throws(JSONFault) {
            return try row.verdict(by: verifier, body.span, at: now)
        } catch {
            throw .badRequest(error.reason)
        }
    }
}

extension Request {
    /// The value of a query parameter that is `true` or `false`; false if it is missing.
    fileprivate func flag(_ name: String) throws(RequestError) -> Bool {
        guard let text = uri.queryParameters.get(name) else { return false }
        guard let flag = Bool(text) else { throw .badRequest("\(name) is neither true nor false") }
        return flag
    }
}
#endif
