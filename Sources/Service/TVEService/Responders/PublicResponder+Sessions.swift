#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import Logging
import MediaTokens
import PlaybackSessions
import RowBatches
import TextCodecs

extension PublicResponder {
    /// Answers a request that starts, renews or ends a session, and tells browsers which pages may see the answer.
    func answerSession(_ endpoint: Endpoint, _ request: Request) async throws -> Response {
        let rules = state.configuration.settings.sessions?.crossOrigin
        let origin = request.headers[.origin]
        if request.method == .options, let rules {
            return Response(status: .noContent, headers: rules.preflight(for: origin))
        }
        var response: Response
        do {
            response =
                switch endpoint {
                case .renewSession: try await renewSession(request)
                case .endSession: try await endSession(request)
                default: try await startSession(request)
                }
        } catch {
            guard let refusal = RequestError(atService: error) else { throw error }
            response = refusal.serviceForm
        }
        rules?.mark(&response.headers, for: origin)
        return response
    }

    private func startSession(_ request: Request) async throws -> Response {
        try request.require(.post)
        let configuration = state.configuration
        let now = state.time.now
        let operations = try SessionOperations(configuration, registry: state.registry, at: now)
        guard let store = state.store else { throw RequestError.notEnabled(setting: "sessions.keyFiles") }
        let body = try VerifyRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes),
            taking: ["token", "requestor", "resource", "cookie"], for: configuration.verifier)
        let client = try request.client(by: operations.rules)
        let verdict = body.verdict(at: now)
        do throws(PlaybackSessionError) {
            let (redeemed, granted) = try await operations.start(for: verdict, client: client, redeemingIn: store)
            state.note(AccessOutcome(redeemed, of: body.text, starting: granted?.session.id), at: now)
            let object = redeemed.object()
            guard let granted else { return Response(HTTPResponse.Status(code: redeemed.status.httpStatus), object) }
            state.metrics.countSession()
            return Response(.ok, object, handingOut: granted, inCookie: body.cookie, by: operations)
        } catch {
            state.note(AccessOutcome(error, of: body.text, as: .token), at: now)
            // All sessions of the subscriber; the token is not used up, and one that begins later is good.
            if case .revoked = error { throw RequestError.justRevoked }
            throw error
        }
    }

    private func renewSession(_ request: Request) async throws -> Response {
        let presented = try await presentedSession(request)
        let granted = try await noting(presented) { operations throws(PlaybackSessionError) in
            try await operations.renew(presented.text, for: presented.resource, from: presented.client)
        }
        state.metrics.countRenewal()
        return Response(
            .ok, JSONWriter(), handingOut: granted, inCookie: presented.wantsCookie, by: presented.operations)
    }

    /// Ends a session because its holder asks for it: the text proves that it may, and it can end no other session.
    private func endSession(_ request: Request) async throws -> Response {
        let presented = try await presentedSession(request)
        guard let registry = state.registry else { throw RequestError.notEnabled(setting: "sessions.store") }
        let session = try await noting(presented) { operations throws(PlaybackSessionError) in
            try await operations.end(presented.text, for: presented.resource, from: presented.client, in: registry)
        }
        state.metrics.count(.holder)
        state.logger.info("session ended by its holder", metadata: ["session": "\(session.id)"])
        var object = JSONWriter()
        object.member("revoked", true)
        var response = Response(.ok, object)
        response.headers[.setCookie] =
            presented.operations.rules.settings.cookie.setting("", for: session.resource, seconds: 0)
        return response
    }

    /// Asks the operations about a session, and notes why it cannot be renewed or ended.
    private func noting<Answer>(
        _ presented: PresentedSession,
        _ ask: (SessionOperations) async throws(PlaybackSessionError) -> Answer
    ) async throws(PlaybackSessionError) -> Answer {
        do throws(PlaybackSessionError) {
            return try await ask(presented.operations)
        } catch {
            state.note(AccessOutcome(error, of: presented.text), at: presented.operations.now)
            throw error
        }
    }

    /// Finds the session of a request: in its body, or else in the cookie of the resource that the body names.
    private func presentedSession(_ request: Request) async throws -> PresentedSession {
        try request.require(.post)
        let configuration = state.configuration
        let operations = try SessionOperations(configuration, registry: state.registry, at: state.time.now)
        let body = try SessionRequestBody(try await request.bytes(upTo: configuration.settings.limits.bodyBytes))
        return try await PresentedSession(body, of: request, at: operations)
    }

    /// Publishes the public keys, so that edges can check sessions themselves.
    func publicKeys(_ request: Request) throws(RequestError) -> Response {
        try request.require(.get, .head)
        let rules = try state.configuration.sessionRules()
        var response = Response("application/json", rules.jwkSet.utf8)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }
}

#endif
