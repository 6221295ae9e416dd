import TextCodecs
package import EntitlementValues
package import MediaTokens

/// Reads rows and answers each by a verdict.
package struct VerdictRows: Sendable {
    let verifier: MediaTokenVerifier
    let at: Timestamp?
    /// Lets each token pass once, where that is wanted.
    let redemption: RowRedemption?

    // Rows hold one token, so this is generous. A verdict on a blank line is a hundred times as long as the line.
    package static let lineLimits = LineCutter.Limits(maximumLineLength: 1 << 20, maximumLines: 1024)

    package init(verifier: MediaTokenVerifier, at: Timestamp? = nil, redemption: RowRedemption?) {
        self.verifier = verifier
        self.at = at
        self.redemption = redemption
    }

    /// One verdict for each line of a piece, without the line's end, and its code.
    package func verdicts(on piece: LineCutter.Piece) async -> [(line: [UInt8], code: String)] {
        var rows: [RowVerdict?] = []
        // What goes out of each row: its id, or all of its answer where it could not be read.
        var parts: [[UInt8]] = []
        switch piece.content {
        case .tooLong:
            let fault = JSONFault(reason: "longer than \(Self.lineLimits.maximumLineLength) bytes")
            parts.append(Self.badRow(id: nil, piece.firstLine, fault))
            rows.append(nil)
        case .lines(let bytes):
            for line in piece.lines {
                let (row, part) = verify(bytes.span, line.range, line.number)
                rows.append(row)
                parts.append(part)
            }
        }
        await redemption?.redeem(&rows, of: piece)
        return zip(rows, parts).map { row, part in
            guard let verdict = row?.verdict else { return (part, "bad_row") }
            return (verdict.object(id: part).finished, verdict.code)
        }
    }

    private func verify(_ text: Span<UInt8>, _ range: Range<Int>, _ line: Int) -> (RowVerdict?, [UInt8]) {
        var id: [UInt8]?
        do throws(JSONFault) {
            let row = try VerifyRow(text, range, id: &id)
            let verifier = try row.verifier(from: verifier)
            let now = row.at ?? at ?? .now
            let verdict = try row.verdict(by: verifier, text, at: now)
            return (RowVerdict(verdict: verdict, now: now), id ?? null)
        } catch {
            return (nil, Self.badRow(id: id, line, error))
        }
    }

    private static func badRow(id: [UInt8]?, _ line: Int, _ fault: JSONFault) -> [UInt8] {
        var object = JSONWriter()
        object.member("id", raw: id ?? null)
        object.member("valid", false)
        object.member("status", MediaTokenStatus.errorUnknown.rawValue)
        object.member("code", "bad_row")
        object.member("detail", "line \(line): \(fault.reason)")
        return object.finished
    }
}

private let null = Array("null".utf8)
