#if CLI
import RowBatches

extension VerdictRows: BatchRows {
    var limits: LineCutter.Limits { Self.lineLimits }
    var goodCode: String { "valid" }
    var otherName: String { "refused" }

    func answers(to piece: LineCutter.Piece) async -> BatchOutput {
        var output = BatchOutput()
        for (line, code) in await verdicts(on: piece) { output.add(line: line, code: code) }
        return output
    }
}
#endif
