#if CLI
import RowBatches

/// What a user can do about an input that is not what the options say.
///
/// The hints of all batches stand here, and not where an input is read.
enum InputHint {
    /// Says what an input is that is not made of rows, and what helps.
    static func words(for input: UnusableInput) -> (what: String, remedy: String) {
        switch input {
        case .gzip: ("compressed by gzip", "unpack it: gunzip -c FILE | tve …")
        case .zstandard: ("compressed by zstd", "unpack it: zstd -dc FILE | tve …")
        case .bzip2: ("compressed by bzip2", "unpack it: bunzip2 -c FILE | tve …")
        case .xz: ("compressed by xz", "unpack it: xz -dc FILE | tve …")
        case .zip: ("a zip archive (or a spreadsheet)", "unpack it, or save it as CSV")
        case .parquet: ("a Parquet file", "write its rows as JSON lines or CSV first; Examples/spark does both")
        case .avro: ("an Avro file", "write its rows as JSON lines or CSV first")
        case .orc: ("an ORC file", "write its rows as JSON lines or CSV first")
        case .utf16: ("UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE | tve …")
        // Without a byte order mark, iconv's UTF-16 means another order on each system.
        case .utf16LittleEndian: ("UTF-16", "convert it: iconv -f UTF-16LE -t UTF-8 FILE | tve …")
        case .utf16BigEndian: ("UTF-16", "convert it: iconv -f UTF-16BE -t UTF-8 FILE | tve …")
        case .prettyPrinted: ("JSON over several lines", "write each object in one line: jq -c . FILE | tve …")
        case .array: ("a JSON array", "write its elements line by line: jq -c '.[]' FILE | tve …")
        case .separated(by: ","): ("CSV", "decrypt takes --input csv; otherwise convert it to JSON lines")
        case .separated(by: "\t"): ("TSV", "decrypt takes --input tsv; otherwise convert it to JSON lines")
        case .separated(let separator):
            (
                "CSV with \(separator) between values",
                "decrypt takes --input csv --delimiter '\(separator)'; otherwise convert it to JSON lines"
            )
        }
    }

    /// Says what may be wrong with the header if it lacks a column.
    static func missingColumn(_ name: String, hasOneColumn: Bool, _ form: SeparatedForm) -> String {
        guard hasOneColumn else {
            return "the header has no column \(name); if it need not be there, say --optional-field \(name)"
        }
        let separator =
            switch form.separator {
            case UInt8(ascii: ","): "commas"
            case UInt8(ascii: "\t"): "tabs"
            default: "the delimiter"
            }
        return "the header has one column and no \(name); are the values separated by \(separator)? "
            + "--delimiter names another separator"
    }

    /// Says in which lines rows may have been lost.
    static func words(for kind: JoinedRecords.Kind, _ records: JoinedRecords) -> String {
        let place =
            records.records == 1
            ? "from line \(records.line) on, \(records.lines) lines are one"
            : "\(records.lines) lines, the first of them line \(records.line), are \(records.records)"
        let rows = records.records == 1 ? "row" : "rows"
        switch kind {
        case .unclosed:
            let lines = records.lines == 1 ? "" : ", so that \(records.lines) lines are one bad row"
            return "the input ends within the quotation marks that open in line \(records.line)\(lines)"
        case .bad: return "\(place) bad \(rows)"
        case .suspected: return "\(place) \(rows), and look like more"
        }
    }

    /// Says what helps if line ends became part of values and should not.
    static func quoting(_ quoting: SeparatedForm.Quoting) -> String {
        let none = "if quotation marks are text (COPY of PostgreSQL, mysql --batch), say --quoting none"
        return switch quoting {
        case .csv: "if backslashes escape quotation marks (Spark, Hive), say --quoting backslash; \(none)"
        case .backslash: "if quotation marks in values are doubled (RFC 4180), say --quoting csv; \(none)"
        case .unquoted:
            "a backslash at the end of a line makes the next line part of its value; double backslashes that are text"
        }
    }

    /// Says what helps if line ends are part of values and should be.
    static let longValues = "if such values are meant, say --quoting csv"

    /// Says what helps if values are null and the options do not say so.
    static func nulls(_ texts: [String]) -> String {
        "if that stands for a value that is not there, name the column with --optional-field, and say "
            + texts.map { "--null '\($0)'" }.joined(separator: " ")
    }
}
#endif
