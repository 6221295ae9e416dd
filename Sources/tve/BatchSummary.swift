#if CLI
    import OpenSSLBridge

    /// Counts the verdicts of a batch.
    struct BatchSummary {
        private(set) var rows = 0
        private(set) var counts: [String: Int] = [:]
        private let start = ContinuousClock.now

        var badRows: Int { counts["bad_row", default: 0] }
        var valid: Int { counts["valid", default: 0] }

        mutating func add(_ output: BatchOutput) {
            for (code, count) in output.counts {
                counts[code, default: 0] += count
                rows += count
            }
        }

        /// Rows per second since the start.
        var rate: Int {
            let seconds = max(0.001, start.duration(to: .now) / .seconds(1))
            return Int(Double(rows) / seconds)
        }

        /// The one line of JSON that ends a batch.
        var line: String {
            var codes = JSONWriter()
            for (code, count) in counts.sorted(by: { $0.key < $1.key }) { codes.member(code, count) }
            var summary = JSONWriter()
            summary.member("rows", rows)
            summary.member("valid", valid)
            summary.member("refused", rows - valid - badRows)
            summary.member("bad_rows", badRows)
            summary.member("codes", codes)
            summary.member("milliseconds", Int(start.duration(to: .now) / .milliseconds(1)))
            summary.member("rows_per_second", rate)
            return String(decoding: summary.finished, as: UTF8.self)
        }
    }

    /// Shows on a terminal how far a batch is; in a pipe it says nothing.
    struct BatchProgress {
        private let isShown = StandardStreams.errorIsTerminal
        private let inputSize = StandardStreams.inputSize
        private let start = ContinuousClock.now
        private var last = ContinuousClock.now
        private var hasShown = false

        mutating func show(_ summary: BatchSummary, octetsRead: Int) {
            guard isShown, last.duration(to: .now) > .milliseconds(250) else { return }
            last = .now
            hasShown = true
            let notValid = summary.rows == 0 ? 0 : 100 * (summary.rows - summary.valid) / summary.rows
            let text = "\(summary.rows) rows, \(summary.rate)/s, \(notValid) % not valid\(remaining(octetsRead))"
            StandardStreams.reportProgress("\r\u{1B}[K\(text)")
        }

        /// Clears the progress line, so that what follows starts on a clean one.
        mutating func finish() {
            if hasShown { StandardStreams.reportProgress("\r\u{1B}[K") }
            hasShown = false
        }

        private func remaining(_ octetsRead: Int) -> String {
            guard let inputSize, octetsRead > 0, inputSize > octetsRead else { return "" }
            let elapsed = start.duration(to: .now) / .seconds(1)
            let left = elapsed * Double(inputSize - octetsRead) / Double(octetsRead)
            return ", \(100 * octetsRead / inputSize) %, \(Int(left) + 1) s left"
        }
    }
#endif
