#if CLI
import ArgumentParser
import HostSystem
import RowBatches
import TextCodecs

/// Answers the rows of standard input on standard output, with progress and a summary on standard error.
struct BatchRun<Rows: BatchRows> {
    let rows: Rows
    /// The names of members that rows must have, by which a header of separated values is recognised.
    var names: [String] = []
    /// What has read the beginning of the input, if something has.
    var lines: LineReader?
    /// What the output begins with.
    var heading: [UInt8] = []
    let options: RowOptions
    /// Where failed rows are recorded beside standard output, if anywhere.
    var errors: FailedRowsFile?
    /// How a row that ends the run is reported: here, not at the top, so that the summary comes last.
    let form: OutputForm

    /// Answers everything, and reports the summary.
    ///
    /// Throws `CommandFailure` if reading or writing failed; `ExitCode` if failed rows or a signal ended the run.
    func run() async throws {
        Self.announce()
        StopSignals.catchOnce()
        var lines =
            lines
            ?? LineReader(limits: rows.limits) { [names] head in
                UnusableInput(insteadOfObjects: head, names: names)
            }
        try lines.recognise()
        var summary = BatchSummary(
            goodCode: rows.goodCode, otherName: rows.otherName, countsLines: rows.limits.form != nil)
        try lines.skip(rows: options.skipRows, in: &summary)
        // A signal while nothing had come: there is nothing to record either.
        let errors = lines.isInterrupted ? nil : try errors?.open()
        var progress = BatchProgress(logInterval: options.logEvery, bytesRead: lines.bytesRead)
        var ending: CommandFailure?
        // What ends the run without a message: the reader of the answers has gone.
        var silentEnding: ExitCode?
        do {
            // The header stands above the rows that were answered before.
            if options.skipRows == 0 { try Console.write(heading) }
            let pipeline = BatchPipeline(rows: rows, maximumRunning: options.pieces)
            let stop = try await pipeline.run(
                reading: { try lines.next(mayWait: $0) },
                writing: { output in
                    try Console.write(output.bytes)
                    summary.add(output.tally)
                    try write(output.errors, to: errors)
                    progress.show(summary, bytesRead: lines.bytesRead)
                    // A row that ends the run is why it ends.
                    guard output.stop == nil else { return }
                    let rowsToCome = rowsToCome(after: summary, bytesRead: lines.bytesRead)
                    if let failure = options.failure(of: summary, rowsToCome: rowsToCome) { throw failure }
                })
            ending = stop.map { CommandFailure($0.code, $0.detail, exitCode: .undecryptable) }
            if !lines.isInterrupted, ending == nil { ending = options.failure(of: summary, rowsToCome: 0) }
        } catch let failure as CommandFailure {
            ending = failure
        } catch let exitCode as ExitCode {
            silentEnding = exitCode
        }
        // Also those of a run that a failure has ended.
        let synced = Result { () throws(CommandFailure) in try finish(errors) }
        if case .failure(let failure) = synced { ending = ending ?? failure }
        progress.finish()
        summary.isInterrupted = lines.isInterrupted
        if silentEnding == nil { report(summary, &ending) }
        StandardStreams.report(summary.line)
        if let exitCode = silentEnding ?? ending?.exitCode { throw exitCode }
        // Exit code 0 would say that the whole input was answered.
        if lines.isInterrupted, let signal = StopSignals.received { throw ExitCode(128 + signal) }
    }

    /// How many rows may follow those that are counted at most; `nil` if the size of the input is not known.
    private func rowsToCome(after summary: BatchSummary, bytesRead: Int) -> Int? {
        // The size of some files, as in /proc, is not that of what is read from them.
        guard let size = StandardStreams.inputSize, size >= bytesRead else { return nil }
        // The last row may lack its line end. Rows that were passed over count as such that may follow.
        return max(1, (size - summary.bytes + 1) / rows.shortestRow)
    }

