#if Service
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import NIOCore
import ServiceResponses
import TextCodecs

extension PublicResponder {
    /// Verifies the decisions of a response one after the other.
    ///
    /// A response with many decisions is as much work as a batch, so it takes the place of one, and lets single requests
    /// be answered in between.
    func verifyDecisions(_ request: Request, on channel: any Channel) async throws -> Response {
        try request.require(.post)
        guard let requestor = try request.queryParameters.value(of: "requestor"), !requestor.isEmpty else {
            throw RequestError.badRequest("the query parameter requestor is missing")
        }
        let configuration = state.configuration
        let body = try await request.bytes(upTo: configuration.settings.limits.decisionsBytes)
        let response = try DecisionsResponse(parsing: body)
        var place: BatchPlaces.Place?
        if response.decisions.count > Self.batchPiece {
            place = try state.batches.take(for: .decisions, on: channel, within: configuration.settings.limits)
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
        object.member("decisions", objects: zip(response.decisions, results)) { $1.members(of: $0.0, $0.1) }
        object.member("faults", objects: response.faults) { $1.members(of: $0) }
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
#endif
