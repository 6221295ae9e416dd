#if CLI
import HostSystem
import RowBatches
import TextCodecs

/// Shows the progress of a batch on a terminal, and in a log on request.
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

    /// Shows the progress, at most four times a second.
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

    /// Clears the line with the progress.
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

    /// How much of the input was read, and how long the rest may take, if its size is known.
    private func rest(_ bytesRead: Int) -> (percent: Int, seconds: Int)? {
        guard let inputSize, bytesRead > 0, inputSize > bytesRead else { return nil }
        let elapsed = start.duration(to: .now) / .seconds(1)
        let left = elapsed * Double(inputSize - bytesRead) / Double(bytesRead)
        return (100 * bytesRead / inputSize, Int(left) + 1)
    }
}
#endif
