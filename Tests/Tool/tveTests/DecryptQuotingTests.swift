import Foundation
import Testing

/// `tve decrypt --batch` on CSV and TSV as other programs write them.
@Suite struct DecryptQuotingTests {
    private func decrypt(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Decrypting.batch(Array(rows.utf8), arguments)
    }

    /// A file of Spark, with titles of five inches in some rows.
    private func spark(_ count: Int, inchesIn marked: Set<Int>) throws -> String {
        let zip = try Decrypting.encrypted("77754")
        let inches = #""5 \"""#
        let rows = (1...count).map { number in
            let note = marked.contains(number) ? inches : "plain"
            return "\(number),\(note),\(zip)\n"
        }
        return "id,note,zip\n" + rows.joined()
    }

    // MARK: Quotation marks

    /// The mark opens in line 3: the header is line 1.
    @Test(arguments: [
        ([String](), 2), (["--max-failures", "100%"], 2), (["--on-error", "skip"], 2), (["--quoting", "csv"], 2),
        (["--on-error", "fail"], 20),
    ])
    func `An input that ends within quotation marks is no success`(_ options: [String], _ code: Int) async throws {
        let input = Array(try spark(200, inchesIn: [2]).utf8)
        let outcome = try await Decrypting.batch(input, ["--input", "csv", "--field", "zip"] + options)
        #expect(Int(outcome.exitCode) == code)
        #expect(outcome.error.contains("[unclosed_quotation_mark]"))
        #expect(outcome.error.contains("open in line 3") && outcome.error.contains("--quoting backslash"))
        #expect(outcome.report["rows"] as? Int == 2 && outcome.report["lines"] as? Int == 200)
    }

    @Test func `Backslashes of Spark are read and kept`() async throws {
        let input = try spark(200, inchesIn: [2, 50, 199, 200])
        let outcome = try await decrypt(input, "--input", "csv", "--field", "zip", "--quoting", "backslash", "--strict")
        let zip = try Decrypting.encrypted("77754")
        let plain = input.replacing(",\(zip)\n", with: ",77754,ok\n")
        let expected = plain.replacing("note,zip\n", with: "note,zip,_tve\n")
        #expect(outcome.exitCode == 0 && outcome.output == expected)
        #expect(outcome.report["rows"] as? Int == 200 && outcome.report["lines"] as? Int == 200)
    }

    /// Two marks take the rows between them along: lines 3 to 51 of 201.
    @Test(arguments: [
        ([String](), 2, "[lost_rows]"), (["--strict"], 2, "[failed_rows]"),
        (["--max-failures", "24%"], 2, "49 of 200 rows failed"), (["--max-failures", "25%"], 0, "[lost_rows]"),
        (["--max-failures", "49"], 0, "[lost_rows]"),
    ])
    func `The lines of a bad record are failed rows`(
        _ options: [String],
        _ code: Int,
        _ words: String
    ) async throws {
        let input = Array(try spark(200, inchesIn: [2, 50]).utf8)
        let outcome = try await Decrypting.batch(input, ["--input", "csv", "--field", "zip"] + options)
        #expect(Int(outcome.exitCode) == code && outcome.error.contains(words))
        #expect(outcome.error.contains("from line 3 on, 49 lines are one bad row"))
        #expect(outcome.report["rows"] as? Int == 152 && outcome.report["bad_rows"] as? Int == 1)
        #expect(outcome.report["lines"] as? Int == 200)
    }

    @Test func `Failed records name their lines`() async throws {
        let input = Array(try spark(9, inchesIn: [2, 5]).utf8)
        let outcome = try await Decrypting.batch(
            input, ["--input", "csv", "--field", "zip", "--errors-to", "/dev/stderr"])
        #expect(outcome.error.contains("the record takes the lines 3 to 6 of the input"))
    }

