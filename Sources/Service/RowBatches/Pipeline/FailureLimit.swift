/// How many rows of a batch may fail.
package enum FailureLimit: Sendable, Hashable {
    /// A number of rows: one more ends the run at once.
    case rows(Int)
    /// A percentage of all rows, 0 to 100: the run ends once no rest of the input can keep it.
    case percent(Double)

    /// Reads a number (`100`), or a percentage (`0.5%`); `nil` for anything else.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
        } else {
            guard let rows = Int(text), rows >= 0 else { return nil }
            self = .rows(rows)
        }
    }

    /// Whether too many rows have failed, so that the run has failed.
    ///
    /// `rowsToCome` is how many rows may follow at most: 0 at the end, `nil` if unknown.
    package func isExceeded(by summary: BatchSummary, rowsToCome: Int?) -> Bool {
        guard isPercentage else { return !allows(summary.failures, of: summary.rowsWithLost) }
        return rowsToCome.map { !allows(summary.failures, of: summary.rowsWithLost + $0) } ?? false
    }

    /// Whether it depends on the number of all rows.
    package var isPercentage: Bool { if case .percent = self { true } else { false } }

    /// Whether so many of all rows may fail.
    package func allows(_ failures: Int, of rows: Int) -> Bool {
        switch self {
        case .rows(let maximum): failures <= maximum
        case .percent(let maximum): Double(failures) * 100 <= maximum * Double(rows)
        }
    }
}

extension FailureLimit: CustomStringConvertible {
    /// The limit as it is written.
    package var description: String {
        switch self {
        case .rows(let rows): "\(rows)"
        case .percent(let percent): "\(percent)%"
        }
    }
}