    /// Reports what ends the run, and before that what may have gone wrong with the form of the rows.
    ///
    /// `ending` is why the run is a failure; it becomes one if rows may have been lost.
    private func report(_ summary: BatchSummary, _ ending: inout CommandFailure?) {
        if let hint = CommandFailure(nullTexts: summary.nullTexts) { Console.report(hint, as: form) }
        if let hint = CommandFailure(misread: summary.misread) { Console.report(hint, as: form) }
        let lost = CommandFailure(lostIn: summary, in: rows.limits.form, allowing: options.maxFailures)
        if let lost {
            let isEnding = ending == nil && !summary.isInterrupted && lost.exitCode != .success
            if isEnding { ending = lost } else { Console.report(lost, as: form) }
        }
        if let ending { Console.report(ending, as: form) }
    }

    /// Tells a person at a terminal what the tool waits for.
    static func announce() {
        if StandardStreams.inputIsTerminal {
            StandardStreams.report("tve: reading rows from standard input; end them with Ctrl-D")
        }
    }

    private func write(_ bytes: [UInt8], to errors: OutputFile?) throws {
        guard let errors, !bytes.isEmpty else { return }
        try using(errors.path, file: errors.path, errors.write(bytes))
    }

    private func finish(_ errors: OutputFile?) throws(CommandFailure) {
        guard let errors else { return }
        try using(errors.path, file: errors.path, errors.finish())
    }
}

/// The file in which failed rows are recorded beside standard output.
///
/// It is made once the input is known to be rows: the empty file of a run that was refused would be in the way of the
/// next one.
struct FailedRowsFile {
    private let path: String
    private let mayExist: Bool

    /// Names the file, and does not make it yet.
    ///
    /// The path may be `/dev/stderr`. Throws if the file is there, unless `mayExist` says that rows may be added to it, and
    /// if it is standard input.
    init(_ path: String, mayExist: Bool) throws(CommandFailure) {
        (self.path, self.mayExist) = (path, mayExist)
        if !mayExist, !isStandardError { try NewFile.refuseExisting([path]) }
        // The rows that are added would be read, fail, and be added again.
        guard isStandardError || !Files.leads(path, to: nil) else {
            throw .usage("--errors-to: \(path) is standard input, too; name another file", file: path)
        }
    }

    private var isStandardError: Bool { path == "/dev/stderr" }

    /// Makes the file.
    ///
    /// - Throws: `CommandFailure`.
    func open() throws(CommandFailure) -> OutputFile {
        try using(path, file: path, openFile())
    }

    private func openFile() throws(FileFailure) -> OutputFile {
        if isStandardError, let stream = try OutputFile.stream(path) { return stream }
        return try OutputFile(path, mayExist: mayExist)
    }
}

/// Shows the progress of a batch on a terminal, and in a log on request.
struct BatchProgress {
    private let isShown = StandardStreams.errorIsTerminal
    private let logInterval: Duration?
    private let inputSize = StandardStreams.inputSize
    private let start = ContinuousClock.now
    private var pace: InputPace
    private var lastShown = ContinuousClock.now
    private var lastLogged = ContinuousClock.now
    private var hasShown = false

    /// `bytesRead` is how much of the input was passed over.
    init(logInterval: Int?, bytesRead: Int) {
        self.logInterval = logInterval.map { .seconds($0) }
        pace = InputPace(after: bytesRead)
    }

    /// Shows the progress, at most four times a second.
    mutating func show(_ summary: BatchSummary, bytesRead: Int) {
        let now = ContinuousClock.now
        pace.note(bytesRead, at: start.duration(to: now))
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
        if let rest = rest(bytesRead) {
            text += ", \(rest.percent) %" + (rest.seconds.map { ", \($0) s left" } ?? "")
        }
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
            if let seconds = rest.seconds { progress.member("seconds_left", seconds) }
        }
        var line = JSONWriter()
        line.member("progress", progress)
        StandardStreams.report(String(decoding: line.finished, as: UTF8.self))
    }

    /// How much of the input was read, and how long the rest may take, as far as that is known.
    private func rest(_ bytesRead: Int) -> (percent: Int, seconds: Int?)? {
        guard let inputSize, bytesRead > 0, inputSize > bytesRead else { return nil }
        let seconds = pace.seconds(for: inputSize - bytesRead, after: bytesRead, at: start.duration(to: .now))
        return (100 * bytesRead / inputSize, seconds)
    }
}
#endif
