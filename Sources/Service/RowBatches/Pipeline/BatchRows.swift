/// Answers the rows of a batch.
package protocol BatchRows: Sendable {
    /// How the input is cut into pieces.
    var limits: LineCutter.Limits { get }
    /// The code of a row that went well.
    var goodCode: String { get }
    /// What the summary calls rows that could be read but did not go well.
    var otherName: String { get }

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
