#if CLI
import ArgumentParser
import RowBatches
import TextCodecs

extension CommandFailure {
    /// An input that is not made of rows.
    init(_ input: UnusableInput) {
        let (what, remedy) = InputHint.words(for: input)
        self.init(
            "wrong_input", "the input is \(what), not one row in each line; \(remedy)", file: "-", exitCode: .usage)
    }

    /// A header that does not fit the fields.
    init(_ error: SeparatedHeaderError, _ form: SeparatedForm) {
        let (code, detail) =
            switch error {
            case .unreadable(let reason): ("no_header", "the header of the input: \(reason)")
            case .repeatedColumn(let name): ("repeated_column", "the header names the column \(name) twice")
            case .missingColumn(let name, let names, let hasOthers):
                ("missing_column", InputHint.missingColumn(name, among: names, hasOthers: hasOthers, form))
            case .lineEndsAreCR: ("no_header", InputHint.lineEndsAreCR)
            }
        self.init(code, detail, file: "-", exitCode: .usage)
    }

    /// A header without an end.
    ///
    /// `openMark` is the line in which a quotation mark opens that is not closed; `nil` if there is none.
    init(headerOpenedIn openMark: Int?, _ form: SeparatedForm) {
        let detail =
            openMark.map {
                "the header of the input: the quotation mark that opens in line \($0) is not closed; "
                    + InputHint.quoting(form.quoting)
            } ?? "the input has no first line with the names of its columns"
        self.init("no_header", detail, file: "-", exitCode: .usage)
    }

    /// Records in which rows may have been lost; `nil` if there are none.
    ///
    /// `limit` says how many rows may fail, if the user says so. The lines of these records are counted among them.
    init?(lostIn summary: BatchSummary, in form: SeparatedForm?, allowing limit: FailureLimit?) {
        let joined = summary.joined
        let kinds = JoinedRecords.Kind.allCases.filter { joined[$0] != nil }
        guard let form, let worst = kinds.first else { return nil }
        let code =
            switch worst {
            case .unclosed: "unclosed_quotation_mark"
            case .bad: "lost_rows"
            case .suspected, .long: "suspected_rows"
            }
        let suspected = summary.suspectedLines
        var words = kinds.compactMap { kind in joined[kind].map { InputHint.words(for: kind, $0) } }
        words.append(InputHint.quoting(form.quoting))
        if kinds.contains(.long) { words.append(InputHint.longValues(form.quoting)) }
        if suspected > 0 { words.append(InputHint.meantValues(failures: summary.failures + suspected)) }
        let areAllowed = limit?.allows(summary.failures + suspected, of: summary.rowsWithLost + suspected) ?? false
        self.init(
            code, words.joined(separator: "; "), file: "-",
            exitCode: areAllowed && worst != .unclosed ? .success : .failedRows)
    }

    /// Failed rows that look like rows of another form, counted by what they look like; `nil` if there are none.
    init?(misread: [Misreading: Int]) {
        guard !misread.isEmpty else { return nil }
        let words = Misreading.allCases.compactMap { kind in misread[kind].map { InputHint.words(for: kind, rows: $0) }
        }
        self.init("misread_rows", words.joined(separator: "; "), file: "-", exitCode: .success)
    }

