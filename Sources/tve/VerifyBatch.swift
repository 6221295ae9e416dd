#if CLI
    import ArgumentParser
    import EntitlementValues
    import MediaTokens
    import OpenSSLBridge

    /// Verifies one token per line of standard input, on several cores, in order, in bounded memory.
    struct VerifyBatch: Sendable {
        let verifier: MediaTokenVerifier
        let at: Timestamp?
        let jobs: Int?
        let isStrict: Bool

        func run() async throws {
            if StandardStreams.inputIsTerminal {
                StandardStreams.report("tve: reading rows from standard input; end them with Ctrl-D")
            }
            var lines = LineReader()
            var summary = BatchSummary()
            var pending: [Task<BatchOutput, Never>] = []
            var progress = BatchProgress()
            // More would only hold more rows in memory.
            let ahead = min(jobs ?? 2 * StandardStreams.coreCount, 64)
            do {
                while true {
                    // Verdicts go out before the next rows are waited for: the writer may be waiting for them.
                    let mayRead = pending.isEmpty || lines.hasLines || StandardStreams.inputIsReady
                    if pending.count < ahead, mayRead, let piece = try next(&lines) {
                        pending.append(Task.detached { VerdictRows(verifier: verifier, at: at).rows(for: piece) })
                        continue
                    }
                    guard !pending.isEmpty else { break }
                    let output = await pending.removeFirst().value
                    try Console.write(output.octets)
                    summary.add(output)
                    progress.show(summary, octetsRead: lines.octetsRead)
                }
            } catch {
                // Nobody reads, or nothing can be read: what is under way ends by itself and is dropped.
                progress.finish()
                throw error
            }
            progress.finish()
            StandardStreams.report(summary.line)
            if isStrict, summary.badRows > 0 { throw ExitCode(2) }
        }

        private func next(_ lines: inout LineReader) throws -> LineReader.Piece? {
            do throws(FileFailure) {
                return try lines.next()
            } catch {
                throw Console.fail("io", file: "-", "standard input: \(error.reason)", .text, .io)
            }
        }
    }

    /// Verdicts of some rows, ready to be written, and what they add to the summary.
    struct BatchOutput: Sendable {
        var octets: [UInt8] = []
        var counts: [String: Int] = [:]

        mutating func add(_ verdict: [UInt8], code: String) {
            octets += verdict
            octets.append(UInt8(ascii: "\n"))
            counts[code, default: 0] += 1
        }
    }

    /// Reads rows and writes verdicts.
    struct VerdictRows {
        let verifier: MediaTokenVerifier
        let at: Timestamp?

        func rows(for piece: LineReader.Piece) -> BatchOutput {
            var output = BatchOutput()
            switch piece.content {
            case .tooLong:
                output.add(Self.badRow(id: nil, piece.firstLine, tooLong), code: "bad_row")
            case .lines(let octets):
                let text = octets.span
                var start = 0
                var line = piece.firstLine
                while start < octets.count {
                    var end = start
                    while end < octets.count, text[end] != UInt8(ascii: "\n") { end += 1 }
                    add(text, start..<end, line, to: &output)
                    start = end + 1
                    line += 1
                }
            }
            return output
        }

        private func add(_ text: Span<UInt8>, _ range: Range<Int>, _ line: Int, to output: inout BatchOutput) {
            var id: [UInt8]?
            do throws(JSONFault) {
                guard range.count <= LineReader.longestLine else { throw tooLong }
                let row = try VerifyRow(text, range, id: &id)
                let verifier = try row.verifier(from: verifier)
                let now = row.at ?? at ?? .now
                let verdict = verifier.verdict(on: row.token.span, expecting: row.expectations, at: now)
                output.add(verdict.object(id: id ?? null).finished, code: verdict.code)
            } catch {
                output.add(Self.badRow(id: id, line, error), code: "bad_row")
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
    private let tooLong = JSONFault(reason: "longer than \(LineReader.longestLine) octets")

    /// One row of the batch contract.
    struct VerifyRow {
        let token: [UInt8]
        let expectations: TokenExpectations
        let at: Timestamp?
        private let leeway: TimeToLive?

        /// Reads a row; its `id` goes out as soon as it is known, so that a bad row can be told by it.
        init(_ text: Span<UInt8>, _ range: Range<Int>, id: inout [UInt8]?) throws(JSONFault) {
            guard text.extracting(range).isTextWithoutNUL else { throw JSONFault(reason: "not UTF-8") }
            let members = try JSONReader.members(of: text, in: range)
            id = members[idName].map { JSONReader.compacted(text, $0) }
            guard let token = try Self.text(text, members, tokenName) else {
                throw JSONFault(reason: "the token is null")
            }
            self.token = token
            expectations = TokenExpectations(
                requestor: try Self.expectation(text, members, requestorName),
                resource: try Self.expectation(text, members, resourceName)
            )
            at = try Self.number(text, members, atName).map(Timestamp.init(milliseconds:))
            leeway = try Self.number(text, members, leewayName).map(TimeToLive.init(milliseconds:))
        }

        /// The verifier for this row: the given one, or with the row's own leeway.
        func verifier(from verifier: MediaTokenVerifier) throws(JSONFault) -> MediaTokenVerifier {
            guard let leeway else { return verifier }
            do throws(VerificationPolicyError) {
                return try verifier.with(leeway: leeway)
            } catch {
                throw JSONFault(reason: error.description)
            }
        }

        /// A required member that is a string or null.
        private static func text(
            _ text: Span<UInt8>,
            _ members: [[UInt8]: JSONValue],
            _ name: [UInt8]
        ) throws(JSONFault) -> [UInt8]? {
            let printed = String(decoding: name, as: UTF8.self)
            guard let value = members[name] else {
                throw JSONFault(reason: "\(printed) is missing; null means unchecked")
            }
            if value.kind == .null { return nil }
            guard value.kind == .string else {
                throw JSONFault(reason: "\(printed) is a JSON \(value.kind.rawValue) instead of a string")
            }
            guard let octets = JSONReader.string(text, value) else {
                throw JSONFault(reason: "\(printed) holds half a surrogate pair")
            }
            return octets
        }

        private static func expectation<Identifier: EntitlementIdentifier>(
            _ text: Span<UInt8>,
            _ members: [[UInt8]: JSONValue],
            _ name: [UInt8]
        ) throws(JSONFault) -> Expectation<Identifier> {
            guard let octets = try Self.text(text, members, name) else { return .unchecked }
            guard !octets.isEmpty else {
                throw JSONFault(reason: "\(String(decoding: name, as: UTF8.self)) is empty; null means unchecked")
            }
            return .exactly(Identifier(String(decoding: octets, as: UTF8.self)))
        }

        private static func number(
            _ text: Span<UInt8>,
            _ members: [[UInt8]: JSONValue],
            _ name: [UInt8]
        ) throws(JSONFault) -> Int64? {
            guard let value = members[name], value.kind != .null else { return nil }
            guard let number = JSONReader.integer(text, value) else {
                throw JSONFault(
                    reason: "\(String(decoding: name, as: UTF8.self)) is not a whole number of milliseconds")
            }
            return number
        }
    }

    private let idName = Array("id".utf8)
    private let tokenName = Array("token".utf8)
    private let requestorName = Array("requestor".utf8)
    private let resourceName = Array("resource".utf8)
    private let atName = Array("at".utf8)
    private let leewayName = Array("leeway".utf8)
#endif
