import RowBatches
import Testing

/// Rows that a quotation mark, or a backslash, makes part of another row's value.
@Suite struct JoinedRecordsTests {
    private static let unquoted = SeparatedForm(separator: UInt8(ascii: "\t"), quoting: .unquoted)
    private static let backslash = SeparatedForm(separator: UInt8(ascii: ","), quoting: .backslash)

    /// Answers the rows after a header.
    ///
    /// `Z` stands for an encrypted value, `Y` for another one, and a question mark for a byte that is not UTF-8.
    private func summary(
        of rows: String,
        under header: String,
        _ form: SeparatedForm,
        isOptional: Bool = true
    ) async throws -> BatchSummary {
        let first = try Encrypted.value("77754")
        let second = try Encrypted.value("12345")
        let header = try SeparatedHeader(
            Array((header + "\n").utf8), form, fields: isOptional ? [] : ["zip"],
            optionalFields: isOptional ? ["zip"] : [],
            attribute: nil)
        let format = SeparatedRows(under: header, values: try Encrypted.decrypter(), trustsMarks: true)
        let limits = LineCutter.Limits(maximumLineLength: 1 << 20, maximumLines: 4, form: form)
        let bytes = rows.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "Z"): Array(first.utf8)
            case UInt8(ascii: "Y"): Array(second.utf8)
            case UInt8(ascii: "?"): [0xE9]
            default: [byte]
            }
        }
        var summary = BatchSummary(goodCode: "decrypted", otherName: "failed", countsLines: true)
        for output in await DecryptRows(format: format, limits: limits).answers(toBytes: bytes) {
            summary.add(output.tally)
        }
        return summary
    }

    // MARK: Encrypted values of other rows

    @Test(arguments: [
        // Not UTF-8, or NUL.
        ("1\t\"The Movie\tZ\n2\tJos?\tY\n3\tTV of 12\"\tZ\n", 3), ("1\t\"The Movie\tZ\n2\tTV\0 of 12\"\tY\n", 2),
        // Padded with blanks.
        ("1\t\"The Movie\tZ   \n2\tTV of 12\"\tY   \n", 2),
        // The record itself has no encrypted value.
        ("1\t\"The Movie\tZ\n2\tTV of 12\"\t\n", 2),
    ])
    func `Rows within quotation marks are told`(_ rows: String, _ lines: Int) async throws {
        for isOptional in [true, false] {
            let summary = try await summary(of: rows, under: "id\ttitle\tzip", .tsv, isOptional: isOptional)
            #expect(summary.badRows == 1 && summary.failures == lines && summary.joined[.bad]?.lines == lines)
        }
    }

    @Test func `Quotation marks beside the joined rows do not hide them`() async throws {
        let rows = "1,\"The Movie,Smith,Z\n2,TV of 12\",\"Doe, Jane\",Y\n"
        #expect(try await summary(of: rows, under: "id,title,name,zip", .csv).joined[.bad]?.lines == 2)
        let before = "1,\"Doe, Jane\",\"The Movie,Z\n2,x,TV of 12\",Y\n"
        #expect(try await summary(of: before, under: "id,name,title,zip", .csv).joined[.bad]?.lines == 2)
    }

    @Test func `Joined rows with more or fewer values than the header are told`() async throws {
        for (rows, form) in [
            ("Z,1,\"The Movie\nY,2,Smith, TV of 12\"\nZ,3,x\n", SeparatedForm.csv),
            ("Z,1,\"The Movie\nY,2 TV of 12\"\nZ,3,x\n", .csv), ("Z,1,\"The Movie,Y\r2,TV of 12\"\nZ,3,x\n", .csv),
            ("Z\t1\t\"The Movie\nY\t2\tSmith\tTV of 12\"\nZ\t3\tx\n", .tsv),
            ("Z\t1\tC:\\\nY\nZ\t2\tx\n", Self.unquoted),
        ] {
            let header = ["zip", "id", "title"].joined(separator: String(Unicode.Scalar(form.separator)))
            let summary = try await summary(of: rows, under: header, form, isOptional: false)
            #expect(summary.badRows == 1 && summary.good == 1, "\(rows)")
            // CR alone ends no line of the input.
            #expect((summary.joined[.bad] != nil) == !rows.contains("\r"), "\(rows)")
        }
        // Other columns may be encrypted, too, and a text may hold other Base64.
        let honest =
            "Z,1,\"The Movie\nin \"\"TV\"\", of 12\",Y\nZ,2,\"data:image/png;base64,\(String(repeating: "QUJD", count: 50))\nx\",Y\n"
        let summary = try await summary(of: honest, under: "zip,id,title,more", .csv, isOptional: false)
        #expect(summary.good == 2 && summary.joined.isEmpty)
    }

    @Test func `Rows after backslashes at line ends are told`() async throws {
        let rows = "Z\tC:\\\tE:\\\nY\tD:\\\tx\n"
        let summary = try await summary(of: rows, under: "zip\tdir\tsub", Self.unquoted)
        #expect(summary.good == 0 && summary.joined[.bad]?.lines == 2 && summary.failures == 2)
        let sparse = try await self.summary(of: rows.replacing("Y", with: ""), under: "zip\tdir\tsub", Self.unquoted)
        #expect(sparse.joined[.suspected]?.lines == 2)
    }

    // MARK: Rows without an encrypted value

    @Test(arguments: [
        "1\t\"The Movie\t\n2\tTV of 12\"\tZ\n", "1\t\"The Movie\tNULL\n2\tTV of 12\"\tZ\n",
        "1\t\"The Movie\t\n\n2\tTV of 12\"\t\n", "1\t\"The Movie\tx\ty\n2\tTV of 12\"\tZ\n",
        "1\t\"The Movie\tn/a\n2\tTV of 12\"\tn/a\n", "1\t\"\t\n2\t\"\t\n", "1\t\"The \"\"M\"\"\t\n2\tx\t\n3\t12\"\t\n",
    ])
    func `Lines that look like rows are suspected with tabs`(_ rows: String) async throws {
        let summary = try await summary(of: rows, under: "id\ttitle\tzip", .tsv)
        #expect(summary.rows == 1 && summary.joined[.suspected]?.records == 1)
        let last = try await self.summary(of: "1\t\t\"The Movie\n2\tZ\tTV of 12\"\n", under: "id\tzip\ttitle", .tsv)
        #expect(last.joined[.bad] != nil)
    }

    @Test func `A blank line or a ragged row does not hide hundreds`() async throws {
        for separator in ["\t", ",", ";"] {
            let inner = (2...900).map { $0 == 400 ? "" : $0 == 500 ? "x" : "\($0)\tt\t" }
            let rows = (["1\t\"The Movie\t"] + inner + ["901\tTV of 12\"\t\n"]).joined(separator: "\n")
            let summary = try await summary(
                of: rows.replacing("\t", with: separator), under: "id\ttitle\tzip".replacing("\t", with: separator),
                SeparatedForm(separator: Array(separator.utf8)[0]))
            #expect(summary.rows == 1 && summary.suspectedLines == 900)
        }
    }

    // MARK: Values of several lines

    static let texts = [
        "5 Main St, Apt 2\nSpringfield, IL", "Jane Doe\n5 Main St, Apt 2\nSpringfield, IL\nPhone, 555",
        "{\n  \"a\": 1,\n  \"b\": [1, 2],\n  \"c\": {\"d\": \"x\"}\n}", "{\"a\": 1,\n \"b\": [1,2]}",
        "{\n\t\"a\": 1,\n\t\"b\": 2\n}", "say \"hi\"\n\nand, \"bye\"", "\n", "a\tb", "\r\n",
    ]

    @Test(arguments: [["zip", "note"], ["note", "zip"], ["id", "note", "zip"], ["zip", "note", "more"]], texts)
    func `Addresses and JSON in a value pass`(_ columns: [String], _ text: String) async throws {
        for (form, mark) in [(SeparatedForm.csv, "\"\""), (.tsv, "\"\""), (Self.backslash, "\\\"")] {
            for zip in ["Z", ""] {
                let note = "\"" + text.replacing("\"", with: mark) + "\""
                let separator = String(Unicode.Scalar(form.separator))
                let row = columns.map { $0 == "zip" ? zip : $0 == "note" ? note : "x" }.joined(separator: separator)
                let summary = try await summary(
                    of: row + "\n" + row + "\n", under: columns.joined(separator: separator), form)
                #expect(summary.good == 2 && summary.joined.isEmpty)
            }
        }
    }

    @Test func `Escaped line ends and tabs pass`() async throws {
        let rows = "1\ta\\\nb\tZ\n2\t{\\\n\\\t\"a\": 1\\\n}\tZ\n3\tC:\\\\\t\n"
        let summary = try await summary(of: rows, under: "id\tnote\tzip", Self.unquoted)
        #expect(summary.good == 3 && summary.joined.isEmpty)
    }

    @Test(arguments: [76, 180])
    func `An encrypted value over several lines is one`(_ width: Int) async throws {
        let value = Array(try Encrypted.value("77754"))
        let lines = stride(from: 0, to: value.count, by: width).map { String(value[$0..<min($0 + width, value.count)]) }
        let header = try SeparatedHeader(
            Array("id,zip\n".utf8), .csv, fields: ["zip"], optionalFields: [], attribute: nil)
        let rows = DecryptRows(
            format: SeparatedRows(under: header, values: try Encrypted.decrypter()),
            limits: LineCutter.Limits(maximumLineLength: 1 << 16, maximumLines: 4, form: .csv))
        #expect(await rows.output(for: "1,\"\(lines.joined(separator: "\n"))\"\n") == "1,77754,ok\n")
    }

    // MARK: Backslashes without a character

    @Test(arguments: ["1\tZ\tC:\\", "1\tZ\tC:\\\n", "1\tZ\ttail\\\r\n2\tZ\tx\r\n", "1\tZ\tC:\\\\\\\n"])
    func `A backslash at the end of a record takes no mark along`(_ rows: String) async throws {
        let summary = try await summary(of: rows, under: "id\tzip\tnote", Self.unquoted)
        #expect(summary.badRows == 1 && summary.misread == [.textBackslashes: 1])
        let even = try await self.summary(of: "1\tZ\tC:\\\\\n", under: "id\tzip\tnote", Self.unquoted)
        #expect(even.good == 1)
    }

    // MARK: Rows of another form

    @Test(arguments: [
        (SeparatedForm.csv, "id,note,zip", #"1,"5 \" TV",Z"#, Misreading.escapedMarks),
        (.tsv, "id\tnote\tzip", "1\t\"A\" b\tZ", .textMarks), (backslash, "id,note,zip", #"1,"a\",Z"#, .doubledMarks),
        (SeparatedForm(separator: UInt8(ascii: ","), quoting: .unquoted), "id,note,zip", #"1,"a, b",Z"#, .quotedValues),
        (unquoted, "zip\tdir\tx", "Z\tC:\\\ta", .textBackslashes),
    ])
    func `Bad rows of another form are recognised`(
        _ form: SeparatedForm,
        _ header: String,
        _ row: String,
        _ misread: Misreading
    ) async throws {
        let summary = try await summary(of: row + "\n", under: header, form)
        #expect(summary.badRows == 1 && summary.misread == [misread: 1])
        let ragged = try await self.summary(of: "x\n", under: header, form)
        #expect(ragged.badRows == 1 && ragged.misread.isEmpty)
    }

    @Test func `A value that stands for null is named as it came`() async throws {
        let summary = try await summary(of: "1\t\\\\N\n2\tNULL\n", under: "id\tzip", Self.unquoted)
        #expect(summary.nullTexts == ["\\\\N": 1, "NULL": 1])
    }
}
