#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import NIOCore
import RowBatches
import TextCodecs
import TokenRedemption

extension PublicResponder {
    func verify(_ request: Request) async throws -> Response {
        try request.require(.post)
        // A token that is thought to be used up would pass again.
        guard request.queryParameters.values(of: "redeem").isEmpty else {
            throw RequestError.badRequest("redeem is a member of the body here")
        }
        let configuration = state.configuration
        let body = try VerifyRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes),
            taking: ["token", "requestor", "resource", "redeem"], for: configuration.verifier)
        guard !body.redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let now = state.time.now
        var verdict = body.verdict(at: now)
        if body.redeems, let store = state.store { verdict = await verdict.redeemed(in: store, at: now) }
        state.note(AccessOutcome(verdict, of: body.text), at: now)
        return Response(verdict.status == .errorUnknown ? .serviceUnavailable : .ok, verdict.object())
    }
}

/// The body of a request to verify a token: the token, the expectations, and whether to redeem it.
struct VerifyRequestBody {
    private let row: VerifyRow
    private let token: [UInt8]
    private let verifier: MediaTokenVerifier
    let redeems: Bool
    /// How a session is wanted; `nil` if the request does not say.
    let cookie: Bool?
    /// The token as a string, for its digest.
    var text: String { String(decoding: token, as: UTF8.self) }

    /// Reads a body, JSON in UTF-8; throws with the status 400 if it is not that.
    ///
    /// A member with a name that is not among `names` is an error, since it may be a misspelt one. The verifier is that
    /// of the token.
    init(_ body: [UInt8], taking names: Set<String>, for verifier: MediaTokenVerifier) throws(RequestError) {
        let body = body[...]
        self.verifier = verifier
        (row, token, redeems, cookie) = try RequestError.reading { () throws(JSONFault) in
            var id: [UInt8]?
            let row = try VerifyRow(body.span, body.span.afterByteOrderMark, id: &id)
            let token = try row.tokenBytes(in: body.span, for: verifier)
            let object = try JSONObject(body.span, in: body.span.afterByteOrderMark)
            try object.allowOnly(names)
            let redeems = try object.boolean("redeem", in: body.span) ?? false
            return (row, token, redeems, try object.boolean("cookie", in: body.span))
        }
    }

    /// Verifies the token.
    func verdict(at now: Timestamp) -> MediaTokenVerdict { row.verdict(on: token, by: verifier, at: now) }
}

extension PublicResponder {
    func verifyBatch(_ request: Request, on channel: any Channel) throws -> Response {
        try request.require(.post)
        let redeems = try request.flag("redeem")
        guard !redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let place = try state.batches.take(
            for: .verifyBatch, on: channel, within: state.configuration.settings.limits)
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

    /// The rows that are verified between two chances for other requests.
    static let batchPiece = 64
}

/// Ends a batch of which too many lines are not rows.
private struct TooManyFaults: Error {}

extension Request {
    /// The value of a query parameter that is `true` or `false`; false if it is missing.
    fileprivate func flag(_ name: String) throws(RequestError) -> Bool {
        guard let text = try queryParameters.value(of: name) else { return false }
        guard let flag = Bool(text) else { throw .badRequest("\(name) is neither true nor false") }
        return flag
    }
}
#endif
