package import TextCodecs

/// Counts of answered rows, which add up to a summary.
package struct BatchTally: Sendable {
    /// Rows by the code of their answer.
    package var codes: [String: Int] = [:]
    /// Rows by the key that decrypted them; empty if keys are not counted.
    package var keys: [String: Int] = [:]
    /// Rows for which the job was not done: with a verdict of refusal, it was.
    package var failures = 0

    package init() {}
}

/// Counts the answers of a batch, and writes them as one line of JSON.
package struct BatchSummary: Sendable {
    package let goodCode: String
    private let otherName: String
    package private(set) var rows = 0
    private(set) var tally = BatchTally()
    /// Whether a signal ended the run before the end of the input.
    package var isInterrupted = false
    private let start = ContinuousClock.now

    /// Starts counting, and the clock for the rate.
    ///
    /// - Parameters:
    ///   - goodCode: The code of rows that went well, which is also what the summary calls them.
    ///   - otherName: What the summary calls rows that could be read but did not go well.
    package init(goodCode: String, otherName: String) {
        self.goodCode = goodCode
        self.otherName = otherName
    }

    /// Rows for which the job was not done.
    package var failures: Int { tally.failures }
    /// Rows that are not valid rows at all.
    package var badRows: Int { tally.codes["bad_row", default: 0] }
    /// Rows that went well.
    package var good: Int { tally.codes[goodCode, default: 0] }

    /// Adds the counts of some rows.
    package mutating func add(_ other: BatchTally) {
        tally.codes.merge(other.codes, uniquingKeysWith: +)
        tally.keys.merge(other.keys, uniquingKeysWith: +)
        tally.failures += other.failures
        rows += other.codes.values.reduce(0, +)
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
        return counts
    }

    private static func object(_ counts: [String: Int]) -> JSONWriter {
        var object = JSONWriter()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object.member(name, count) }
        return object
    }
}
