import Foundation
import Testing

@Suite struct DecryptSeparatedTests {
    private func csv(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Decrypting.batch(Array(rows.utf8), ["--input", "csv"] + arguments)
    }

    @Test func `A file of commas is decrypted in place`() async throws {
        let (new, old) = (try Decrypting.encrypted("77754"), try Decrypting.encrypted("12345", for: Decrypting.oldKey))
        let rows = "\u{FEFF}id,zip,note\r\n1,\(new),\"two\r\nlines\"\r\n2,\(old),\r\n3,AAAA,\r\n"
        let outcome = try await csv(rows, "--field", "zip")
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.output
                == "id,zip,note,_tve\r\n1,77754,\"two\r\nlines\",ok\r\n2,12345,,ok\r\n3,AAAA,,wrong_length\r\n")
        #expect(outcome.report["rows"] as? Int == 3)
        #expect(outcome.report["decrypted"] as? Int == 2)
        #expect(outcome.report["keys"] as? [String: Int] == [Decrypting.newLabel: 1, Decrypting.oldLabel: 1])
    }

    @Test func `Failed records are recorded as they were`() async throws {
        let folder = try TemporaryFolder()
        let errors = folder.path("failed.ndjson")
        let outcome = try await csv(
            "id,zip\n1,AAAA\n2\n", "--field", "zip", "--on-error", "skip", "--errors-to", errors)
        #expect(outcome.output == "id,zip,_tve\n")
        let lines = try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix(#"{"line":2,"code":"wrong_length","field":"zip","#) == true)
        #expect(lines.first?.hasSuffix(#""raw":"1,AAAA"}"#) == true)
        #expect(lines.last == #"{"line":3,"code":"bad_row","detail":"1 values under a header of 2","raw":"2"}"#)
    }

    @Test func `A pseudonym is the same as in JSON`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "k", count: 32), to: folder.path("key"))
        let zip = try Decrypting.encrypted("77754")
        let arguments = ["--field", "zip", "--pseudonymise", folder.path("key")]
        let separated = try await Decrypting.batch(Array("zip\n\(zip)\n".utf8), ["--input", "tsv"] + arguments)
        let json = try await Decrypting.batch(Array("{\"zip\":\"\(zip)\"}\n".utf8), arguments)
        let pseudonym = try #require(json.objects.first?["zip"] as? String)
        #expect(separated.output == "zip\t_tve\n\(pseudonym)\tok\n")
    }

    @Test(arguments: [
        ("", "no_header"), ("id,town\n1,2\n", "missing_column"), ("id;zip\n1;2\n", "missing_column"),
        ("zip,zip\n1,2\n", "repeated_column"), ("\"zip\n", "no_header"), ("\u{1F}\u{8B}", "missing_column"),
    ])
    func `An input without its header is refused`(_ rows: String, _ code: String) async throws {
        let outcome = try await csv(rows, "--field", "zip", "--output", "json")
        let error = outcome.report["error"] as? [String: Any]
        #expect(outcome.exitCode == 64)
        #expect(error?["code"] as? String == code)
        #expect(outcome.bytes.isEmpty)
    }

    @Test(arguments: [
        [], ["--field", "zip", "--parse"], ["--field", "zip", "--key-prefix", "tab"],
        ["--field", "zip", "--optional-field", "zip"],
    ])
    func `Options that do not go with it are refused`(_ arguments: [String]) async throws {
        #expect(try await Decrypting.batch([], ["--input", "csv"] + arguments).exitCode == 64)
    }

    // MARK: All batches

    @Test func `Inputs that are not rows are recognised`() async throws {
        for (input, word) in [
            ("id,zip\n1,2\n", "--input csv"), ("[{\"zip\":1}]", "jq"), ("\0\0\0\0\n{\"zip\":1}\n", "perl"),
            ("{\n\"zip\":1}\n", "jq -c ."),
        ] {
            let outcome = try await Decrypting.batch(Array(input.utf8), ["--field", "zip"])
            #expect(outcome.exitCode == 64 && outcome.bytes.isEmpty)
            #expect(outcome.error.contains("[wrong_input]") && outcome.error.contains(word))
        }
        let packed = try await Tool.run(["verify", "--batch", "--keys", Tool.publicKey], input: [0x1F, 0x8B, 8, 0, 0])
        #expect(packed.exitCode == 64 && packed.error.contains("gunzip"))
        let header = try await Tool.run(["verify", "--batch", "--keys", Tool.publicKey], input: "token,requestor\n")
        #expect(header.exitCode == 64 && header.error.contains("CSV"))
    }

    /// The empty file would be in the way of the next run, which has the right input.
    @Test func `An input that is refused leaves no file for failed rows`() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["--field", "zip", "--errors-to", folder.path("failed.ndjson")]
        let inputs = [
            [0x1F, 0x8B, 8, 0], Array("id,zip\n1,2\n".utf8), Array("[{\"zip\":1}]".utf8),
            Array("{\0\"\0z\0i\0p\0".utf8),
        ]
        for input in inputs {
            let outcome = try await Decrypting.batch(input, arguments)
            #expect(outcome.exitCode == 64 && outcome.error.contains("[wrong_input]"))
        }
        #expect(try await Decrypting.batch([0x1F, 0x8B, 8, 0], arguments + ["--input", "csv"]).exitCode == 64)
        #expect(try await Decrypting.batch(Array("{}\n".utf8), arguments).codes == ["missing_field"])
        #expect(try folder.text(folder.path("failed.ndjson")).contains("missing_field"))
    }

    @Test func `Too many failed rows end the run`() async throws {
        let rows = String(repeating: "{}\n", count: 500)
        let few = try await Decrypting.batch(
            Array(rows.utf8), ["--field", "zip", "--max-failures", "10", "--line-buffered"])
        #expect(few.exitCode == 2)
        #expect(few.error.contains("[too_many_failures]"))
        // Rows that were answered are written, and the summary counts them.
        let counted = try #require(few.report["rows"] as? Int)
        #expect(counted > 10 && counted < 500 && few.lines.count == counted)
        let all = try await Decrypting.batch(Array(rows.utf8), ["--field", "zip", "--max-failures", "99.9%"])
        #expect(all.exitCode == 2 && all.error.contains("[too_many_failures]"))
        let enough = try await Decrypting.batch(Array(rows.utf8), ["--field", "zip", "--max-failures", "100%"])
        #expect(enough.exitCode == 0)
        #expect(try await Decrypting.batch([], ["--field", "zip", "--max-failures", "some"]).exitCode == 64)
    }

    @Test func `Strict runs need rows`() async throws {
        let none = try await Decrypting.batch([], ["--field", "zip", "--strict"])
        #expect(none.exitCode == 2 && none.error.contains("[no_rows]"))
        let verify = try await Tool.run(["verify", "--batch", "--keys", Tool.publicKey, "--strict"], input: "")
        #expect(verify.exitCode == 2 && verify.error.contains("[no_rows]"))
        #expect(try await Decrypting.batch([], ["--field", "zip"]).exitCode == 0)
    }

    @Test func `A verdict of refusal is not a failure`() async throws {
        let rows = "{\"token\":\"x\",\"requestor\":null,\"resource\":null}\n"
        let arguments = ["verify", "--batch", "--keys", Tool.publicKey, "--max-failures"]
        #expect(try await Tool.run(arguments + ["0"], input: rows).exitCode == 0)
        #expect(try await Tool.run(arguments + ["0"], input: rows + "{}\n").exitCode == 2)
        let bad = try await Tool.run(arguments + ["1"], input: rows + "{}\n")
        #expect(bad.exitCode == 0 && bad.objects.last?["line"] as? Int == 2)
    }

    @Test func `Failed rows may be added to a file or standard error`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("failed")
        for count in 1...2 {
            let force = count == 1 ? [] : ["--force"]
            let arguments = ["--field", "zip", "--max-failures", "100%", "--errors-to", file] + force
            #expect(try await Decrypting.batch(Array("{}\n".utf8), arguments).codes == ["missing_field"])
            #expect(try folder.text(file).split(separator: "\n").count == count)
        }
        #expect(try await Decrypting.batch([], ["--field", "zip", "--errors-to", file]).exitCode == 74)
        let shown = try await Decrypting.batch(Array("{}\n".utf8), ["--field", "zip", "--errors-to", "/dev/stderr"])
        #expect(shown.exitCode == 2 && shown.error.contains(#""code":"missing_field""#))
        #expect(try await Decrypting.batch([], ["--field", "zip", "--errors-to", "-"]).exitCode == 64)
        #expect(try await Decrypting.batch([], ["--field", "zip", "--force"]).exitCode == 64)
    }

    @Test func `An attribute that is not in the documents has to be meant`() async throws {
        let value = try Decrypting.encrypted("77754")
        let typo = try await Decrypting.one(value, "--attribute", "zipp")
        #expect(typo.exitCode == 64 && typo.error.contains("Did you mean zip?"))
        #expect(try await Decrypting.one(value, "--attribute", "ours").exitCode == 64)
        #expect(try await Decrypting.one(value, "--attribute", "ours", "--attribute-shape", "text").output == "77754\n")
        #expect(try await Decrypting.one(value, "--attribute-shape", "text").exitCode == 64)
    }
}
