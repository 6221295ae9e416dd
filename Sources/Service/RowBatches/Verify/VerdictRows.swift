package import EntitlementValues
package import MediaTokens
import TextCodecs

/// Verifies the token of each row, and answers the row with a verdict.
package struct VerdictRows: BatchRows {
    private let verifier: MediaTokenVerifier
    private let at: Timestamp?
    private let redemption: RowRedemption?

    package let goodCode = "valid"
    package let otherName = "refused"
    package let shortestRow = #"{"token":""}"#.utf8.count + 1
    package var limits: LineCutter.Limits { Self.lineLimits }

    // A row holds one token, so a mebibyte is generous. Few lines a piece: the verdict on a blank line is a hundred times
    // as long as the line.
    package static let lineLimits = LineCutter.Limits(maximumLineLength: 1 << 20, maximumLines: 1024)

    /// Makes the rows of one batch; a row may have a leeway of its own.
    ///
    /// `at` is the time for rows that name none; `nil` for the time when each row is verified. `redemption` redeems the
    /// valid tokens, if each may be used only once.
    package init(verifier: MediaTokenVerifier, at: Timestamp? = nil, redemption: RowRedemption?) {
        self.verifier = verifier
        self.at = at
        self.redemption = redemption
    }

    package func answers(to piece: LineCutter.Piece) async -> BatchOutput {
        var output = BatchOutput()
        for (line, code) in await verdicts(on: piece) {
            output.add(line: line, code: code)
            if Self.failures.contains(code) { output.tally.failures += 1 }
        }
        return output
    }

    /// The codes of rows on which no verdict could be made.
    private static let failures: Set = [badRow, MediaTokenError.storeUnavailable(reason: "").code]

    /// The code of a line that is not a row.
    package static let badRow = "bad_row"

    /// By how many bad rows more than others a client's batch ends: the answer to an empty line is a hundred times as long.
    package static let maximumFaults = 1000

    /// Counts one more verdict of a client's batch: a bad row adds one fault, any other takes one away.
    ///
    /// There are never less than 0 faults: rows pay for the bad ones before them, not for those to come.
    package static func count(code: String, in faults: inout Int) {
        faults = code == badRow ? faults + 1 : max(0, faults - 1)
    }

    /// Verifies the rows of a piece: for each line a verdict as JSON, without a line end, and its code.
    package func verdicts(on piece: LineCutter.Piece) async -> [(line: [UInt8], code: String)] {
        var rows: [RowVerdict?] = []
        // For each row its id or, if the row could not be read, its whole answer.
        var parts: [[UInt8]] = []
        switch piece.content {
        case .tooLong:
            let fault = JSONFault(reason: "longer than \(Self.lineLimits.maximumLineLength) bytes")
            parts.append(Self.refusal(id: nil, line: piece.firstLine, fault))
            rows.append(nil)
        case .lines(let bytes):
            let text = bytes[...]
            for line in piece.lines {
                let (row, part) = verify(line: line.number, at: line.range, of: text.span)
                rows.append(row)
                parts.append(part)
            }
        }
        await redemption?.redeem(&rows, of: piece)
        return zip(rows, parts).map { row, part in
            guard let verdict = row?.verdict else { return (part, Self.badRow) }
            return (verdict.object(id: part).finished, verdict.code)
        }
    }

    private func verify(line: Int, at range: Range<Int>, of text: Span<UInt8>) -> (RowVerdict?, [UInt8]) {
        var id: [UInt8]?
        do throws(JSONFault) {
            let row = try VerifyRow(text, range, id: &id)
            let verifier = try row.verifier(from: verifier)
            let now = row.at ?? at ?? .now
            let verdict = try row.verdict(by: verifier, text, at: now)
            return (RowVerdict(verdict: verdict, now: now), id ?? null)
        } catch {
            return (nil, Self.refusal(id: id, line: line, error))
        }
    }

    private static func refusal(id: [UInt8]?, line: Int, code: String = badRow, _ fault: JSONFault) -> [UInt8] {
        var object = JSONWriter()
        object.member("id", raw: id ?? null)
        object.member("valid", false)
        object.member("status", MediaTokenStatus.errorUnknown.rawValue)
        object.member("code", code)
        object.member("detail", "line \(line): \(fault.reason)")
        object.member("line", line)
        return object.finished
    }

    /// The last line of an answer that ends because of too many bad rows: JSON like that of a bad row, without a line
    /// end.
    ///
    /// `line` is the number of the first line without a verdict.
    package static func tooManyFaults(at line: Int) -> [UInt8] {
        refusal(
            id: nil, line: line, code: "too_many_faults",
            JSONFault(reason: "\(maximumFaults) more lines were not rows than were rows, and this one was not read"))
    }
}

private let null = Array("null".utf8)
