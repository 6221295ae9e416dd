package import TextCodecs

/// Counts of answered rows, which add up to a summary.
package struct BatchTally: Sendable {
    /// Rows by the code of their answer.
    package var codes: [String: Int] = [:]
    /// Rows by the key that decrypted them; empty if keys are not counted.
    package var keys: [String: Int] = [:]
    /// Rows for which the job was not done: with a verdict of refusal, it was.
    ///
    /// A bad record counts once for each line of the input that it takes, since each may have been a row.
    package var failures = 0
    /// Rows that an earlier run had answered well, and that stay as they are.
    package var resumed = 0
    /// Lines of the input that the rows take.
    package var lines = 0
    /// Bytes of the input that the rows take; only the head of a line that is too long is counted.
    package internal(set) var bytes = 0
    /// Lines of bad records beyond the first line of each.
    package private(set) var extraLines = 0
    /// Records in which rows may have been lost.
    package private(set) var joined: [JoinedRecords.Kind: JoinedRecords] = [:]
    /// Rows that failed because of a value that programs write for null, by that value as it came.
    package var nullTexts: [String: Int] = [:]
    /// Bad rows by what they look like.
    package var misread: [Misreading: Int] = [:]

    package init() {}

    /// Notes a record in which rows may have been lost.
    mutating func addJoined(_ kind: JoinedRecords.Kind, _ inputLines: ClosedRange<Int>, at line: Int? = nil) {
        let record = JoinedRecords(line: line ?? inputLines.lowerBound, lines: inputLines.count)
        joined.merge([kind: record], uniquingKeysWith: +)
    }

    /// Counts the lines of a bad row beyond its first one, which is counted with the row.
    ///
    /// `inputLines` are the lines of the input that it takes. `openMark` is the line in which a quotation mark opens,
    /// if the input ends before it is closed.
    mutating func addBadLines(_ inputLines: ClosedRange<Int>, openMark: Int?) {
        failures += inputLines.count - 1
        extraLines += inputLines.count - 1
        if let openMark {
            addJoined(.unclosed, inputLines, at: openMark)
        } else if inputLines.count > 1 {
            addJoined(.bad, inputLines)
        }
    }

    /// Adds the counts of the rows that come next.
    mutating func add(_ next: BatchTally) {
        codes.merge(next.codes, uniquingKeysWith: +)
        keys.merge(next.keys, uniquingKeysWith: +)
        failures += next.failures
        resumed += next.resumed
        lines += next.lines
        bytes += next.bytes
        extraLines += next.extraLines
        joined.merge(next.joined, uniquingKeysWith: +)
        nullTexts.merge(next.nullTexts, uniquingKeysWith: +)
        misread.merge(next.misread, uniquingKeysWith: +)
    }
}

