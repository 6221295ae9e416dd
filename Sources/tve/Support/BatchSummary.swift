#if CLI
import TextCodecs
import HostSystem
import EntitlementValues

/// What some rows add to the summary.
struct BatchTally: Sendable {
    /// Rows by the code of their answer.
    var codes: [String: Int] = [:]
    /// Rows by the key that answered them, where that is counted.
    var keys: [String: Int] = [:]
}

/// Counts the answers of a batch.
struct BatchSummary {
    let goodCode: String
    let otherName: String
    private(set) var rows = 0
    private(set) var tally = BatchTally()
    /// Whether a signal ended the reading.
    var isInterrupted = false
    private let start = ContinuousClock.now

    init(goodCode: String, otherName: String) {
        self.goodCode = goodCode
        self.otherName = otherName
    }

    var badRows: Int { tally.codes["bad_row", default: 0] }
    var good: Int { tally.codes[goodCode, default: 0] }

    mutating func add(_ other: BatchTally) {
        tally.codes.merge(other.codes, uniquingKeysWith: +)
        tally.keys.merge(other.keys, uniquingKeysWith: +)
        rows += other.codes.values.reduce(0, +)
    }

    /// Rows per second since the start.
    var rate: Int {
        let seconds = max(0.001, start.duration(to: .now) / .seconds(1))
        return Int(Double(rows) / seconds)
    }

    /// Share of rows that did not go well.
    var otherPercent: Int { rows == 0 ? 0 : 100 * (rows - good) / rows }

    /// The one line of JSON that ends a batch.
    var line: String {
        var summary = counts
        summary.member("codes", Self.object(tally.codes))
        if !tally.keys.isEmpty { summary.member("keys", Self.object(tally.keys)) }
        if isInterrupted { summary.member("interrupted", true) }
        summary.member("milliseconds", Int(start.duration(to: .now) / .milliseconds(1)))
        summary.member("rows_per_second", rate)
        return String(decoding: summary.finished, as: UTF8.self)
    }

    /// How many rows there were, and how many of each kind.
    var counts: JSONWriter {
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

/// Shows on a terminal how far a batch is, and in a log on request; else, in a pipe, it says nothing.
struct BatchProgress {
    private let isShown = StandardStreams.errorIsTerminal
    private let logInterval: Duration?
    private let inputSize = StandardStreams.inputSize
    private let start = ContinuousClock.now
    private var lastShown = ContinuousClock.now
    private var lastLogged = ContinuousClock.now
    private var hasShown = false

    init(logInterval: Int?) {
        self.logInterval = logInterval.map { .seconds($0) }
    }

    mutating func show(_ summary: BatchSummary, bytesRead: Int) {
        let now = ContinuousClock.now
        if let logInterval, lastLogged.duration(to: now) >= logInterval {
            lastLogged = now
            finish()
            log(summary, bytesRead)
        }
        guard isShown, lastShown.duration(to: now) > .milliseconds(250) else { return }
        lastShown = now
        hasShown = true
        let share = "\(summary.otherPercent) % not \(summary.goodCode)"
        var text = "\(summary.rows) rows, \(summary.rate)/s, \(share)"
        if let rest = rest(bytesRead) { text += ", \(rest.percent) %, \(rest.seconds) s left" }
        StandardStreams.reportProgress("\r\u{1B}[K\(text)")
    }

    /// Clears the progress line, so that what follows starts on a clean one.
    mutating func finish() {
        if hasShown { StandardStreams.reportProgress("\r\u{1B}[K") }
        hasShown = false
    }

    private func log(_ summary: BatchSummary, _ bytesRead: Int) {
        var progress = summary.counts
        progress.member("rows_per_second", summary.rate)
        if let rest = rest(bytesRead) {
            progress.member("percent", rest.percent)
            progress.member("seconds_left", rest.seconds)
        }
        var line = JSONWriter()
        line.member("progress", progress)
        StandardStreams.report(String(decoding: line.finished, as: UTF8.self))
    }

    /// How much of the input is read, and how long the rest may take, where its size is known.
    private func rest(_ bytesRead: Int) -> (percent: Int, seconds: Int)? {
        guard let inputSize, bytesRead > 0, inputSize > bytesRead else { return nil }
        let elapsed = start.duration(to: .now) / .seconds(1)
        let left = elapsed * Double(inputSize - bytesRead) / Double(bytesRead)
        return (100 * bytesRead / inputSize, Int(left) + 1)
    }
}
#endif
