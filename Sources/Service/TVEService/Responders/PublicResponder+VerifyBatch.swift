#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import RowBatches

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
        guard let text = queryParameters[name] else { return false }
        guard let flag = Bool(text) else { throw .badRequest("\(name) is neither true nor false") }
        return flag
    }
}
#endif
