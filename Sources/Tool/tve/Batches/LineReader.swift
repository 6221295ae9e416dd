#if CLI
import HostSystem
import RowBatches

/// Reads standard input in pieces of whole lines.
struct LineReader {
    private var cutter: LineCutter
    /// How many bytes are read at once.
    private let block = 1 << 18
    private var isAtEnd = false
    /// Whether a signal ended the reading before the end of the input.
    private(set) var isInterrupted = false
    private let refused: ([UInt8]) -> UnusableInput?

    /// Makes a reader.
    ///
    /// `limits` say how the input is cut into pieces. `refused` recognises an input that is not made of such lines by
    /// its first bytes.
    init(limits: LineCutter.Limits, refusing refused: @escaping ([UInt8]) -> UnusableInput?) {
        cutter = LineCutter(limits: limits)
        self.refused = refused
    }

    var bytesRead: Int { cutter.bytesRead }

    /// Waits for the beginning of the input, so that one that is not made of rows is refused before anything is made
    /// for it.
    ///
    /// Throws if standard input cannot be read, or is not made of rows.
    mutating func recognise() throws(CommandFailure) {
        if cutter.bytesRead == 0, !isAtEnd { _ = try readMore(mayWait: true) }
    }

    /// Reads the next piece; `nil` at the end, or if it would have to be waited for and `mayWait` is false.
    ///
    /// If `mayWait` is true, it waits until a whole line has come. `maximumLines` is how many lines the piece may have
    /// at most, beside the limit of all pieces. Throws if standard input cannot be read, or is not made of rows.
    mutating func next(mayWait: Bool, atMost maximumLines: Int = .max) throws(CommandFailure) -> LineCutter.Piece? {
        while true {
            if let piece = cutter.next(atMost: maximumLines) { return piece }
            guard !isAtEnd, try readMore(mayWait: mayWait) else { return nil }
        }
    }

    /// Reads what has come; returns whether something has come, the end included.
    private mutating func readMore(mayWait: Bool) throws(CommandFailure) -> Bool {
        switch StandardStreams.awaitInput(mayWait: mayWait) {
        case .ready:
            let bytes = try using("standard input", file: "-", StandardStreams.read(upTo: block))
            if cutter.bytesRead == 0, let input = refused(bytes) { throw CommandFailure(input) }
            if bytes.isEmpty { finish(isCut: false) } else { cutter.add(bytes) }
            return true
        case .notYet: return false
        case .stopped:
            isInterrupted = true
            // The rest is half a line.
            finish(isCut: true)
            return true
        }
    }

    /// Reads the first line, with its line end, or the head of one that is too long; `nil` if there is none.
    ///
    /// Throws if standard input cannot be read, or is not made of rows.
    mutating func firstLine() throws(CommandFailure) -> LineCutter.Piece? {
        try next(mayWait: true, atMost: 1)
    }

    /// Passes over the first rows, lines or records, which the summary counts.
    ///
    /// Throws also if there are fewer, unless a signal ended the reading.
    mutating func skip(rows count: Int, in summary: inout BatchSummary) throws(CommandFailure) {
        while summary.skipped < count, let piece = try next(mayWait: true, atMost: count - summary.skipped) {
            summary.skip(piece)
        }
        guard summary.skipped == count || isInterrupted else {
            throw CommandFailure(
                "too_few_rows",
                "--skip-rows \(count): the input has \(summary.skipped) rows; is it the one that was answered before?",
                file: "-", exitCode: .failedRows)
        }
    }

    private mutating func finish(isCut: Bool) {
        isAtEnd = true
        cutter.finish(isCut: isCut)
    }
}
#endif
