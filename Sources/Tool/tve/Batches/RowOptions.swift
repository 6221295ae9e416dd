#if CLI
import ArgumentParser
import HostSystem
import RowBatches

/// Options of both batches: which rows are answered, how many at once, how many may fail, and what is told on the way.
struct RowOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --batch, how many rows to answer at once: 1 to 64, or to the number of cores if larger (default: all cores).",
            valueName: "n"))
    var jobs: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --batch, how many rows to pass over, 0 or more: an earlier run has answered them. No header is written.",
            valueName: "n"))
    var skipRows = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --batch, exit with 2 if more rows fail: 100, or 0.5% of all.", valueName: "rows|percent%"),
        transform: limit)
    var maxFailures: FailureLimit?

    @Flag(name: .long, help: "With --batch, exit with 2 if a row failed, or there were no rows.")
    var strict = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --batch, seconds between lines of progress on standard error, 1 or more (default: none).",
            valueName: "seconds"))
    var logEvery: Int?

    /// Whether no option was given.
    var isUntouched: Bool {
        jobs == nil && skipRows == 0 && maxFailures == nil && !strict && logEvery == nil
    }

    /// How many pieces are worked on at once; unless the user says so twice the number of cores, so that no core waits
    /// for the reader.
    var pieces: Int { jobs ?? min(2 * coreCount, Self.maximumJobs) }

    /// A larger number would only cost memory.
    private static let maximumJobs = max(64, coreCount)
    /// After so many rows without a good one, a percentage does not wait for the end of the input.
    private static let rowsToJudge = 10_000

    func validate() throws {
        guard jobs.map({ 1...Self.maximumJobs ~= $0 }) ?? true else {
            throw ValidationError("--jobs takes a number from 1 to \(Self.maximumJobs).")
        }
        guard skipRows >= 0 else { throw ValidationError("--skip-rows takes a number of rows, 0 or more.") }
        guard logEvery.map({ $0 > 0 }) ?? true else { throw ValidationError("--log-every takes seconds above 0.") }
    }

    private static func limit(_ text: String) throws -> FailureLimit {
        guard let limit = FailureLimit(text) else {
            throw ValidationError("Give a number of rows (100), or a percentage from 0 to 100 (0.5%).")
        }
        return limit
    }

    /// The failure to report if too many rows have failed; `nil` if the run may go on, or is good.
    ///
    /// `summary` has the counts so far. `rowsToCome` is how many rows may follow at most: 0 at the end, `nil` if unknown.
    func failure(of summary: BatchSummary, rowsToCome: Int?) -> CommandFailure? {
        let isAtEnd = rowsToCome == 0
        let counts = "\(summary.failures) of \(summary.rowsWithLost) rows failed"
        let rest = isAtEnd ? "" : "; nothing after them was answered"
        if let maxFailures, maxFailures.isExceeded(by: summary, rowsToCome: rowsToCome) {
            return CommandFailure(
                "too_many_failures", "\(counts), and --max-failures allows \(maxFailures)\(rest)", exitCode: .failedRows
            )
        }
        if isAtEnd, strict {
            if summary.rows == 0, summary.skipped == 0 {
                return CommandFailure("no_rows", "--strict: there were no rows", exitCode: .failedRows)
            }
            if summary.failures > 0 {
                return CommandFailure("failed_rows", "--strict: \(counts)", exitCode: .failedRows)
            }
        }
        guard summary.hasOnlyFailures, maxFailures != .percent(100) else { return nil }
        guard isAtEnd || rowsToCome == nil && maxFailures?.isPercentage == true && summary.rows >= Self.rowsToJudge
        else { return nil }
        return CommandFailure(
            "all_rows_failed", "\(counts): not one was good\(rest); if that is meant, say --max-failures 100%",
            exitCode: .failedRows)
    }
}
#endif
