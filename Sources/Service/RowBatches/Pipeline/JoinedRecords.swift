/// Records in which rows may have been lost: one quotation mark too many, or a backslash that is text at the end of a line,
/// makes the lines after it part of a value.
package struct JoinedRecords: Sendable, Hashable {
    /// Why rows may have been lost.
    package enum Kind: Sendable, CaseIterable {
        /// The input ends before the quotation mark is closed.
        case unclosed
        /// A record of several lines is not one of the header.
        case bad
        /// A record of several lines reads well, and its lines look like rows.
        case suspected
        /// A record reads well, and takes very many lines.
        case long
    }

    /// The line of the input where the first record begins or, if it is not closed, where its quotation mark stands.
    package let line: Int
    /// How many lines of the input all of them take.
    package private(set) var lines: Int
    package private(set) var records = 1
    /// Lines beyond the first one of each record.
    var extraLines: Int { lines - records }

    init(line: Int, lines: Int) {
        self.line = line
        self.lines = lines
    }

    /// Adds the records that come next.
    static func + (earlier: JoinedRecords, next: JoinedRecords) -> JoinedRecords {
        var sum = earlier
        sum.lines += next.lines
        sum.records += next.records
        return sum
    }
}
