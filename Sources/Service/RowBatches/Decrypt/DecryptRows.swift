package import TextCodecs

/// What becomes of a row that could not be decrypted.
package enum FailedRowPolicy: String, CaseIterable, Sendable {
    /// It is written unchanged, with the reason in its member `_tve`.
    case emit
    /// It is left out.
    case skip
    /// It ends the run.
    case fail
}

/// How the rows of a batch are written, and where their values are.
package protocol RowFormat: Sendable {
    /// Decrypts the values of a row, and appends the answer, without its LF.
    func answer(_ line: RowLine, to output: inout [UInt8]) -> RowOutcome

    /// Appends the answer to a line that could not be read, without its LF.
    func answer(_ line: RowLine, _ fault: JSONFault, to output: inout [UInt8])
}

/// How a row went.
package struct RowOutcome: Sendable {
    /// Labels of the keys that decrypted something.
    let keys: [String]
    /// Why the row was not decrypted; `nil` if it was.
    let failed: FailedRow?
    /// Why other rows may be lost in the row, if it reads well.
    var joined: JoinedRecords.Kind?
    /// Whether a bad row is one row, however many lines of the input it takes.
    var isOneRow = false
    /// What a failed row looks like, if it was written in another form.
    var misread: Misreading?
    /// Whether an earlier run has decrypted the row.
    var isResumed = false
}

/// Decrypts values in the rows of a batch; everything else in a row stays byte for byte.
package struct DecryptRows: BatchRows {
    private let format: any RowFormat
    private let policy: FailedRowPolicy
    private let hasKeyPrefix: Bool
    private let recordsFailedRows: Bool
    package let limits: LineCutter.Limits
    package let shortestRow: Int

    package let goodCode = "decrypted"
    package let otherName = "failed"

    /// Makes the rows of one batch.
    ///
    /// `policy` says what becomes of failed rows; `recordsFailedRows`, whether they are also recorded in
    /// ``BatchOutput/errors``. `hasKeyPrefix` says whether each line starts with a key and a TAB, which are passed on
    /// (Hadoop streaming). `limits` say how the input is cut into pieces. `needsValue` says whether a row without an encrypted
    /// value is a failed one.
    package init(
        format: any RowFormat,
        policy: FailedRowPolicy = .emit,
        hasKeyPrefix: Bool = false,
        recordsFailedRows: Bool = false,
        needsValue: Bool = false,
        limits: LineCutter.Limits
    ) {
        self.format = format
        self.policy = policy
        self.hasKeyPrefix = hasKeyPrefix
        self.recordsFailedRows = recordsFailedRows
        self.limits = limits
        // The shortest value is one block of a key of 1024 bits in Base64 without its padding; the shortest row without a
        // value is `{}`, or a blank line under a header of one column.
        shortestRow = needsValue ? 172 : limits.form == nil ? 3 : 1
    }

    package func answers(to piece: LineCutter.Piece) async -> BatchOutput {
        var output = BatchOutput()
        switch piece.content {
        case .tooLong(let head):
            // A caller that groups answers by key needs the key of this line, too.
            let tab = hasKeyPrefix ? head.firstIndex(of: UInt8(ascii: "\t")) : nil
            let line = RowLine(
                number: piece.firstLine, inputLines: piece.inputLines, bytes: head,
                range: 0..<(tab.map { $0 + 1 } ?? 0), hasKeyPrefix: hasKeyPrefix)
            let fault = JSONFault(reason: "longer than \(limits.maximumLineLength) bytes")
            add(line, openMark: piece.openMark, to: &output) { bytes in
                format.answer(line, fault, to: &bytes)
                return RowOutcome(keys: [], failed: .bad(fault))
            }
        case .lines(let bytes):
            for place in piece.lines where output.stop == nil {
                let line = RowLine(
                    number: place.number, inputLines: place.inputLines, bytes: bytes, range: place.range,
                    hasKeyPrefix: hasKeyPrefix)
                // A piece that ends within quotation marks is one record.
                add(line, openMark: piece.openMark, to: &output) { bytes in format.answer(line, to: &bytes) }
            }
        }
        return output
    }

    private func add(
        _ line: RowLine,
        openMark: Int?,
        to output: inout BatchOutput,
        answer: (inout [UInt8]) -> RowOutcome
    ) {
        let start = output.bytes.count
        let outcome = answer(&output.bytes)
        for key in outcome.keys { output.tally.keys[key, default: 0] += 1 }
        output.tally.codes[outcome.failed?.code ?? goodCode, default: 0] += 1
        output.tally.lines += line.inputLines.count
        if outcome.isResumed { output.tally.resumed += 1 }
        if let kind = outcome.joined { output.tally.addJoined(kind, line.inputLines) }
        if let misread = outcome.misread { output.tally.misread[misread, default: 0] += 1 }
        guard let failed = outcome.failed else {
            output.bytes.append(UInt8(ascii: "\n"))
            return
        }
        output.tally.failures += 1
        switch failed {
        case .bad where outcome.isOneRow: break
        case .bad: output.tally.addBadLines(line.inputLines, openMark: openMark)
        case .notDecrypted(let faults, _):
            if let text = faults.first?.nullText { output.tally.nullTexts[text, default: 0] += 1 }
        }
        if recordsFailedRows { output.errors += failed.record(of: line) }
        switch policy {
        case .emit: output.bytes.append(UInt8(ascii: "\n"))
        case .skip: output.bytes.removeLast(output.bytes.count - start)
        case .fail:
            output.bytes.removeLast(output.bytes.count - start)
            output.stop = BatchStop(code: failed.code, detail: "line \(line.number): \(failed.detail)")
        }
    }
}
