import RowBatches
import Testing

/// How values are quoted in what Spark, Hive and databases write, and what a quotation mark too many does.
@Suite struct SeparatedQuotingTests {
    private static let backslash = SeparatedForm(separator: UInt8(ascii: ","), quoting: .backslash)
    private static let unquoted = SeparatedForm(separator: UInt8(ascii: "\t"), quoting: .unquoted)

    /// Answers the rows after a header.
    private func answers(
        _ rows: String,
        under header: String,
        _ form: SeparatedForm = .csv,
        field: String = "zip",
        isOptional: Bool = false,
        nulls: [String] = [],
        trustsMarks: Bool = false
    ) async throws -> (text: String, summary: BatchSummary) {
        let fields = [field]
        let header = try SeparatedHeader(
            Array(header.utf8), form, fields: isOptional ? [] : fields, optionalFields: isOptional ? fields : [],
            attribute: nil)
        let format = SeparatedRows(
            under: header, values: try Encrypted.decrypter(), nulls: nulls, trustsMarks: trustsMarks)
        let limits = LineCutter.Limits(maximumLineLength: 1 << 20, maximumLines: 4, form: form)
        let outputs = await DecryptRows(format: format, limits: limits).answers(toText: rows)
        var summary = BatchSummary(goodCode: "decrypted", otherName: "failed", countsLines: true)
        for output in outputs { summary.add(output.tally) }
        return (String(decoding: outputs.flatMap(\.bytes), as: UTF8.self), summary)
    }

    // MARK: Forms

