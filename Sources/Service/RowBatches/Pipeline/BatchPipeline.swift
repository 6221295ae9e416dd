/// Answers an input piece by piece: on several cores, in the order of the input, in bounded memory.
///
/// It knows neither files nor terminals: closures read the pieces and write the answers.
package struct BatchPipeline<Rows: BatchRows>: Sendable {
    private let rows: Rows
    private let maximumRunning: Int

    /// Makes a pipeline for one kind of rows.
    ///
    /// `maximumRunning` is how many pieces are worked on at once, 1 or more.
    package init(rows: Rows, maximumRunning: Int) {
        self.rows = rows
        self.maximumRunning = maximumRunning
    }

    /// Reads, answers and writes up to the end of the input, or to the first row that ends the run.
    ///
    /// `next` returns the next piece; `nil` means the end of the input or, if `mayWait` is false, that the caller would
    /// have to wait for more. `write` takes the answers to one piece after the other, in the order of the input.
    ///
    /// Returns why a row ended the run; `nil` at the end of the input. Throws what `next` or `write` throws: the pieces
    /// under way are finished then, and their answers dropped.
    package func run(
        reading next: (_ mayWait: Bool) throws -> LineCutter.Piece?,
        writing write: (BatchOutput) throws -> Void
    ) async throws -> BatchStop? {
        try await withThrowingTaskGroup(of: BatchAnswer.self) { group in
            var window = BatchWindow(maximumPieces: 2 * maximumRunning)
            while true {
                // Answers are written before more input is waited for: the writer of the input may be waiting for them.
                if window.running < maximumRunning, window.hasRoom, let piece = try next(window.running == 0) {
                    let number = window.begin(piece)
                    let rows = rows
                    group.addTask { BatchAnswer(number: number, piece, await rows.answers(to: piece)) }
                    continue
                }
                guard let answer = try await group.next() else { return nil }
                for output in window.end(answer) {
                    try write(output)
                    if let stop = output.stop { return stop }
                }
            }
        }
    }
}

/// The answers to a piece, with its place in the input.
private struct BatchAnswer: Sendable {
    let number: Int
    private(set) var output: BatchOutput
    /// Length of the piece in bytes.
    var count: Int { output.tally.bytes }

    init(number: Int, _ piece: LineCutter.Piece, _ output: BatchOutput) {
        self.number = number
        self.output = output
        self.output.tally.bytes = piece.count
    }
}

/// The pieces that are under way, or answered and waiting for an earlier one.
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

/// Answers the rows of a batch.
package protocol BatchRows: Sendable {
    /// How the input is cut into pieces.
    var limits: LineCutter.Limits { get }
    /// The code of a row that went well.
    var goodCode: String { get }
    /// What the summary calls rows that could be read but did not go well.
    var otherName: String { get }
    /// The fewest bytes of a row for which the job can be done, with its line end.
    var shortestRow: Int { get }

    /// Answers each line of a piece with one line, or with none if failed rows are to be left out.
    func answers(to piece: LineCutter.Piece) async -> BatchOutput
}

/// The answers to one piece, ready to be written, and what they add to the summary.
package struct BatchOutput: Sendable {
    /// For the output.
    package var bytes: [UInt8] = []
    /// For the file of failed rows.
    package var errors: [UInt8] = []
    package var tally = BatchTally()
    /// Set if the last row answered ends the run.
    package var stop: BatchStop?

    package init() {}

    /// Adds a line, given without its line end.
    mutating func add(line: [UInt8], code: String) {
        add(code: code) { $0 += line }
    }

    /// Adds what `write` appends, as one line.
    mutating func add(code: String, _ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        bytes.append(UInt8(ascii: "\n"))
        tally.codes[code, default: 0] += 1
    }
}

/// Why a row ended the run.
package struct BatchStop: Sendable, Hashable {
    /// The code of the row's answer.
    package let code: String
    /// What happened and in which line, without anything of the row.
    package let detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