    /// Rows that failed because of values that programs write for null; `nil` if there are none.
    ///
    /// They are counted by the value as it came.
    init?(nullTexts: [String: Int]) {
        guard !nullTexts.isEmpty else { return nil }
        let texts = nullTexts.keys.sorted()
        let rows = nullTexts.values.reduce(0, +)
        self.init(
            "unnamed_null",
            "\(rows) failed \(rows == 1 ? "row has" : "rows have") \(texts.joined(separator: " or ")) for a value; "
                + InputHint.nulls(texts),
            file: "-", exitCode: .success)
    }
}

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
        case .confluent:
            (
                "JSON after the five bytes in which Confluent's serializers name a schema",
                #"take them off: perl -pe 'BEGIN { $/ = "}\n"; $| = 1 } s/(^|\t)\0.{4}/$1/s' FILE | tve …"#
            )
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
    ///
    /// `names` are those in the header. `hasOthers` says whether it has others of the columns that are decrypted.
    static func missingColumn(
        _ name: String,
        among names: [String],
        hasOthers: Bool,
        _ form: SeparatedForm
    ) -> String {
        if names.first?.hasPrefix("sep=") == true {
            return "the first line is a note for spreadsheets (sep=), not the header; "
                + "take it off: tail -n +2 FILE | tve …"
        }
        if names.count == 1 { return oneColumn(names[0], insteadOf: name, form) }
        var words = ["the header has no column \(name.printable)"]
        if let near = near(name, among: names) {
            let shown = String.quotedApart(near, name).one.dropFirst().dropLast()
            words.append("did you mean '\(shown)'? Names count with their case, and with blanks around them")
        }
        if let list = list(names) { words.append("it has \(list)") }
        words.append(
            hasOthers
                ? "if it need not be there, say --optional-field \(name.printable)"
                : "it may lack a column of --optional-field, but not all columns that are to be decrypted")
        return words.joined(separator: "; ")
    }

    /// Says what may be wrong with a header that is one name.
    private static func oneColumn(_ header: String, insteadOf name: String, _ form: SeparatedForm) -> String {
        let separator =
            switch form.separator {
            case UInt8(ascii: ","): "commas"
            case UInt8(ascii: "\t"): "tabs"
            default: "the delimiter"
            }
        let others: [(separator: Character, option: String)] = [
            (",", "','"), (";", "';'"), ("\t", "tab"), ("|", "'|'"),
        ]
        let other = others.first { other in
            let parts = header.split(separator: other.separator).map { $0.filter { $0 != "\"" && $0 != " " } }
            return parts.count > 1 && parts.contains(name)
        }
        let remedy =
            other.map { "they look separated by \($0.option): say --delimiter \($0.option)" }
            ?? "--delimiter names another separator"
        return "the header has one column and no \(name.printable); are the values separated by \(separator)? \(remedy)"
    }

    /// The name in a header that is most like a column; `nil` if none is like it.
    private static func near(_ name: String, among names: [String]) -> String? {
        func plain(_ name: String) -> String { name.lowercased().filter { !$0.isWhitespace && $0 != "\"" } }
        // Names of more than a hundred bytes are none.
        let names = names.filter { $0.utf8.count <= 100 }.prefix(1000)
        return names.first { plain($0) == plain(name) } ?? Suggestion.nearest(to: name, among: Array(names))
    }

    /// The names of a header; `nil` if they may be values, which have no place in a message.
    private static func list(_ names: [String]) -> String? {
        let areNames = names.allSatisfy { name in
            let name = name.utf8.drop { $0 == UInt8(ascii: " ") }
            guard let first = name.first, first.isASCIILetter || first == UInt8(ascii: "_") else { return false }
            return name.count <= 40 && name.allSatisfy { $0.isURLSafe || $0 == UInt8(ascii: ".") }
        }
        guard areNames else { return nil }
        return names.prefix(20).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 20 ? " and others" : "")
    }

    /// Says that lines end in CR alone, and what helps.
    static let lineEndsAreCR = "the lines of the input end in CR alone; convert them: tr '\\r' '\\n' < FILE | tve …"

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
        case .long: return "\(place) \(rows), which is very long"
        }
    }

    /// Says what helps if line ends became part of values and should not.
    static func quoting(_ quoting: SeparatedForm.Quoting) -> String {
        let none = "if quotation marks are text (COPY of PostgreSQL, mysql --batch), say --quoting none"
        return switch quoting {
        case .csv: "if backslashes escape quotation marks (Spark, Hive), say --quoting backslash; \(none)"
        case .backslash: "if quotation marks in values are doubled (RFC 4180), say --quoting csv; \(none)"
        case .unquoted:
            "a backslash at the end of a line makes the next line part of its value; \(doubling)"
        }
    }

    private static let doubling =
        #"if backslashes are text (mysql --batch --raw), double them: sed 's/\\/&&/g' FILE | tve …"#

    /// Says what failed rows look like, and what helps if they are.
    static func words(for kind: Misreading, rows: Int) -> String {
        let failed = rows == 1 ? "1 failed row has" : "\(rows) failed rows have"
        let rows = rows == 1 ? "1 bad row looks" : "\(rows) bad rows look"
        return switch kind {
        case .jsonInText:
            "\(failed) JSON within a string; take it out: jq -c '.body |= fromjson' FILE | tve …, or, if the whole "
                + "line is a string: jq -c fromjson FILE | tve …"
        case .textMarks: "\(rows) as if quotation marks were text (COPY of PostgreSQL, mysql): say --quoting none"
        case .escapedMarks: "\(rows) as if backslashes escaped quotation marks (Spark, Hive): say --quoting backslash"
        case .doubledMarks: "\(rows) as if quotation marks in values were doubled (RFC 4180): say --quoting csv"
        case .quotedValues: "\(rows) as if values were in quotation marks: say --quoting csv, or backslash"
        case .textBackslashes: "\(rows) as if backslashes took separators along; \(doubling)"
        case .windows1252:
            "\(rows) like Windows-1252, not UTF-8; convert the input: iconv -f WINDOWS-1252 -t UTF-8 FILE | tve …"
        }
    }

    /// Says what helps if values have so many lines and should.
    static func longValues(_ quoting: SeparatedForm.Quoting) -> String {
        "if values of more than 1000 lines are meant, say --quoting \(quoting.rawValue)"
    }

    /// Says what helps if values have lines that look like rows and should.
    static func meantValues(failures: Int) -> String {
        "if these lines are part of their values, say --max-failures \(failures), which counts each as a row that may be lost"
    }

    /// Says what helps if values are null and the options do not say so; `texts` are the values as they came.
    static func nulls(_ texts: [String]) -> String {
        "if that stands for a value that is not there, name the column with --optional-field, and say "
            + texts.map { "--null '\($0)'" }.joined(separator: " ")
    }
}
#endif