/// Counts the answers of a batch, and writes them as one line of JSON.
package struct BatchSummary: Sendable {
    package let goodCode: String
    private let otherName: String
    private let countsLines: Bool
    package private(set) var rows = 0
    private(set) var tally = BatchTally()
    /// Rows before the first one that was answered, which were passed over.
    package private(set) var skipped = 0
    /// Whether a signal ended the run before the end of the input.
    package var isInterrupted = false
    private let start = ContinuousClock.now

    /// Starts counting, and the clock for the rate.
    ///
    /// `goodCode` is the code of rows that went well, which is also what the summary calls them. It calls rows that
    /// could be read but did not go well by `otherName`. If `countsLines` is true, it has the lines of the input, since
    /// a row may take several.
    package init(goodCode: String, otherName: String, countsLines: Bool = false) {
        self.goodCode = goodCode
        self.otherName = otherName
        self.countsLines = countsLines
    }

    /// Rows for which the job was not done; a bad record counts once for each line of the input that it takes.
    package var failures: Int { tally.failures }
    /// Whether there were rows, and the job was done for none of them; not even, in a body of a service, in part.
    package var hasOnlyFailures: Bool { rows > 0 && failures >= rowsWithLost && tally.keys.isEmpty }
    /// Bytes of the input that the answered rows take.
    package var bytes: Int { tally.bytes }
    /// Rows, of which a bad record counts once for each line of the input that it takes.
    package var rowsWithLost: Int { rows + tally.extraLines }
    /// Records in which rows may have been lost.
    package var joined: [JoinedRecords.Kind: JoinedRecords] { tally.joined }
    /// Lines beyond the first one of each good record in which rows may have been lost: each may be a row.
    package var suspectedLines: Int {
        [JoinedRecords.Kind.suspected, .long].reduce(0) { $0 + (joined[$1]?.extraLines ?? 0) }
    }
    /// Rows that failed because of a value that programs write for null, by that value as it came.
    package var nullTexts: [String: Int] { tally.nullTexts }
    /// Bad rows by what they look like.
    package var misread: [Misreading: Int] { tally.misread }
    /// Rows that are not valid rows at all.
    package var badRows: Int { tally.codes["bad_row", default: 0] }
    /// Rows that went well.
    package var good: Int { tally.codes[goodCode, default: 0] }

    /// Adds the counts of some rows.
    package mutating func add(_ other: BatchTally) {
        tally.add(other)
        rows += other.codes.values.reduce(0, +)
    }

    /// Counts a piece that is passed over: an earlier run has answered its rows, and told which of them may be lost.
    ///
    /// That the input ends within quotation marks is told by each run.
    package mutating func skip(_ piece: LineCutter.Piece) {
        // One that is too long is a row, too.
        skipped += max(1, piece.lines.count)
        if let openMark = piece.openMark { tally.addJoined(.unclosed, piece.inputLines, at: openMark) }
    }

    /// Rows per second since the start.
    package var rate: Int {
        let seconds = max(0.001, start.duration(to: .now) / .seconds(1))
        return Int(Double(rows) / seconds)
    }

    /// Percentage of rows that did not go well.
    package var otherPercent: Int { rows == 0 ? 0 : 100 * (rows - good) / rows }

    /// The one line of JSON that ends a batch.
    package var line: String {
        var summary = counts
        summary.member("codes", Self.object(tally.codes))
        if !tally.keys.isEmpty { summary.member("keys", Self.object(tally.keys)) }
        if isInterrupted { summary.member("interrupted", true) }
        summary.member("milliseconds", Int(start.duration(to: .now) / .milliseconds(1)))
        summary.member("rows_per_second", rate)
        return String(decoding: summary.finished, as: UTF8.self)
    }

    /// How many rows there were, and how many of each kind.
    package var counts: JSONWriter {
        var counts = JSONWriter()
        counts.member("rows", rows)
        counts.member(goodCode, good)
        counts.member(otherName, rows - good - badRows)
        counts.member("bad_rows", badRows)
        if countsLines { counts.member("lines", tally.lines) }
        if tally.resumed > 0 { counts.member("resumed", tally.resumed) }
        if skipped > 0 { counts.member("skipped", skipped) }
        return counts
    }

    private static func object(_ counts: [String: Int]) -> JSONWriter {
        var object = JSONWriter()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object.member(name, count) }
        return object
    }
}

/// Records in which rows may have been lost: one quotation mark too many, or a backslash that is text at the end of a line,
/// makes the lines after it part of a value.
package struct JoinedRecords: Sendable, Hashable {
    /// Why rows may have been lost.
    package enum Kind: Sendable, CaseIterable {
        /// The input ends before the quotation mark is closed.
        case unclosed
        /// A record of several lines is not one of the header.
        case bad
        /// A record of several lines reads well, and its lines look like rows.
        case suspected
        /// A record reads well, and takes very many lines.
        case long
    }

    /// The line of the input where the first record begins or, if it is not closed, where its quotation mark stands.
    package let line: Int
    /// How many lines of the input all of them take.
    package private(set) var lines: Int
    package private(set) var records = 1
    /// Lines beyond the first one of each record.
    var extraLines: Int { lines - records }

    init(line: Int, lines: Int) {
        self.line = line
        self.lines = lines
    }

    /// Adds the records that come next.
    static func + (earlier: JoinedRecords, next: JoinedRecords) -> JoinedRecords {
        var sum = earlier
        sum.lines += next.lines
        sum.records += next.records
        return sum
    }
}
