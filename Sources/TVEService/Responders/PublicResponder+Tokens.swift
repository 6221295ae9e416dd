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
            taking: ["token", "requestor", "resource", "redeem"], for: configuration.verifier)
        guard !body.redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let now = state.time.now
        var verdict = body.verdict(at: now)
        if body.redeems, let store = state.store { verdict = await verdict.redeemed(in: store, at: now) }
        state.note(Outcome(verdict, of: body.text), at: now)
        return Response(verdict.status == .errorUnknown ? .serviceUnavailable : .ok, verdict.object())
    }

    // MARK: Many tokens

    func verifyBatch(_ request: Request, on channel: any Channel) throws -> Response {
        try request.require(.post)
        let redeems = try request.flag("redeem")
        guard !redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let place = try state.takeBatchPlace(for: .verifyBatch, on: channel)
        let redemption = redeems ? state.store.map { RowRedemption(store: $0, inOrder: $0.isInMemory) } : nil
        let body = request.body
        let answers = ResponseBody { writer in
            // Few rows at a time, so that single requests are answered in between.
            var cutter = LineCutter(
                limits: .init(
                    maximumLineLength: VerdictRows.lineLimits.maximumLineLength, maximumLines: Self.batchPiece))
            var faults = 0
            let answer = { (cutter: inout LineCutter, faults: inout Int, writer: inout any ResponseBodyWriter) in
                while let piece = cutter.next() {
                    var bytes: [UInt8] = []
                    // The rest of the piece has its verdicts, too: its tokens may be used up.
                    var isOver = false
                    // Read anew for each piece: a batch may run for hours, and keys may change meanwhile.
                    let rows = VerdictRows(
                        verifier: state.configuration.verifier, at: state.time.now, redemption: redemption)
                    let verdicts = await rows.verdicts(on: piece)
                    for (line, code) in verdicts {
                        bytes += line + [UInt8(ascii: "\n")]
                        state.metrics.count(tokenCode: code)
                        VerdictRows.count(code: code, in: &faults)
                        isOver = isOver || faults == VerdictRows.maximumFaults
                    }
                    state.metrics.countBatch(rows: verdicts.count)
                    if isOver {
                        bytes += VerdictRows.tooManyFaults(at: piece.firstLine + verdicts.count) + [UInt8(ascii: "\n")]
                    }
                    try await writer.write(ByteBuffer(bytes: bytes))
                    // The answer must not look complete.
                    if isOver { throw TooManyFaults() }
                    await Task.yield()
                }
            }
            for try await buffer in body {
                cutter.add(buffer.readableBytesView)
                try await answer(&cutter, &faults, &writer)
            }
            // When the service is cancelled, the body just ends; the response must not look complete then.
            try Task.checkCancellation()
            cutter.finish(isCut: false)
            try await answer(&cutter, &faults, &writer)
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
    func verifyDecisions(_ request: Request, on channel: any Channel) async throws -> Response {
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
            place = try state.takeBatchPlace(for: .decisions, on: channel)
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

/// Ends a batch of which too many lines are not rows.
private struct TooManyFaults: Error {}

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

extension Request {
    /// The value of a query parameter that is `true` or `false`; false if it is missing.
    fileprivate func flag(_ name: String) throws(RequestError) -> Bool {
        guard let text = uri.queryParameters.get(name) else { return false }
        guard let flag = Bool(text) else { throw .badRequest("\(name) is neither true nor false") }
        return flag
    }
}
#endif
