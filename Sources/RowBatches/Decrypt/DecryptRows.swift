import TextCodecs

/// What becomes of a row that could not be decrypted.
package enum FailedRowPolicy: String, CaseIterable, Sendable {
    /// It is written unchanged, with the reason in its member `_tve`.
    case emit
    /// It is left out.
    case skip
    /// It ends the run.
    case fail
}

/// Decrypts values in the rows of a batch; everything else in a row stays byte for byte.
package struct DecryptRows: BatchRows {
    private let reader: any RowReader
    private let policy: FailedRowPolicy
    private let hasKeyPrefix: Bool
    private let recordsFailedRows: Bool
    package let limits: LineCutter.Limits

    package let goodCode = "decrypted"
    package let otherName = "failed"

    /// Makes the rows of one batch.
    ///
    /// - Parameters:
    ///   - reader: Finds and decrypts the values of a row.
    ///   - policy: What becomes of failed rows.
    ///   - hasKeyPrefix: Whether each line starts with a key and a TAB, which are passed on (Hadoop streaming).
    ///   - recordsFailedRows: Whether failed rows are also recorded in ``BatchOutput/errors``.
    ///   - limits: How the input is cut into pieces.
    package init(
        reader: any RowReader,
        policy: FailedRowPolicy = .emit,
        hasKeyPrefix: Bool = false,
        recordsFailedRows: Bool = false,
        limits: LineCutter.Limits
    ) {
        self.reader = reader
        self.policy = policy
        self.hasKeyPrefix = hasKeyPrefix
        self.recordsFailedRows = recordsFailedRows
        self.limits = limits
    }

    package func answers(to piece: LineCutter.Piece) async -> BatchOutput {
        var output = BatchOutput()
        switch piece.content {
        case .tooLong(let head):
            // A caller that groups answers by key needs the key of this line, too.
            let tab = hasKeyPrefix ? head.firstIndex(of: UInt8(ascii: "\t")) : nil
            let line = RowLine(
                number: piece.firstLine, bytes: head, range: 0..<(tab.map { $0 + 1 } ?? 0), hasKeyPrefix: hasKeyPrefix)
            fail(line, .bad(JSONFault(reason: "longer than \(limits.maximumLineLength) bytes")), to: &output)
        case .lines(let bytes):
            for (number, range) in piece.lines where output.stop == nil {
                add(RowLine(number: number, bytes: bytes, range: range, hasKeyPrefix: hasKeyPrefix), to: &output)
            }
        }
        return output
    }

    private func add(_ line: RowLine, to output: inout BatchOutput) {
        do throws(JSONFault) {
            let json = try line.readableJSON
            let text = line.bytes[json]
            let row = try reader.read(text.span)
            guard row.faults.isEmpty else {
                count(row.keys, in: &output)
                fail(line, .notDecrypted(row, listsFaults: reader.listsFaults), to: &output)
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

    private func fail(_ line: RowLine, _ failed: FailedRow, to output: inout BatchOutput) {
        if recordsFailedRows { output.errors += failed.record(of: line) }
        switch policy {
        case .emit:
            output.add(code: failed.code) { bytes in
                line.write(to: &bytes) { failed.write(line, to: &$0) }
            }
        case .skip:
            output.tally.codes[failed.code, default: 0] += 1
        case .fail:
            output.tally.codes[failed.code, default: 0] += 1
            output.stop = BatchStop(code: failed.code, detail: "line \(line.number): \(failed.detail)")
        }
    }
}

/// The parts of a line: a key and a TAB if the input has them, the JSON, and a CR if there is one.
struct RowLine {
    let number: Int
    let bytes: [UInt8]
    /// The line without LF and CR.
    let content: Range<Int>
    let json: Range<Int>
    private let ending: Range<Int>
    private let lacksKey: Bool

    /// Takes a line apart.
    ///
    /// - Parameters:
    ///   - number: The line's number, from 1.
    ///   - bytes: The piece that the line is part of.
    ///   - range: The line in these bytes, without LF.
    ///   - hasKeyPrefix: Whether a key and a TAB come before the JSON.
    init(number: Int, bytes: [UInt8], range: Range<Int>, hasKeyPrefix: Bool) {
        self.number = number
        self.bytes = bytes
        let end = bytes[range].last == UInt8(ascii: "\r") ? range.upperBound - 1 : range.upperBound
        content = range.lowerBound..<end
        ending = end..<range.upperBound
        let tab = hasKeyPrefix ? bytes[content].firstIndex(of: UInt8(ascii: "\t")) : nil
        json = (tab.map { $0 + 1 } ?? range.lowerBound)..<end
        lacksKey = hasKeyPrefix && tab == nil
    }

    /// The range of the JSON, once the line is known to be readable text.
    ///
    /// - Throws: `JSONFault` if the key is missing, or the JSON is not UTF-8 or contains NUL.
    var readableJSON: Range<Int> {
        get throws(JSONFault) {
            if lacksKey { throw JSONFault(reason: "no TAB after a key") }
            let text = bytes[json]
            guard text.span.isTextWithoutNUL else {
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
