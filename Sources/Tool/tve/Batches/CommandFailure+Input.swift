#if CLI
import ArgumentParser
import RowBatches

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

    /// Bad rows that look like rows of another form, counted by what they look like; `nil` if there are none.
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
#endif
