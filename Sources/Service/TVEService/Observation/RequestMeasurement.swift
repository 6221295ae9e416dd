#if Service
import HTTPTypes
package import Hummingbird
import Instrumentation
import Logging
import Tracing

/// The endpoints, as the label `endpoint` of the metrics names them.
package enum Endpoint: String, Sendable, CaseIterable {
    case authz
    case verify
    case verifyBatch = "verify_batch"
    case decisions
    case sessions
    case renewSession = "sessions_renew"
    case endSession = "sessions_end"
    case revokeSessions = "sessions_revoke"
    case publicKeys = "jwks"
    case decrypt
    case devices
    case renewDevice = "devices_renew"
    case providers
    case authentication
    case partnerAuthentication = "authentication_partner"
    case partner
    case activate
    case activations
    case loginReturn = "return"
    case profile
    case preauthorizations
    case plays
    case logout
    case other

    /// Whether settings serve it, as opposed to answering that it is not enabled.
    func isServed(by settings: ServiceSettings) -> Bool {
        switch self {
        case .authz, .verify, .verifyBatch, .decisions, .other: true
        case .sessions, .renewSession, .endSession, .publicKeys: settings.sessions != nil
        case .revokeSessions: settings.sessions?.records != nil
        case .decrypt: settings.decryption != nil
        case .devices, .renewDevice, .providers, .authentication, .partnerAuthentication, .partner, .activate,
            .activations, .loginReturn, .profile, .preauthorizations, .plays, .logout:
            settings.gateway != nil
        }
    }
}

extension ServiceState {
    /// Runs `answer`, counts and times the request, and turns an error into the response that tells it.
    ///
    /// The request's header fields may continue a trace. The response names the request, has `Connection: close` if the
    /// service is stopping, and has no body if the request is HEAD. An error of a type for which no edge has an answer is
    /// logged, and answered with 500. Throws the error of reading a body whose client closed the connection, and
    /// `CancellationError` if the request is over before its answer.
    package func measured(
        _ endpoint: Endpoint,
        _ request: Request,
        by answer: () async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        metrics.begin()
        // What is thrown has to do with a client which closed the connection before it was answered.
        var status = 400
        defer {
            // A batch that was accepted is measured until its last row; see `BatchPlaces`.
            if endpoint != .verifyBatch || status != 200 {
                metrics.end(endpoint, status: status, duration: start.duration(to: .now))
            }
        }
        let identity = RequestIdentity(request.headers, at: endpoint)
        var response = try await RequestIdentity.$current.withValue(identity) {
            try await traced(endpoint, request, by: answer)
        }
        identity.mark(&response.headers)
        status = response.status.code
        // Otherwise a client that keeps its connection could find it closed in the middle of its next request.
        if isDraining { response.headers[.connection] = "close" }
        return response.answering(request)
    }

    /// Runs `answer` in a tracing span if a tracer is installed.
    private func traced(
        _ endpoint: Endpoint,
        _ request: Request,
        by answer: () async throws -> Response
    ) async throws -> Response {
        guard isTraced else { return try await withoutFault(answer) }
        var context = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &context, using: FieldExtractor())
        return try await withSpan("tve \(endpoint.rawValue)", context: context, ofKind: .server) { span in
            let response = try await withoutFault(answer)
            span.attributes["http.response.status_code"] = response.status.code
            return response
        }
    }

    private func withoutFault(_ answer: () async throws -> Response) async throws -> Response {
        do {
            return try await answer()
        } catch let broken as BrokenBody {
            throw broken.cause
        } catch {
            return try (RequestError(atService: error) ?? unexpected(error)).serviceForm
        }
    }

    /// What is answered to an error without an answer of its own: a fault of the service, whose type the log tells.
    ///
    /// Throws the error if it is none: the client's connection broke, or the request was given up.
    func unexpected(_ error: any Error) throws -> RequestError {
        if error is BrokenBody || error is CancellationError { throw error }
        let refusal = RequestError.unexpected
        // Its type alone: what it says of itself may hold anything.
        log(
            "a request failed with an unexpected error", at: .error, sampledBy: refusal.code,
            ["type": "\(type(of: error))"])
        return refusal
    }
}

extension Response {
    /// The same response as it answers a request: to HEAD, without its body, but with the length of that.
    ///
    /// The client would take a body for the beginning of the next answer on the connection.
    func answering(_ request: Request) -> Response { request.method == .head ? createHeadResponse() : self }
}

/// Reads the caller's trace context from header fields.
private struct FieldExtractor: Extractor {
    func extract(key name: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }
}
#endif
