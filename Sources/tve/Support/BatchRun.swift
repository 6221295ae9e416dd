#if CLI
import ArgumentParser
import HostSystem
import RowBatches

/// Answers the rows of standard input on standard output, with progress and a summary on standard error.
struct BatchRun<Rows: BatchRows> {
    let rows: Rows
    /// How many pieces are worked on at once; `nil` for twice the number of cores, so that no core waits for the reader.
    let jobs: Int?
    /// Where failed rows are recorded beside standard output, if anywhere.
    var errors: PrivateFile?
    /// Seconds between two lines of progress for a log, if wanted.
    var logInterval: Int?
    /// How a row that ends the run is reported: here, not at the top, so that the summary comes last.
    let form: OutputForm

    /// Answers everything, and reports the summary.
    ///
    /// - Returns: The summary, for the exit code.
    /// - Throws: `CommandFailure` if reading or writing failed; `ExitCode` if a row or a signal ended the run.
    func run() async throws -> BatchSummary {
        if StandardStreams.inputIsTerminal {
            StandardStreams.report("tve: reading rows from standard input; end them with Ctrl-D")
        }
        StopSignals.catchOnce()
        var lines = LineReader(limits: rows.limits)
        var summary = BatchSummary(goodCode: rows.goodCode, otherName: rows.otherName)
        var progress = BatchProgress(logInterval: logInterval)
        let stop: BatchStop?
        do {
            let pipeline = BatchPipeline(rows: rows, maximumRunning: jobs ?? BatchJobs.standard)
            stop = try await pipeline.run(
                reading: { try lines.next(mayWait: $0) },
                writing: { output in
                    try Console.write(output.bytes)
                    try write(output.errors)
                    summary.add(output.tally)
                    progress.show(summary, bytesRead: lines.bytesRead)
                })
            try finishErrors()
        } catch {
            progress.finish()
            throw error
        }
        progress.finish()
        if let stop {
            Console.report(CommandFailure(stop.code, stop.detail, exitCode: .undecryptable), as: form)
        }
        summary.isInterrupted = lines.isInterrupted
        StandardStreams.report(summary.line)
        if stop != nil { throw ExitCode.undecryptable }
        // Exit code 0 would say that the whole input was answered.
        if lines.isInterrupted, let signal = StopSignals.received { throw ExitCode(128 + signal) }
        return summary
    }

    private func write(_ bytes: [UInt8]) throws {
        guard let errors, !bytes.isEmpty else { return }
        do throws(FileFailure) {
            try errors.write(bytes)
        } catch {
            throw CommandFailure(writing: errors.path, error)
        }
    }

    private func finishErrors() throws {
        guard let errors else { return }
        do throws(FileFailure) {
            try errors.finish()
        } catch {
            throw CommandFailure(writing: errors.path, error)
        }
    }
}

/// The option `--jobs`.
enum BatchJobs {
    static let standard = min(2 * coreCount, maximum)
    /// A larger number would only cost memory.
    private static let maximum = max(64, coreCount)

    /// Refuses a number of jobs that is out of range.
    ///
    /// - Throws: `ValidationError`.
    static func validate(_ jobs: Int?) throws {
        guard jobs.map({ 1...maximum ~= $0 }) ?? true else {
            throw ValidationError("--jobs takes a number from 1 to \(maximum).")
        }
    }
}
#endif