    /// Between two titles of TSV, neither of which means anything by its quotation mark, all is part of one value.
    @Test func `Rows within quotation marks of TSV are not one good row`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let titles = (1...40).map { $0 == 7 ? "\"The Movie" : $0 == 20 ? "TV of 12\"" : "plain" }
        let rows = "id\ttitle\tzip\n" + titles.enumerated().map { "\($0)\t\($1)\t\(zip)\n" }.joined()
        for options in [[], ["--quoting", "csv"], ["--max-failures", "0.5%"]] {
            let outcome = try await Decrypting.batch(
                Array(rows.utf8), ["--input", "tsv", "--field", "zip"] + options)
            #expect(outcome.exitCode == 2 && outcome.error.contains("--quoting none"))
            #expect(outcome.error.contains("from line 8 on, 14 lines are one bad row"))
        }
        let outcome = try await decrypt(rows, "--input", "tsv", "--field", "zip", "--quoting", "none", "--strict")
        #expect(outcome.exitCode == 0 && outcome.report["decrypted"] as? Int == 40)
        let plain = rows.replacing("\t\(zip)\n", with: "\t77754\tok\n")
        #expect(outcome.output == plain.replacing("title\tzip\n", with: "title\tzip\t_tve\n"))
    }

    @Test func `Values of several lines pass and very long ones are told`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let row = { (lines: Int) in "1,\"\(String(repeating: "prose\n", count: lines))\",\(zip)\n" }
        let few = try await decrypt("id,note,zip\n" + row(500), "--input", "csv", "--field", "zip", "--strict")
        #expect(few.exitCode == 0 && few.error.split(separator: "\n").count == 1)
        #expect(few.report["rows"] as? Int == 1 && few.report["lines"] as? Int == 501)
        let many = "id,note,zip\n1,plain,\(zip)\n" + row(2000)
        let told = try await decrypt(many, "--input", "csv", "--field", "zip")
        #expect(told.exitCode == 2 && told.error.contains("[suspected_rows]"))
        #expect(told.error.contains("from line 3 on, 2001 lines are one row") && told.error.contains("--quoting csv"))
        #expect(told.error.contains("--max-failures 2000"))
        #expect(told.report["decrypted"] as? Int == 2)
        let meant = try await decrypt(many, "--input", "csv", "--field", "zip", "--quoting", "csv")
        #expect(meant.exitCode == 0 && meant.bytes == told.bytes)
    }

    /// Subscriber 1 would have the value of subscriber 2.
    @Test func `Two rows that may be one are no success unless they are allowed for`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let rows = Array("id\ttitle\tzip\n1\t\"The Movie\t\n2\tTV of 12\"\t\(zip)\n3\tx\t\(zip)\n".utf8)
        let arguments = ["--input", "tsv", "--optional-field", "zip"]
        for options in [[], ["--strict", "--max-failures", "0"], ["--quoting", "csv"], ["--quoting", "backslash"]] {
            let outcome = try await Decrypting.batch(rows, arguments + options)
            #expect(outcome.exitCode == 2 && outcome.error.contains("[suspected_rows]"))
            #expect(outcome.error.contains("from line 2 on, 2 lines are one row, and look like more"))
            #expect(outcome.error.contains("--quoting none") && outcome.error.contains("say --max-failures 1,"))
        }
        for options in [["--max-failures", "1"], ["--max-failures", "34%", "--strict"]] {
            let outcome = try await Decrypting.batch(rows, arguments + options)
            #expect(outcome.exitCode == 0 && outcome.error.contains("[suspected_rows]"))
        }
        #expect(try await Decrypting.batch(rows, arguments + ["--max-failures", "33%"]).exitCode == 2)
    }

    @Test func `Rows in Windows 1252 are not lost in one`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let text = "id\ttitle\tzip\n1\t\"The Movie\t\(zip)\n2\tJos?\t\(zip)\n3\tTV of 12\"\t\(zip)\n"
        let rows = text.utf8.map { $0 == UInt8(ascii: "?") ? 0xE9 : $0 }
        let outcome = try await Decrypting.batch(rows, ["--input", "tsv", "--field", "zip", "--on-error", "skip"])
        #expect(outcome.exitCode == 2 && outcome.error.contains("from line 2 on, 3 lines are one bad row"))
        #expect(outcome.error.contains("[misread_rows]") && outcome.error.contains("iconv -f WINDOWS-1252 -t UTF-8"))
    }

    @Test func `Bad rows of another form have a hint`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let spark = try await decrypt("id,title,zip\n1,\"5 \\\" TV\",\(zip)\n", "--input", "csv", "--field", "zip")
        #expect(
            spark.exitCode == 2 && spark.error.contains("1 bad row looks as if backslashes escaped quotation marks"))
        #expect(spark.error.contains("say --quoting backslash [misread_rows]"))
        let raw = try await decrypt(
            "zip\tdir\tx\n\(zip)\tC:\\\ta\n", "--input", "tsv", "--field", "zip", "--quoting", "none")
        #expect(raw.error.contains(#"sed 's/\\/&&/g' FILE"#))
    }

    @Test(arguments: [
        ("id, zip\n", ["did you mean ' zip'?", "it has 'id', ' zip'"]), ("id,ZIP\n", ["did you mean 'ZIP'?"]),
        ("id,zipp\n", ["did you mean 'zipp'?"]), ("id;zip\n", ["say --delimiter ';'"]),
        ("sep=;\r\nid;zip\r\n", ["tail -n +2"]), ("id,zip\r1,2\r", ["tr '\\r' '\\n'"]), ("a,b\n", ["it has 'a', 'b'"]),
    ])
    func `A header says what may be wrong with it`(_ rows: String, _ words: [String]) async throws {
        for field in ["--field", "--optional-field"] {
            let outcome = try await decrypt(rows, "--input", "csv", field, "zip", "--strict")
            #expect(outcome.exitCode == 64 && words.allSatisfy { outcome.error.contains($0) }, "\(outcome.error)")
        }
        // They may be values.
        let values = try await decrypt("1,Jane Doe\n", "--input", "csv", "--field", "zip")
        #expect(values.exitCode == 64 && !values.error.contains("Jane"))
    }

    @Test func `A header without an end names its line`() async throws {
        let outcome = try await decrypt("id,\"zip\n1,2\n", "--input", "csv", "--field", "zip")
        #expect(outcome.exitCode == 64 && outcome.error.contains("[no_header]"))
        #expect(outcome.error.contains("opens in line 1") && outcome.error.contains("--quoting none"))
        let zip = try Decrypting.encrypted("77754")
        let missing = try await decrypt("1,\(zip)\n2,\(zip)\n", "--input", "csv", "--field", "zip")
        #expect(missing.exitCode == 64 && missing.error.contains("[no_header]") && missing.bytes.isEmpty)
    }

    // MARK: Null

    @Test func `Null is what the user says`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let rows = "id\tzip\n1\t\(zip)\n2\t\\N\n3\tNULL\n4\t\n"
        let plain = "id\tzip\t_tve\n1\t77754\tok\n2\t\\N\tok\n3\tNULL\tok\n4\t\tok\n"
        let options = ["--optional-field", "zip", "--null", "\\N", "--null", "NULL", "--strict", "--input"]
        for quoting in [[], ["--quoting", "none"], ["--quoting", "backslash"]] {
            let outcome = try await Decrypting.batch(Array(rows.utf8), options + ["tsv"] + quoting)
            #expect(outcome.exitCode == 0 && outcome.output == plain)
        }
        let csv = try await Decrypting.batch(Array(rows.replacing("\t", with: ",").utf8), options + ["csv"])
        #expect(csv.exitCode == 0 && csv.output == plain.replacing("\t", with: ","))
        let unnamed = try await decrypt(rows, "--input", "tsv", "--optional-field", "zip")
        #expect(unnamed.exitCode == 0 && unnamed.error.contains("[unnamed_null]"))
        #expect(unnamed.error.contains("2 failed rows have NULL or \\N") && unnamed.error.contains("--null '\\N'"))
        // Not null, but a text of a backslash and N.
        let text = try await decrypt(
            "id\tzip\n1\t\\\\N\n", "--input", "tsv", "--optional-field", "zip", "--quoting", "none")
        #expect(text.error.contains("1 failed row has \\\\N for a value") && text.error.contains("--null '\\\\N'"))
    }

    // MARK: Separators

    @Test(arguments: [(";", ";"), ("|", "|"), ("tab", "\t"), ("\\t", "\t"), ("\t", "\t"), ("\u{1}", "\u{1}")])
    func `Values are separated by any character`(_ option: String, _ separator: String) async throws {
        let zip = try Decrypting.encrypted("77754")
        let rows = "id,zip,note\n1,\(zip),\"a,b\"\n".replacing(",", with: separator)
        let outcome = try await decrypt(rows, "--input", "csv", "--field", "zip", "--delimiter", option)
        let plain = "id,zip,note,_tve\n1,77754,\"a,b\",ok\n".replacing(",", with: separator)
        #expect(outcome.exitCode == 0 && outcome.output == plain)
    }

    @Test(arguments: [
        ["--delimiter", "a"], ["--delimiter", "+"], ["--delimiter", ",,"], ["--delimiter", "\""], ["--delimiter", "é"],
        ["--delimiter", ""], ["--delimiter", "\n"], ["--quoting", "some"],
    ])
    func `What cannot separate or quote is refused`(_ options: [String]) async throws {
        #expect(try await Decrypting.batch([], ["--input", "csv", "--field", "zip"] + options).exitCode == 64)
    }

    @Test(arguments: [["--delimiter", ";"], ["--quoting", "none"], ["--null", "NULL"]])
    func `JSON has neither separators nor other nulls`(_ options: [String]) async throws {
        #expect(try await Decrypting.batch(Array("{}\n".utf8), ["--field", "zip"] + options).exitCode == 64)
        #expect(try await Decrypting.one("x", options[0], options[1]).exitCode == 64)
    }

    @Test func `Other separators are recognised`() async throws {
        for separator in [";", "|"] {
            let outcome = try await decrypt("id\(separator)zip\n", "--field", "zip")
            #expect(outcome.exitCode == 64 && outcome.error.contains("--delimiter '\(separator)'"))
        }
        let one = try await decrypt("id;zip\n", "--input", "csv", "--field", "zip")
        #expect(one.exitCode == 64 && one.error.contains("--delimiter"))
    }
}
