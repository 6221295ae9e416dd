#if CLI
import TextCodecs
import ArgumentParser
import RowBatches

/// What becomes of a row that could not be decrypted.
enum FailedRowPolicy: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// It goes out unchanged, and says why.
    case emit
    /// It is left out.
    case skip
    /// It ends the run.
    case fail
}

/// Decrypts values in rows; everything else in a row stays byte for byte.
struct DecryptRows: BatchRows {
    let reader: any RowReader
    let policy: FailedRowPolicy
    /// Whether a key and a TAB stand before the JSON of each line.
    let hasKeyPrefix: Bool
    /// Whether failed rows are gathered in a file.
    let keepsFailedRows: Bool
    let limits: LineCutter.Limits

    let goodCode = "decrypted"
    let otherName = "failed"

    func answers(to piece: LineCutter.Piece) async -> BatchOutput {
        var output = BatchOutput()
        switch piece.content {
        case .tooLong(let head):
            // Whoever gathers answers by their keys needs the one of this line, too.
            let tab = hasKeyPrefix ? head.firstIndex(of: UInt8(ascii: "\t")) : nil
            let line = RowLine(piece.firstLine, head, 0..<(tab.map { $0 + 1 } ?? 0), hasKeyPrefix: hasKeyPrefix)
            fail(line, .bad(JSONFault(reason: "longer than \(limits.maximumLineLength) bytes")), to: &output)
        case .lines(let bytes):
            for (number, range) in piece.lines where output.failure == nil {
                add(RowLine(number, bytes, range, hasKeyPrefix: hasKeyPrefix), to: &output)
            }
        }
        return output
    }

    private func add(_ line: RowLine, to output: inout BatchOutput) {
        do throws(JSONFault) {
            let json = try line.readableJSON
            let row = try reader.read(line.bytes.span.extracting(json))
            guard row.faults.isEmpty else {
                count(row.keys, in: &output)
                fail(line, .unread(row, listsFaults: reader.listsFaults), to: &output)
                return
            }
            output.add(code: goodCode) { bytes in
                line.write(to: &bytes) { row.write(line.bytes[json], mark: row.goodMark, to: &$0) }
            }
            count(row.keys, in: &output)
        } catch {
            fail(line, .bad(error), to: &output)
        }
    }

    private func count(_ keys: [String], in output: inout BatchOutput) {
        for key in keys { output.tally.keys[key, default: 0] += 1 }
    }

    private func fail(_ line: RowLine, _ failure: RowFailure, to output: inout BatchOutput) {
        if keepsFailedRows { output.errors += failure.record(of: line) }
        switch policy {
        case .emit:
            output.add(code: failure.code) { bytes in
                line.write(to: &bytes) { failure.write(line, to: &$0) }
            }
        case .skip:
            output.tally.codes[failure.code, default: 0] += 1
        case .fail:
            output.tally.codes[failure.code, default: 0] += 1
            let detail = "line \(line.number): \(failure.detail)"
            output.failure = BatchFailure(code: failure.code, detail: detail, exitCode: .undecryptable)
        }
    }
}

/// One line of a batch: a key and a TAB where there is one, the JSON, and a CR where there is one.
struct RowLine {
    let number: Int
    let bytes: [UInt8]
    /// Without LF and CR.
    let content: Range<Int>
    let json: Range<Int>
    private let ending: Range<Int>
    private let lacksKey: Bool

    init(_ number: Int, _ bytes: [UInt8], _ range: Range<Int>, hasKeyPrefix: Bool) {
        self.number = number
        self.bytes = bytes
        let end = bytes[range].last == UInt8(ascii: "\r") ? range.upperBound - 1 : range.upperBound
        content = range.lowerBound..<end
        ending = end..<range.upperBound
        let tab = hasKeyPrefix ? bytes[content].firstIndex(of: UInt8(ascii: "\t")) : nil
        json = (tab.map { $0 + 1 } ?? range.lowerBound)..<end
        lacksKey = hasKeyPrefix && tab == nil
    }

    /// Where the JSON is.
    ///
    /// - Throws: `JSONFault` where the line is not what was announced.
    var readableJSON: Range<Int> {
        get throws(JSONFault) {
            if lacksKey { throw JSONFault(reason: "no TAB behind a key") }
            guard bytes.span.extracting(json).isTextWithoutNUL else {
                throw JSONFault(reason: "not UTF-8, or NUL in it")
            }
            return json
        }
    }

    /// Writes the line, without LF, with other JSON.
    func write(to output: inout [UInt8], json write: (inout [UInt8]) -> Void) {
        output += bytes[content.lowerBound..<json.lowerBound]
        write(&output)
        output += bytes[ending]
    }
}
#endif
