#if CLI
import HostSystem
import ArgumentParser
import RowBatches

/// Says what the lines of a batch become.
protocol BatchRows: Sendable {
    /// How the input is cut into pieces.
    var limits: LineCutter.Limits { get }
    /// The code of a row that went well.
    var goodCode: String { get }
    /// What the summary calls rows that were read and did not go well.
    var otherName: String { get }

    /// Answers each line of a piece by one line, or by none where the caller asked for that.
    func answers(to piece: LineCutter.Piece) async -> BatchOutput
}

/// Answers standard input on standard output, piece by piece: on several cores, in order, in bounded memory.
struct BatchPipeline<Rows: BatchRows> {
    let rows: Rows
    /// How many pieces are worked on at once.
    let jobs: Int?
    /// Where failed rows go beside standard output, if anywhere.
    var errors: PrivateFile?
    /// Seconds between two lines of progress for a log, if one is wanted.
    var logInterval: Int?
    /// How failures are shown.
    let form: OutputForm

    /// Answers everything, and reports the summary on standard error.
    ///
    /// - Returns: The summary, for the exit code.
    /// - Throws: `ExitCode` where reading or writing failed, a row ended the run, or a signal did.
    func run() async throws -> BatchSummary {
        if StandardStreams.inputIsTerminal {
            StandardStreams.report("tve: reading rows from standard input; end them with Ctrl-D")
        }
        StopSignals.catchOnce()
        var lines = LineReader(limits: rows.limits)
        var summary = BatchSummary(goodCode: rows.goodCode, otherName: rows.otherName)
        var progress = BatchProgress(logInterval: logInterval)
        let failure: BatchFailure?
        do {
            failure = try await answerAll(&lines, &summary, &progress)
            try finishErrors()
        } catch {
            // Nobody reads, or nothing can be read: what is under way ends by itself and is dropped.
            progress.finish()
            throw error
        }
        progress.finish()
        let exitCode = failure.map { Console.fail($0.code, file: nil, $0.detail, form, $0.exitCode) }
        summary.isInterrupted = lines.isInterrupted
        StandardStreams.report(summary.line)
        if let exitCode { throw exitCode }
        // Exit code 0 would say that all of the input was answered.
        if lines.isInterrupted, let signal = StopSignals.received { throw ExitCode(128 + signal) }
        return summary
    }

    /// Reads, answers and writes to the end, or to the first row that ends the run.
    private func answerAll(
        _ lines: inout LineReader,
        _ summary: inout BatchSummary,
        _ progress: inout BatchProgress
    ) async throws -> BatchFailure? {
        // Twice as many as there are cores, so that no core waits for this loop.
        let atOnce = jobs ?? min(2 * coreCount, BatchJobs.most)
        return try await withThrowingTaskGroup(of: BatchAnswer.self) { group in
            var window = BatchWindow(maximumPieces: 2 * atOnce)
            while true {
                // Answers go out before the next rows are waited for: the writer may be waiting for them.
                if window.running < atOnce, window.hasRoom,
                    let piece = try next(&lines, mayWait: window.running == 0)
                {
                    let number = window.begin(piece)
                    let rows = rows
                    group.addTask { BatchAnswer(number: number, piece, await rows.answers(to: piece)) }
                    continue
                }
                guard let answer = try await group.next() else { return nil }
                for output in window.end(answer) {
                    try Console.write(output.bytes, form)
                    try write(output.errors)
                    summary.add(output.tally)
                    if let failure = output.failure { return failure }
                }
                progress.show(summary, bytesRead: lines.bytesRead)
            }
        }
    }

    private func next(_ lines: inout LineReader, mayWait: Bool) throws -> LineCutter.Piece? {
        do throws(FileFailure) {
            return try lines.next(mayWait: mayWait)
        } catch {
            throw Console.fail("io", file: "-", "standard input: \(error.reason)", form, .io)
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        guard let errors, !bytes.isEmpty else { return }
        do throws(FileFailure) {
            try errors.write(bytes)
        } catch {
            throw Console.fail("io", file: errors.path, "\(errors.path): \(error.reason)", form, .io)
        }
    }

    private func finishErrors() throws {
        guard let errors else { return }
        do throws(FileFailure) {
            try errors.finish()
        } catch {
            throw Console.fail("io", file: errors.path, "\(errors.path): \(error.reason)", form, .io)
        }
    }
}

/// The option `--jobs`.
enum BatchJobs {
    /// More than this only take memory.
    static let most = max(64, coreCount)

    /// - Throws: `ValidationError`
    static func validate(_ jobs: Int?) throws {
        guard jobs.map({ 1...most ~= $0 }) ?? true else {
            throw ValidationError("--jobs takes a number from 1 to \(most).")
        }
    }
}

/// The answers to one piece, ready to be written, and what they add to the summary.
struct BatchOutput: Sendable {
    /// For standard output.
    var bytes: [UInt8] = []
    /// For the file of failed rows.
    var errors: [UInt8] = []
    var tally = BatchTally()
    /// Set where the last row answered is to be the last of the run.
    var failure: BatchFailure?

    /// Adds a line without its end.
    mutating func add(line: [UInt8], code: String) {
        add(code: code) { $0 += line }
    }

    /// Adds what is written, as a line.
    mutating func add(code: String, _ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        bytes.append(UInt8(ascii: "\n"))
        tally.codes[code, default: 0] += 1
    }
}

/// Why a row ended the run.
struct BatchFailure: Sendable {
    let code: String
    let detail: String
    let exitCode: ExitCode
}

/// The answers to a piece, with its place in the input.
private struct BatchAnswer: Sendable {
    let number: Int
    /// Bytes of the piece.
    let count: Int
    let output: BatchOutput

    init(number: Int, _ piece: LineCutter.Piece, _ output: BatchOutput) {
        self.number = number
        count = piece.count
        self.output = output
    }
}

/// The pieces that are under way, or done and waiting for an earlier one.
private struct BatchWindow {
    let maximumPieces: Int
    /// A few long rows fill the window as well as many short ones.
    private let maximumBytes = 1 << 22
    private var bytes = 0
    private var begun = 0
    private var written = 0
    private var waiting: [Int: BatchAnswer] = [:]

    init(maximumPieces: Int) { self.maximumPieces = maximumPieces }

    /// How many pieces are worked on.
    var running: Int { begun - written - waiting.count }
    var hasRoom: Bool { begun - written < maximumPieces && bytes < maximumBytes }

    /// Notes a piece, and returns its number.
    mutating func begin(_ piece: LineCutter.Piece) -> Int {
        bytes += piece.count
        defer { begun += 1 }
        return begun
    }

    /// Takes the answer to a piece, and returns what can be written now, in order.
    mutating func end(_ answer: BatchAnswer) -> [BatchOutput] {
        waiting[answer.number] = answer
        var outputs: [BatchOutput] = []
        while let next = waiting.removeValue(forKey: written) {
            outputs.append(next.output)
            bytes -= next.count
            written += 1
        }
        return outputs
    }
}
#endif