    @Test func `A backslash escapes quotation marks and itself`() async throws {
        let zip = try Encrypted.value("77754")
        let notes = [#""5 \"""#, #""a\\""#, #""x, \\\"y\" ""z""""#, #"C:\"#, #""\N""#]
        let rows = notes.map { "\($0),\(zip)\n" }.joined()
        let (text, summary) = try await answers(rows, under: "note,zip\n", Self.backslash)
        #expect(text == notes.map { "\($0),77754,ok\n" }.joined())
        #expect(summary.good == notes.count && summary.joined.isEmpty)
    }

    @Test(arguments: [
        (SeparatedForm.csv, #""a, ""c"" \""#), (backslash, #""a, \"c\" \\""#), (unquoted, #"a, "c" \\"#),
        (SeparatedForm(separator: UInt8(ascii: ","), quoting: .unquoted), #"a\, "c" \\"#),
        (SeparatedForm(separator: UInt8(ascii: ";")), #""a, ""c"" \""#), (.tsv, #""a, ""c"" \""#),
    ])
    func `A text is written as the input is`(_ form: SeparatedForm, _ written: String) async throws {
        let value = try Encrypted.value(#"a, "c" \"#)
        let separator = Unicode.Scalar(form.separator)
        let (text, _) = try await answers(
            "1\(separator)\(value)\n", under: "id\(separator)town\n", form, field: "town")
        #expect(text == "1\(separator)\(written)\(separator)ok\n")
    }

    @Test func `Line ends and tabs are escaped in values that are never quoted`() async throws {
        let list = try Encrypted.value("[\n\t\"77754\"\r\n]")
        let (text, _) = try await answers("1\t\(list)\n", under: "id\tzip\n", Self.unquoted)
        #expect(text == #"1\#t[\n\t"77754"\r\n]\#tok\#n"#)
    }

    @Test func `Quotation marks are text if values are never quoted`() async throws {
        let zip = try Encrypted.value("77754")
        let notes = ["\"5 inch", "12\"", "a\\tb\\n\\\\", "a\\\tb", "a\\\nb", "\\N", ""]
        let rows = notes.map { "\($0)\t\(zip)\n" }.joined()
        let (text, summary) = try await answers(rows, under: "note\tzip\n", Self.unquoted)
        #expect(text == notes.map { "\($0)\t77754\tok\n" }.joined())
        #expect(summary.good == notes.count && summary.joined.isEmpty)
        #expect(summary.line.contains("\"bad_rows\":0,\"lines\":8,"))
    }

    @Test func `Escaped line ends in a value are no part of it`() async throws {
        let zip = try Encrypted.value("77754")
        let (text, _) = try await answers(
            "\(zip.prefix(76))\\n\(zip.dropFirst(76))\n", under: "zip\n", Self.unquoted)
        #expect(text == "77754\tok\n")
    }

    // MARK: Null

    @Test func `A text for null counts as absent and stays`() async throws {
        let rows = "1,NULL\n2,\"NULL\"\n3,\\N\n4,\n"
        let (text, summary) = try await answers(
            rows, under: "id,zip\n", isOptional: true, nulls: ["\\N", "NULL"])
        #expect(text == "1,NULL,ok\n2,\"NULL\",ok\n3,\\N,ok\n4,,ok\n")
        #expect(summary.good == 4 && summary.nullTexts.isEmpty)
        let required = try await answers(rows, under: "id,zip\n", nulls: ["\\N", "NULL"])
        let codes = ["1,NULL,missing_field", "2,\"NULL\",missing_field", "3,\\N,missing_field", "4,,wrong_length"]
        #expect(required.text == codes.map { $0 + "\n" }.joined())
    }

    @Test func `A backslash and N are null if values are never quoted`() async throws {
        let rows = "1\t\\N\n2\t\\\\N\n3\tNULL\n"
        let (text, _) = try await answers(rows, under: "id\tzip\n", Self.unquoted, isOptional: true)
        #expect(text == "1\t\\N\tok\n2\t\\\\N\tnot_base64\n3\tNULL\twrong_length\n")
        let named = try await answers(
            rows, under: "id\tzip\n", Self.unquoted, isOptional: true, nulls: ["NULL"])
        #expect(named.text == "1\t\\N\tok\n2\t\\\\N\tnot_base64\n3\tNULL\tok\n")
    }

    @Test func `Values that programs write for null are counted`() async throws {
        let (_, summary) = try await answers("1,NULL\n2,\\N\n3,\"\\N\"\n4,x\n", under: "id,zip\n", isOptional: true)
        #expect(summary.nullTexts == ["NULL": 1, "\\N": 2])
    }

    @Test func `A text that would pass for null has quotation marks`() async throws {
        let value = try Encrypted.value("NULL")
        let (text, _) = try await answers("1,\(value)\n", under: "id,town\n", field: "town", nulls: ["NULL"])
        #expect(text == "1,\"NULL\",ok\n")
    }

    // MARK: Quotation marks too many

    @Test func `The lines of a bad record count as failures`() async throws {
        let zip = try Encrypted.value("77754")
        let inches = #""5 \"""#
        let titles = (1...100).map { $0 == 3 || $0 == 6 ? inches : "plain" }
        let rows = titles.enumerated().map { "\($0),\($1),\(zip)\n" }.joined()
        let (text, summary) = try await answers(rows, under: "id,note,zip\n")
        #expect(text.hasSuffix("\n99,plain,77754,ok\n"))
        #expect(summary.rows == 97 && summary.badRows == 1 && summary.good == 96)
        #expect(summary.failures == 4 && summary.rowsWithLost == 100)
        #expect(summary.joined[.bad]?.line == 3 && summary.joined[.bad]?.lines == 4)
        #expect(summary.joined.count == 1)
        #expect(summary.line.contains("\"bad_rows\":1,\"lines\":100,"))
        let limits = [(3.9, true), (4.0, false)]
        for (percent, isExceeded) in limits {
            #expect(FailureLimit.percent(percent).isExceeded(by: summary, rowsToCome: 0) == isExceeded)
        }
    }

    /// Both marks are text, and stand where a quoted value begins and ends: nothing is wrong with the record itself.
    @Test(arguments: [SeparatedForm.tsv, .csv, backslash])
    func `A good record that holds rows is bad`(_ form: SeparatedForm) async throws {
        let zip = try Encrypted.value("77754")
        let separator = String(Unicode.Scalar(form.separator))
        let rows = [["1", "\"The Movie", zip], ["2", "TV of 12\"", zip], ["3", "plain", zip]]
        let (text, summary) = try await answers(
            rows.map { $0.joined(separator: separator) + "\n" }.joined(),
            under: ["id", "note", "zip"].joined(separator: separator) + "\n", form, isOptional: true, trustsMarks: true)
        #expect(text.hasSuffix("bad_row\n" + ["3", "plain", "77754", "ok"].joined(separator: separator) + "\n"))
        #expect(summary.failures == 2 && summary.good == 1 && summary.rowsWithLost == 3)
        #expect(summary.joined[.bad]?.line == 1 && summary.joined[.bad]?.lines == 2)
    }

    @Test func `Values of several lines pass`() async throws {
        let zip = try Encrypted.value("77754")
        let address = "\"5 Main St, Apt 2\nSpringfield, IL\""
        let table = "\"a,b\nc,d,e,f\n\ng,h\""
        let long = "\"" + String(repeating: "A line of prose, and more.\n", count: 999) + "\""
        for note in [address, table, long] {
            let (text, summary) = try await answers("1,\(note),\(zip)\n", under: "id,note,zip\n")
            #expect(text == "1,\(note),77754,ok\n")
            #expect(summary.joined.isEmpty && summary.failures == 0)
        }
    }

    @Test func `Very many lines of a record are suspected unless they are meant`() async throws {
        let zip = try Encrypted.value("77754")
        let row = "1,\"" + String(repeating: "A line of prose, and more.\n", count: 1000) + "\",\(zip)\n"
        let (text, summary) = try await answers(row + row, under: "id,note,zip\n")
        #expect(text == (row + row).replacing(zip + "\n", with: "77754,ok\n"))
        let long = try #require(summary.joined[.long])
        #expect(long.line == 1 && long.lines == 2002 && long.records == 2 && summary.joined.count == 1)
        #expect(summary.suspectedLines == 2000)
        #expect(summary.good == 2 && summary.failures == 0)
        let meant = try await answers(row, under: "id,note,zip\n", trustsMarks: true)
        #expect(meant.text == row.replacing(zip + "\n", with: "77754,ok\n") && meant.summary.joined.isEmpty)
    }

    /// Rows without an encrypted value, in a column that most rows have none in.
    @Test(arguments: [2, 3, 4])
    func `Lines that all look like rows are suspected`(_ count: Int) async throws {
        let inner = (2..<count).map { "\($0),plain," }
        let lines = ["1,\"The Movie,"] + inner + ["9,TV of 12\","]
        let (_, summary) = try await answers(
            lines.joined(separator: "\n") + "\n", under: "id,note,zip\n", isOptional: true, trustsMarks: true)
        #expect(summary.rows == 1 && summary.good == 1)
        #expect(summary.joined[.suspected]?.lines == count && summary.suspectedLines == count - 1)
    }

    @Test(arguments: [
        ("1,a,AAAA\n2,\"b\n3,c\n", 2, 2), ("1,a,AAAA\n2,\"b", 2, 1), ("1,\"a\nb\",\"c\nd\n", 2, 3),
    ])
    func `An input that ends within quotation marks is told`(_ rows: String, _ line: Int, _ lines: Int) async throws {
        let (_, summary) = try await answers(rows, under: "id,note,zip\n")
        let unclosed = try #require(summary.joined[.unclosed])
        #expect(unclosed.line == line && unclosed.lines == lines)
        #expect(summary.joined[.bad] == nil)
    }

    @Test func `A record that is not text is one bad row`() async throws {
        let (_, summary) = try await answers("1,\"a\n\0\",x\n2,\"a\n\0\"\n", under: "id,note,zip\n")
        #expect(summary.badRows == 2 && summary.failures == 3 && summary.joined[.bad]?.line == 3)
    }
}
