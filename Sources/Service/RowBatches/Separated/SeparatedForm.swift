/// How values of a record are separated and quoted.
package struct SeparatedForm: Sendable, Hashable {
    /// How a value may hold separators and line ends.
    package enum Quoting: String, Sendable, CaseIterable {
        /// Quotation marks around the value, and doubled in it (RFC 4180 §2).
        case csv
        /// The same, with a backslash before each quotation mark and each backslash in it, as Spark and Hive write it.
        ///
        /// Doubled marks are read, too, as MySQL and Hive do. In values without quotation marks, a backslash is text.
        case backslash
        /// No quotation marks: a backslash makes the next byte part of the value, or stands for another byte with it.
        ///
        /// So are the text form of PostgreSQL's COPY, what MySQL writes (`mysql --batch`, `INTO OUTFILE`), and Hive's
        /// delimited rows with `ESCAPED BY`.
        case unquoted = "none"
    }

    /// What stands between two values.
    package let separator: UInt8
    package let quoting: Quoting

    package init(separator: UInt8, quoting: Quoting = .csv) {
        self.separator = separator
        self.quoting = quoting
    }

    package static let csv = SeparatedForm(separator: UInt8(ascii: ","))
    package static let tsv = SeparatedForm(separator: UInt8(ascii: "\t"))

    static let mark = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
}
