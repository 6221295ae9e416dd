import Foundation
import MetadataDecryption
import TestVectors
import Testing

@Suite struct DecryptBatchTests {
    private func batch(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Decrypting.batch(Array(rows.utf8), arguments)
    }

    private func mark(_ key: String = Decrypting.newLabel) -> String { "\"_tve\":{\"ok\":true,\"key\":\"\(key)\"}" }

    // MARK: Rows that go well

    @Test func `The field is replaced and the rest stays byte for byte`() async throws {
        let new = try Decrypting.encrypted("77754")
        let old = try Decrypting.encrypted("12345", for: Decrypting.oldKey)
        let rows = """
            {"id":1,"zip":"\(new)"}
            {  "zip" : "\(old)" ,"n" : 1.0e2, "s":"\\u00e9\\/","t":[ {"zip":"kept"} ]  }
            {"zip":"\(new.replacing("/", with: "\\/").replacing("+", with: "\\u002b"))"}

            """
        let outcome = try await batch(rows, "--field", "zip")
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.output == """
                {"id":1,"zip":"77754",\(mark())}
                {  "zip" : "12345" ,"n" : 1.0e2, "s":"\\u00e9\\/","t":[ {"zip":"kept"} ],\(mark(Decrypting.oldLabel))  }
                {"zip":"77754",\(mark())}

                """)
        #expect(outcome.report["rows"] as? Int == 3)
        #expect(outcome.report["decrypted"] as? Int == 3)
        #expect(outcome.report["failed"] as? Int == 0)
        #expect(outcome.report["keys"] as? [String: Int] == [Decrypting.newLabel: 2, Decrypting.oldLabel: 1])
    }

    @Test func `A field inside an earlier answer is replaced with it`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let rows = "{\"u\":{\"zip\":\"\(zip)\"},\"_tve\":{\"zip\":\"\(zip)\"}}\n"
        for fields in [["u.zip", "_tve.zip"], ["*.zip"]] {
            let outcome = try await Decrypting.batch(Array(rows.utf8), ["--field"] + fields)
            #expect(outcome.exitCode == 0)
            #expect(outcome.output == "{\"u\":{\"zip\":\"77754\"},\(mark())}\n")
        }
        let whole = try await batch("{\"a\":\"\(zip)\",\"_tve\":\"\(zip)\"}\n", "--field", "a", "_tve")
        #expect(whole.output == "{\"a\":\"77754\",\(mark())}\n")
    }

    /// The file would be ignored, and a run that read nothing would look successful.
    @Test func `A field that is a file is a usage error`() async throws {
        let folder = try TemporaryFolder()
        let rows = folder.path("rows.ndjson")
        try folder.write("{}\n", to: rows)
        for fields in [["zip", rows], [rows], ["zip", "/dev/null"]] {
            let outcome = try await Decrypting.batch([], ["--strict", "--output", "json", "--field"] + fields)
            let error = outcome.report["error"] as? [String: Any] ?? [:]
            #expect(outcome.exitCode == 64)
            #expect(error["file"] as? String == fields.last)
            #expect((error["detail"] as? String)?.contains("< \(fields.last ?? "")") == true)
        }
        let dash = try await batch("{}\n", "--field", "zip", "-")
        #expect(dash.exitCode == 64 && dash.error.contains("leave it out"))
        // A folder cannot be meant as input.
        #expect(try await batch("{}\n", "--field", folder.url.path).codes == ["missing_field"])
    }

    @Test func `A memo of any size is taken`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let outcome = try await batch("{\"zip\":\"\(zip)\"}\n", "--field", "zip", "--memo", "\(Int.max)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `Texts are escaped as JSON`() async throws {
        let text = "a \"b\" \\ é \u{2028} \u{1F600}"
        let outcome = try await batch("{\"x\":\"\(try Decrypting.encrypted(text))\"}", "--field", "x")
        #expect(outcome.lines.count == 1)
        #expect(outcome.object["x"] as? String == text)
        #expect(outcome.output.contains("\\u2028"))
    }

    @Test func `Paths lead into objects and arrays`() async throws {
        let value = try Decrypting.encrypted("77754")
        let other = try Decrypting.encrypted("12345", for: Decrypting.oldKey)
        let row = """
            {"user":{"zip":"\(value)"},"items":[{"zip":"\(value)"},{"zip":"\(other)"}],"a.b":{"*":"\(value)"},"none":[]}
            """
        let outcome = try await batch(
            row, "--field", "user.zip", "items.*.zip", "items.0.zip", "a\\.b.\\*", "none.*.zip", "--attribute", "zip")
        #expect(
            outcome.output == """
                {"user":{"zip":"77754"},"items":[{"zip":"77754"},{"zip":"12345"}],"a.b":{"*":"77754"},"none":[],\
                \(mark("\(Decrypting.newLabel),\(Decrypting.oldLabel)"))}

                """)
        let one = try await batch(row, "--field", "items.1.zip")
        #expect(one.output.contains("{\"zip\":\"\(value)\"},{\"zip\":\"12345\"}"))
        let members = try await batch("{\"by\":{\"m 1\":\"\(value)\",\"m.2\":\"x\"}}", "--field", "by.*")
        #expect(members.marks.first?["field"] as? String == "by.m\\.2")
    }

    @Test func `What a star selects has the attribute of its name`() async throws {
        let list = try Decrypting.encrypted("[\n\"77754\"\n]")
        let row = "{\"data\":{\"zip\":\"\(list)\"},\"zip\":[\"\(list)\",{\"0\":\"\(list)\"}]}"
        // Line ends are no part of a text of any kind, and of a list they are.
        #expect(try await batch(row, "--field", "data.*", "zip.0", "zip.1.*").codes == ["ok"])
        let rating = "{\"data\":{\"maxRating\":\"\(try Decrypting.encrypted("no object, but long enough"))\"}}"
        #expect(try await batch(rating, "--field", "data.*").codes == ["undecryptable"])
        let foreign = "{\"data\":[{\"encryptedZip\":\"\(list)\"}]}"
        #expect(try await batch(foreign, "--field", "data.*.*").codes == ["foreign_scheme"])
    }

    @Test func `JSON is parsed on request`() async throws {
        let texts = ["[\"77754\", 1.0]", "{\"MPAA\": \"PG-13\"}", "77754", "\"77754\"", "[oops", " [ ] "]
        let rows = try texts.map { "{\"x\":\"\(try Decrypting.encrypted($0))\"}" }.joined(separator: "\n")
        let parsed = try await batch(rows, "--field", "x", "--parse").lines.map { $0.replacing(",\(mark())", with: "") }
        #expect(
            parsed == [
                "{\"x\":[\"77754\",1.0]}", "{\"x\":{\"MPAA\":\"PG-13\"}}", "{\"x\":\"77754\"}",
                "{\"x\":\"\\\"77754\\\"\"}", "{\"x\":\"[oops\"}", "{\"x\":[]}",
            ])
        #expect(try await batch(rows, "--field", "x").objects.compactMap { $0["x"] as? String } == texts)
    }

    @Test func `Lists over several lines stay on one`() async throws {
        let row = "{\"zip\":\"\(try Decrypting.encrypted("[\n\t\"77754\",\r\n \"12345\"\n]"))\"}"
        #expect(
            try await batch(row, "--field", "zip", "--parse").output == "{\"zip\":[\"77754\",\"12345\"],\(mark())}\n")
        #expect(try await batch(row, "--field", "zip").lines.count == 1)
    }

    @Test func `An earlier mark is replaced`() async throws {
        let value = try Decrypting.encrypted("77754", for: Decrypting.oldKey)
        let arguments = ["decrypt", "--batch", "--field", "zip", "--keys"]
        let first = try await Tool.run(arguments + [Decrypting.newKey], input: "{\"zip\":\"\(value)\",\"n\":1}")
        #expect(first.codes == ["undecryptable"])
        let second = try await Tool.run(arguments + [Decrypting.oldKey], input: first.bytes)
        #expect(second.output == "{\"zip\":\"77754\",\"n\":1,\(mark(Decrypting.oldLabel))}\n")
        let inside = try await batch("{\"_tve\" : 7 , \"zip\":\"\(value)\"}", "--field", "zip")
        #expect(
            inside.output
                == "{\(mark(Decrypting.oldLabel).replacing(":{\"ok", with: " : {\"ok")) , \"zip\":\"77754\"}\n")
    }

    // MARK: Rows that fail

    static let failedRows: [(row: String, code: String, field: String)] = [
        ("{}", "missing_field", "zip"),
        ("{ }", "missing_field", "zip"),
        ("{\"a\":1}", "missing_field", "zip"),
        ("{\"zip\":null}", "not_a_string", "zip"),
        ("{\"zip\":77754}", "not_a_string", "zip"),
        ("{\"zip\":true}", "not_a_string", "zip"),
        ("{\"zip\":[\"77754\"]}", "not_a_string", "zip"),
        ("{\"zip\":{}}", "not_a_string", "zip"),
        ("{\"zip\":\"\"}", "wrong_length", "zip"),
        ("{\"zip\":\"77754\"}", "not_base64", "zip"),
        ("{\"zip\":\"abcd\"}", "wrong_length", "zip"),
        ("{\"zip\":\"\\ud800\"}", "not_base64", "zip"),
        ("{\"zip\":\"a.b.c.d.e\"}", "is_jwe", "zip"),
    ]

    @Test func `Failed rows go out unchanged and say why`() async throws {
        let good = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let rows = Self.failedRows.flatMap { [$0.row, good] }.joined(separator: "\r\n") + "\r\n"
        let outcome = try await batch(rows, "--field", "zip")
        let expected = Self.failedRows.flatMap { failed in
            let comma = failed.row.contains(":") ? "," : ""
            let mark = "\(comma)\"_tve\":{\"ok\":false,\"code\":\"\(failed.code)\",\"field\":\"\(failed.field)\"}"
            let end = failed.row.dropLast().lastIndex { $0 != " " } ?? failed.row.startIndex
            let rest = failed.row.index(after: end)
            return [failed.row[..<rest] + mark + failed.row[rest...], "{\"zip\":\"77754\",\(self.mark())}"]
        }
        #expect(outcome.output == expected.map { $0 + "\r\n" }.joined())
        #expect(outcome.exitCode == 0)
        #expect(outcome.report["failed"] as? Int == Self.failedRows.count)
        #expect(try await batch(rows, "--field", "zip", "--strict").exitCode == 2)
        #expect(try await batch(good, "--field", "zip", "--strict").exitCode == 0)
    }

    @Test func `A row is decrypted as a whole or not at all`() async throws {
        let value = try Decrypting.encrypted("77754")
        let row = "{\"a\":\"\(value)\",\"items\":[{\"zip\":\"\(value)\"},{\"zip\":\"x\"},{}]}"
        let outcome = try await batch(row, "--field", "a", "items.*.zip")
        #expect(outcome.marks.first?["field"] as? String == "items.2.zip")
        #expect(outcome.codes == ["missing_field"])
        #expect(outcome.output.hasPrefix(row.dropLast()))
        let second = try await batch(row, "--field", "a", "items.1.zip")
        #expect(second.codes == ["not_base64"] && second.output.hasPrefix(row.dropLast()))
        for (path, field) in [("a.b", "a.b"), ("items.7", "items.7"), ("items.x", "items.x"), ("a.*", "a.*")] {
            #expect(try await batch(row, "--field", path).marks.first?["field"] as? String == field)
        }
    }

    @Test func `Values for others are named`() async throws {
        let value = try Decrypting.encrypted("77754")
        let row = "{\"encryptedZip\":\"\(value)\"}"
        #expect(try await batch(row, "--field", "encryptedZip").codes == ["foreign_scheme"])
        // An explicit attribute overrides the name of the field.
        #expect(try await batch(row, "--field", "encryptedZip", "--attribute", "zip").codes == ["ok"])
    }

    static let linesThatAreNotObjects = [
        "", " ", "x", "[]", "null", "\"x\"", "{", "{'zip':1}", "{\"zip\":\"x\"} x", "{\"zip\":\"x\",}",
        "{\"zip\":\"x\",\"zip\":\"y\"}", "{\"zip\":\"\u{1}\"}", "{\"zip\":\"\\x\"}",
        "{\"a\":" + String(repeating: "[", count: 100_000),
    ]

    @Test func `A line that is not an object is kept whole`() async throws {
        let good = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let outcome = try await batch(
            Self.linesThatAreNotObjects.map { "\(good)\n\($0)\n" }.joined() + good, "--field", "zip")
        #expect(outcome.exitCode == 0)
        #expect(outcome.codes == Self.linesThatAreNotObjects.flatMap { _ in ["ok", "bad_row"] } + ["ok"])
        for (index, row) in Self.linesThatAreNotObjects.enumerated() {
            let mark = outcome.marks[2 * index + 1]
            #expect(mark["raw"] as? String == (row.isEmpty ? nil : row))
            #expect((mark["detail"] as? String)?.hasPrefix("line \(2 * index + 2): ") == true)
        }
        #expect(outcome.report["bad_rows"] as? Int == Self.linesThatAreNotObjects.count)
    }

    @Test func `Bytes that are not text are kept in Base64`() async throws {
        let row = Array("{\"zip\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
        let outcome = try await Decrypting.batch(row, ["--field", "zip"])
        let raw = outcome.marks.first?["raw_base64"] as? String
        #expect(raw.flatMap { Data(base64Encoded: $0) } == Data(row.dropLast()))
    }

    @Test func `Line ends and byte order marks`() async throws {
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let plain = "{\"zip\":\"77754\",\(mark())}"
        #expect(
            try await batch("\u{FEFF}\(row)\r\n\(row)\n\(row)", "--field", "zip").output
                == "\(plain)\r\n\(plain)\n\(plain)\n"
        )
        let nothing = try await batch("", "--field", "zip")
        #expect(nothing.bytes.isEmpty && nothing.exitCode == 0)
        #expect(nothing.report["rows"] as? Int == 0)
    }

    @Test(arguments: [5 << 20, 1 << 24, 1 << 24 + 1])
    func `Long rows`(_ length: Int) async throws {
        let value = try Decrypting.encrypted("77754")
        let head = "{\"zip\":\"\(value)\",\"x\":\""
        let long = head + String(repeating: "x", count: length - head.utf8.count - 2) + "\"}"
        #expect(long.utf8.count == length)
        let outcome = try await batch("\(long)\n{\"zip\":\"\(value)\"}\n", "--field", "zip")
        #expect(outcome.codes == [length > 1 << 24 ? "bad_row" : "ok", "ok"])
        if length > 1 << 24 {
            #expect(outcome.marks.first?["detail"] as? String == "line 1: longer than 16777216 bytes")
        } else {
            #expect(outcome.bytes.count > length - value.utf8.count)
        }
    }

    // MARK: What becomes of failed rows

    @Test func `Failed rows are left out on request`() async throws {
        let good = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let outcome = try await batch("\(good)\n{}\n\nx\n\(good)\n", "--field", "zip", "--on-error", "skip")
        #expect(outcome.codes == ["ok", "ok"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.report["rows"] as? Int == 5)
        #expect(outcome.report["bad_rows"] as? Int == 2)
    }

    @Test func `The first failed row ends the run on request`() async throws {
        let good = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        let rows = String(repeating: good, count: 150) + "{}\n" + String(repeating: good, count: 150)
        let outcome = try await batch(rows, "--field", "zip", "--on-error", "fail", "--output", "json")
        #expect(outcome.exitCode == 20)
        #expect(outcome.codes == Array(repeating: "ok", count: 150))
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("line 151: zip: ") && lines[0].contains("missing_field"))
        #expect(outcome.report["rows"] as? Int == 151)
    }

    @Test(arguments: ["text", "json"]) func `The reason that ends a run holds nothing of the row`(_ form: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let ends = ["--on-error", "fail", "--output", form]
        let row = "{\"by\":{\"jane@example.com\":{\"zip\":\"x\"}}}"
        for (field, code) in [("by.*.zip", "not_base64"), ("by.*.z", "missing_field"), ("by.*", "not_a_string")] {
            let file = folder.path("\(field).ndjson")
            let arguments = ["--field", field, "--errors-to", file] + ends
            let outcome = try await Decrypting.batch(Array(row.utf8), arguments)
            #expect(outcome.exitCode == 20)
            #expect(outcome.error.contains("line 1: \(field): ") && outcome.error.contains(code))
            #expect(!outcome.error.contains("jane"))
            #expect(try folder.text(file).contains("\"field\":\"by.jane@example\\\\.com"))
        }
        let bodies = [
            ("{\"status\":401,\"code\":\"jane\",\"message\":\"jane\",\"trace\":\"jane\"}", "service_error"),
            ("{\"profiles\":{\"jane\":7}}", "wrong_type"), ("{\"attributes\":{\"jane\":7}}", "bad_attribute"),
            ("{\"attributes\":{\"jane\":{\"a\":1,\"a\":1}}}", "duplicate_member"),
        ]
        for (body, code) in bodies {
            let outcome = try await Decrypting.batch(Array(body.utf8), ["--input", "profiles"] + ends)
            #expect(outcome.exitCode == 20)
            #expect(outcome.error.contains("line 1: ") && outcome.error.contains(code))
            #expect(!outcome.error.contains("jane"))
        }
    }

    @Test func `Failed rows are gathered in a new file of their owner`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("failed.ndjson")
        let good = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let bad = "{\"zip\":\"\(try Decrypting.encrypted("77754", for: Decrypting.strangeKey))\"}"
        let rows = "\(good)\r\n\(bad)\r\nx\n"
        let outcome = try await batch(rows, "--field", "zip", "--on-error", "skip", "--errors-to", file)
        #expect(outcome.codes == ["ok"])
        let failed = try folder.text(file).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(failed.compactMap { $0["line"] as? Int } == [2, 3])
        #expect(failed.compactMap { $0["code"] as? String } == ["undecryptable", "bad_row"])
        #expect(failed.compactMap { $0["field"] as? String } == ["zip"])
        #expect(failed.compactMap { $0["raw"] as? String } == [bad, "x"])
        #expect(try folder.permissions(of: file) == 0o600)
        // A file of an earlier run stays as it is, and nothing is decrypted.
        let again = try await batch(rows, "--field", "zip", "--errors-to", file)
        #expect(again.exitCode == 74 && again.bytes.isEmpty)
        #expect(try folder.text(file).split(separator: "\n").count == 2)
    }

    // MARK: Keys before the JSON

    @Test func `A row that is too long keeps its key`() async throws {
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}"
        let long = String(repeating: "x", count: 1 << 24)
        let key = String(repeating: "k", count: 65_535)
        // The last key is longer than what is kept of a line.
        let rows = "k 1\t\(long)\nk2\t\(row)\n\(key)\t\(long)\nk\(key)\t\(long)\n\(long)x\n"
        let outcome = try await batch(rows, "--field", "zip", "--key-prefix", "tab")
        let starts = outcome.lines.map { $0.prefix { $0 != "{" } }
        #expect(starts == ["k 1\t", "k2\t", "\(key)\t", "", ""])
        #expect(
            outcome.lines[0].contains(
                "\"code\":\"bad_row\",\"detail\":\"line 1: longer than 16777216 bytes\",\"line\":1}"))
        #expect(outcome.lines[1] == "k2\t{\"zip\":\"77754\",\(mark())}")
    }

    @Test func `Keys before a tab are passed on`() async throws {
        let value = try Decrypting.encrypted("77754")
        let rows =
            "k 1\t{\"zip\":\"\(value)\",\"t\":\"\t\"}\n\t{\"zip\":\"\(value)\"}\r\nk\t{}\nk\tx\n{\"zip\":\"\(value)\"}\n"
        let outcome = try await batch(rows, "--field", "zip", "--key-prefix", "TAB")
        let lines = outcome.bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        // A raw TAB inside a string is not JSON.
        #expect(lines[0].hasPrefix("k 1\t{\"_tve\":{\"ok\":false,\"code\":\"bad_row\""))
        #expect(lines[1] == "\t{\"zip\":\"77754\",\(mark())}\r")
        #expect(lines[2] == "k\t{\"_tve\":{\"ok\":false,\"code\":\"missing_field\",\"field\":\"zip\"}}")
        #expect(
            lines[3]
                == "k\t{\"_tve\":{\"ok\":false,\"code\":\"bad_row\",\"detail\":\"line 4: not a JSON object\",\"line\":4,\"raw\":\"x\"}}"
        )
        #expect(lines[4].hasPrefix("{\"_tve\":{\"ok\":false,\"code\":\"bad_row\",\"detail\":\"line 5: no TAB"))
    }

    // MARK: Pseudonyms

    @Test func `Pseudonyms are keyed hashes of the texts`() async throws {
        let folder = try TemporaryFolder()
        let key = folder.path("join.key")
        try folder.write("0123456789abcdef0123456789abcdef", to: key)
        let zip = try Decrypting.encrypted("77754")
        let list = try Decrypting.encrypted("[\"77754\", \"12345\"]")
        let rows = "{\"zip\":\"\(zip)\",\"other\":\"\(zip)\"}\n{\"zip\":\"\(list)\",\"other\":\"\(zip)\"}\n"
        let outcome = try await batch(rows, "--field", "zip", "other", "--pseudonymise", key)
        // HMAC-SHA-256, by another implementation.
        let hash = "09a4e255075a7b42dc27261e295d222ed6d4c15b97d5a3d6075518a48a7235f4"
        let first = try #require(outcome.objects.first?["zip"] as? String)
        #expect(first == hash)
        #expect(outcome.objects.allSatisfy { $0["other"] as? String == first })
        #expect(!outcome.output.contains("77754") && !outcome.error.contains("77754"))
        let parsed = try await batch(rows, "--field", "zip", "other", "--pseudonymise", key, "--parse")
        let hashes = try #require(parsed.objects.last?["zip"] as? [String])
        #expect(hashes.count == 2 && hashes.first == first)
        try folder.write("0123456789abcdef0123456789abcdef\n", to: key)
        let changed = try await batch(rows, "--field", "zip", "other", "--pseudonymise", key)
        #expect(changed.objects.first?["zip"] as? String != first)
    }

    @Test func `Keys of pseudonyms are long enough and there`() async throws {
        let folder = try TemporaryFolder()
        let key = folder.path("join.key")
        try folder.write("0123456789abcdef0123456789abcde", to: key)
        let short = try await batch("", "--field", "zip", "--pseudonymise", key)
        #expect(short.exitCode == 78 && short.error.contains("key_too_small"))
        // No file can have a name as long as the second one.
        for secret in ["5ec2e7", String(repeating: "5ec2e7", count: 50)] {
            let missing = try await batch("", "--field", "zip", "--pseudonymise", secret)
            #expect(missing.exitCode == 66 && !missing.error.contains("5ec2e7"))
        }
    }

    // MARK: All vectors

    /// Each value of the vectors, as a row of a batch.
    @Test func `Vectors have the stated outcome as rows`() async throws {
        let file = try VectorFile<Vector.Group>.named("metadata_decryption/metadata_decryption_test.json")
        var count = 0
        for group in file.testGroups {
            for (attribute, tests) in Dictionary(grouping: group.tests, by: \.attribute) {
                count += tests.count
                var arguments = ["decrypt", "--batch", "--allow-weak-keys", "--padding", group.padding]
                arguments += ["--field", "value", "--keys"] + group.keys.map(Vectors.key)
                if let attribute, !attribute.isEmpty {
                    arguments += ["--attribute", attribute]
                    let isDocumented = MetadataAttribute.documented.contains(MetadataAttribute(attribute))
                    if !isDocumented { arguments += ["--attribute-shape", "text"] }
                }
                let rows = try tests.map { try JSONEncoder().encode(["value": $0.value]) }
                let outcome = try await Tool.run(arguments, input: Array(Data(rows.joined(separator: [0x0A]))))
                #expect(outcome.lines.count == tests.count)
                for (test, row) in zip(tests, zip(outcome.objects, outcome.codes)) {
                    test.expect(text: row.0["value"] as? String, code: row.1)
                }
            }
        }
        #expect(count == file.numberOfTests)
    }
}

private struct Vector: Decodable, Sendable {
    struct Group: Decodable, Sendable {
        let keys: [String]
        let padding: String
        let tests: [Vector]
    }

    let tcId: Int
    let attribute: String?
    let value: String
    let result: String
    let expectedText: String?
    let expectedCode: String?
    let otherCodes: [String]?

    func expect(text: String?, code: String) {
        if code == "ok" {
            #expect(result != "invalid", "tcId \(tcId)")
            #expect(text.map(Self.bytes) == expectedText.map(Self.bytes), "tcId \(tcId)")
        } else {
            #expect(result != "valid", "tcId \(tcId): \(code)")
            #expect(([expectedCode].compactMap(\.self) + (otherCodes ?? [])).contains(code), "tcId \(tcId): \(code)")
            #expect(text.map(Self.bytes) == Self.bytes(value), "tcId \(tcId)")
        }
    }

    /// Foundation drops a byte order mark in front of a JSON string.
    private static func bytes(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }
}
