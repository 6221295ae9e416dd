import HostSystem
import RowBatches
import Testing

@Suite struct SeparatedRowsTests {
    private func header(
        _ line: String,
        _ form: SeparatedForm = .csv,
        _ fields: [String] = ["zip"],
        optional: [String] = []
    ) throws -> SeparatedHeader {
        try SeparatedHeader(Array(line.utf8), form, fields: fields, optionalFields: optional, attribute: nil)
    }

    /// Answers the rows after a header.
    private func output(
        _ rows: String,
        under header: SeparatedHeader,
        policy: FailedRowPolicy = .emit,
        form: SeparatedForm = .csv
    ) async throws -> String {
        let decrypted = DecryptRows(
            format: SeparatedRows(under: header, values: try Encrypted.decrypter()), policy: policy,
            limits: LineCutter.Limits(maximumLineLength: 1 << 16, maximumLines: 4, form: form))
        return String(decoding: header.line, as: UTF8.self) + (await decrypted.output(for: rows))
    }

    @Test func `Texts take their places and the rest stays byte for byte`() async throws {
        let (zip, list) = (try Encrypted.value("77754"), try Encrypted.value("[\"77754\",\"12345\"]"))
        let rows = "1,\"a \"\"b\"\",\r\nc\", x ,\(zip)\r\n\"2\",,,\"\(list)\"\r\n"
        let output = try await output(rows, under: try header("id,\"no, te\",s,zip\r\n"))
        #expect(
            output == "id,\"no, te\",s,zip,_tve\r\n1,\"a \"\"b\"\",\r\nc\", x ,77754,ok\r\n"
                + "\"2\",,,\"[\"\"77754\"\",\"\"12345\"\"]\",ok\r\n")
    }

    @Test func `Tabs separate as commas do`() async throws {
        let zip = try Encrypted.value("a, \"c\"")
        let output = try await output(
            "1,0\t\(zip)\n", under: try header("id\ttown\n", .tsv, ["town"]), form: .tsv)
        #expect(output == "id\ttown\t_tve\n1,0\t\"a, \"\"c\"\"\"\tok\n")
    }

    @Test func `A failed row keeps its values and has a code`() async throws {
        let zip = try Encrypted.value("77754")
        let rows = "1,\(zip),AAAA\n2,,\(zip)\n3,\(zip),\(zip)\n"
        let output = try await output(rows, under: try header("id,a,b\n", .csv, ["a", "b"]))
        #expect(
            output.split(separator: "\n") == [
                "id,a,b,_tve", "1,\(zip),AAAA,wrong_length", "2,,\(zip),wrong_length", "3,77754,77754,ok",
            ])
    }

    @Test func `Rows that an earlier run has decrypted stay as they are on request`() async throws {
        let zip = try Encrypted.value("77754")
        let header = try header("_tve,id,zip\n")
        let format = SeparatedRows(under: header, values: try Encrypted.decrypter(), resumes: true)
        let rows = DecryptRows(
            format: format, limits: LineCutter.Limits(maximumLineLength: 1 << 16, maximumLines: 4, form: .csv))
        let outputs = await rows.answers(toText: "ok,1,90210\n\"ok\",2,\nundecryptable,3,\(zip)\n,4,\(zip)\nok,5\n")
        #expect(
            String(decoding: outputs.flatMap(\.bytes), as: UTF8.self)
                == "ok,1,90210\n\"ok\",2,\nok,3,77754\nok,4,77754\nbad_row,\"ok,5\",\n")
        #expect(outputs.reduce(0) { $0 + $1.tally.resumed } == 2)
    }

    @Test func `An optional column may be empty or missing`() async throws {
        let zip = try Encrypted.value("77754")
        let output = try await output(
            "1,\n2,\"\"\n3,\(zip)\n", under: try header("id,zip\n", .csv, [], optional: ["zip", "town"]))
        #expect(output == "id,zip,_tve\n1,,ok\n2,\"\",ok\n3,77754,ok\n")
    }

    @Test func `The column of an earlier run is written anew`() async throws {
        let zip = try Encrypted.value("77754")
        let output = try await output("undecryptable,\(zip)\nok,AAAA\n", under: try header("_tve,zip\n"))
        #expect(output == "_tve,zip\nok,77754\nwrong_length,AAAA\n")
    }

    @Test(arguments: [
        ("1", "1,,bad_row"), ("1,2,3", "\"1,2,3\",,bad_row"), ("", ",,bad_row"),
        ("\"a\"b,c", "\"\"\"a\"\"b,c\",,bad_row"), ("a,\"b", "\"a,\"\"b\n\",,bad_row"), ("a\0,b", "\"a\0,b\",,bad_row"),
    ])
    func `A line that is not a record becomes the first value of one`(_ line: String, _ answer: String) async throws {
        #expect(try await output(line + "\n", under: try header("id,zip\n")) == "id,zip,_tve\n\(answer)\n")
        #expect(try await output(line + "\n", under: try header("id,zip\n"), policy: .skip) == "id,zip,_tve\n")
    }

    @Test func `A line that is not a record keeps clear of a first column for marks`() async throws {
        #expect(try await output("1,2,3\n", under: try header("_tve,zip\n")) == "_tve,zip\nbad_row,\"1,2,3\"\n")
    }

    @Test func `The first line need not end`() throws {
        #expect(try header("id,zip").line == Array("id,zip,_tve\n".utf8))
    }

    @Test(arguments: [
        ("id,town\n", SeparatedHeaderError.missingColumn("zip", among: ["id", "town"], hasOthers: false)),
        ("id;zip\n", .missingColumn("zip", among: ["id;zip"], hasOthers: false)),
        ("id, zip\n", .missingColumn("zip", among: ["id", " zip"], hasOthers: false)),
        ("zip,id,zip\n", .repeatedColumn("zip")), ("id,zip\r1,\r2,\r", .lineEndsAreCR),
        ("id,zip\r1,", .lineEndsAreCR),
        ("zip,_tve,_tve\n", .repeatedColumn("_tve")),
        ("\"zip\"x,id\n", .unreadable("text after the closing quotation mark of a value")),
        ("id,\"zip", .unreadable("a quotation mark is not closed")),
        ("1,\(String(repeating: "A", count: 344))\n", .unreadable("an encrypted value among the names of columns")),
    ])
    func `A header that does not fit is refused`(_ line: String, _ error: SeparatedHeaderError) {
        #expect(throws: error) { try header(line) }
    }

    /// Every row would pass as it came.
    @Test(arguments: ["id;zip\n", "sep=,\n", "1,2\n"])
    func `A header may lack some columns and not all`(_ line: String) throws {
        let error = #expect(throws: SeparatedHeaderError.self) {
            try header(line, .csv, [], optional: ["zip", "town"])
        }
        guard case .missingColumn("zip", _, hasOthers: false) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let other = SeparatedHeaderError.missingColumn("zip", among: ["id", "town"], hasOthers: true)
        #expect(throws: other) { try header("id,town\n", .csv, ["zip"], optional: ["town"]) }
        #expect(try header("id,town\n", .csv, [], optional: ["zip", "town"]).line == Array("id,town,_tve\n".utf8))
        #expect(try header("id,zip\n", .csv, ["zip"], optional: ["town"]).line == Array("id,zip,_tve\n".utf8))
    }

    @Test func `A row within the name of a column is told`() {
        let error = SeparatedHeaderError.unreadable("a row within the name of a column")
        #expect(throws: error) { try header("zip,\"title,id\n,TV of 12\",2\n", .csv, [], optional: ["zip"]) }
        #expect(throws: Never.self) { try header("zip,\"Price,\nnet\"\n") }
        #expect(throws: Never.self) { try header("\"Price,\nnet\",zip\n") }
    }

    @Test func `A row in another encoding goes out with its bytes`() async throws {
        let line = Array("1,Jos".utf8) + [0xE9] + Array(",\"x\"\n".utf8)
        let rows = DecryptRows(
            format: SeparatedRows(under: try header("id,name,zip\n"), values: try Encrypted.decrypter()),
            recordsFailedRows: true,
            limits: LineCutter.Limits(maximumLineLength: 1 << 16, maximumLines: 4, form: .csv))
        let damaged = Array("2,b\0,x\n3,\u{E9}".utf8) + [0xE9] + Array(",x\n".utf8)
        let outputs = await rows.answers(toBytes: line + damaged)
        let answer = Array("\"1,Jos".utf8) + [0xE9] + Array(",\"\"x\"\"\",,,bad_row\n".utf8)
        #expect(outputs.flatMap(\.bytes).starts(with: answer))
        let records = String(decoding: outputs.flatMap(\.errors), as: UTF8.self).split(separator: "\n")
        #expect(records.count == 3 && records[0].contains("\"not UTF-8; it looks like Windows-1252\""))
        #expect(records[1].contains("\"NUL in it\"") && records[2].contains("\"not UTF-8\""))
        #expect(outputs.map { $0.tally.misread } == [[.windows1252: 1]])
    }
}
