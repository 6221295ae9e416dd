#if CLI
import RowBatches

extension CommandFailure {
    /// An input that is not made of rows.
    init(_ input: UnusableInput) {
        let (what, remedy) = Self.words(for: input)
        self.init(
            "wrong_input", "the input is \(what), not one row in each line; \(remedy)", file: "-", exitCode: .usage)
    }

    private static func words(for input: UnusableInput) -> (what: String, remedy: String) {
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
        case .separated: ("values separated by semicolons", "write it with commas, and say --input csv")
        }
    }
}

extension CommandFailure {
    /// A header that does not fit the fields.
    init(_ error: SeparatedHeaderError, _ form: SeparatedForm) {
        let (code, detail) =
            switch error {
            case .unreadable(let reason): ("no_header", "the header of the input: \(reason)")
            case .repeatedColumn(let name): ("repeated_column", "the header names the column \(name) twice")
            case .missingColumn(let name, let hasOneColumn):
                (
                    "missing_column",
                    hasOneColumn
                        ? "the header has one column and no \(name); are the values separated by \(form.separatorName)?"
                        : "the header has no column \(name); if it need not be there, say --optional-field \(name)"
                )
            }
        self.init(code, detail, file: "-", exitCode: .usage)
    }
}

extension SeparatedForm {
    fileprivate var separatorName: String { self == .csv ? "commas" : "tabs" }
}
#endif
