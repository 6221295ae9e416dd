#if CLI
import ArgumentParser
import RowBatches

/// Options that say how many rows of a batch may fail.
struct FailureOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --batch, exit with 2 if more rows fail: 100, or 0.5% of all.", valueName: "rows|percent%"),
        transform: limit)
    var maxFailures: FailureLimit?

    @Flag(name: .long, help: "With --batch, exit with 2 if a row failed, or there were no rows.")
    var strict = false

    /// Whether neither option was given.
    var isUntouched: Bool { maxFailures == nil && !strict }

    private static func limit(_ text: String) throws -> FailureLimit {
        guard let limit = FailureLimit(text) else {
            throw ValidationError("Give a number of rows (100), or a percentage from 0 to 100 (0.5%).")
        }
        return limit
    }

    /// The failure to report if too many rows have failed; `nil` if the run may go on, or is good.
    ///
    /// `summary` has the counts so far. `isAtEnd` says whether all rows are counted.
    func failure(of summary: BatchSummary, isAtEnd: Bool) -> CommandFailure? {
        let counts = "\(summary.failures) of \(summary.rowsWithLost) rows failed"
        if let maxFailures, maxFailures.isExceeded(by: summary, isAtEnd: isAtEnd) {
            let rest = isAtEnd ? "" : "; the rest of the input was not answered"
            return CommandFailure(
                "too_many_failures", "\(counts), and --max-failures allows \(maxFailures)\(rest)",
                exitCode: .failedRows)
        }
        guard strict, isAtEnd else { return nil }
        if summary.rows == 0 {
            return CommandFailure("no_rows", "--strict: there were no rows", exitCode: .failedRows)
        }
        return summary.failures == 0
            ? nil : CommandFailure("failed_rows", "--strict: \(counts)", exitCode: .failedRows)
    }
}
#endif
