import HostSystem
import MetadataDecryption
import RowBatches
import Testing

@Suite struct DecryptRowsTests {
    private func rows(
        _ fields: String...,
        attribute: MetadataAttribute? = nil,
        policy: FailedRowPolicy = .emit,
        hasKeyPrefix: Bool = false,
        recordsFailedRows: Bool = false,
        values: ValueDecrypter? = nil
    ) throws -> DecryptRows {
        let paths = try fields.map { try #require(FieldPath($0)) }
        let reader = FieldRows(fields: paths, attribute: attribute, values: try values ?? Encrypted.decrypter())
        return DecryptRows(
            format: ObjectRows(reader: reader), policy: policy, hasKeyPrefix: hasKeyPrefix,
            recordsFailedRows: recordsFailedRows, limits: Encrypted.limits)
    }

    @Test(arguments: [
        #"{}"#, #"{"user":null}"#, #"{"user":{}}"#, #"{"user":{"zips":null}}"#, #"{"user":{"zips":[]}}"#,
        #"{"user":{"zips":[null,""]}}"#, #"{"user":"nobody"}"#, #"{"user":5}"#,
    ])
    func `An optional field may be missing, null or empty`(_ row: String) async throws {
        let path = try #require(FieldPath("user.zips.*", isOptional: true))
        let rows = DecryptRows(
            format: ObjectRows(
                reader: FieldRows(fields: [path], attribute: nil, values: try Encrypted.decrypter())),
            limits: Encrypted.limits)
        let mark = #""_tve":{"ok":true}}"#
        let expected = row == "{}" ? "{\(mark)" : row.dropLast() + ",\(mark)"
        #expect(await rows.lines(for: row) == [String(expected)])
        let required = try await self.rows("user.zips.0").lines(for: row)
        #expect(required.first?.contains(#""ok":false"#) == true)
    }

    @Test func `An optional field that is there has to open`() async throws {
        let path = try #require(FieldPath("zips.*", isOptional: true))
        let reader = FieldRows(fields: [path], attribute: nil, values: try Encrypted.decrypter())
        let rows = DecryptRows(format: ObjectRows(reader: reader), limits: Encrypted.limits)
        let value = try Encrypted.value("77754")
        let answers = await rows.lines(
            for: "{\"zips\":[\"\(value)\",null]}\n{\"zips\":[\"AAAA\"]}\n{\"zips\":[7]}\n")
        #expect(answers[0] == "{\"zips\":[\"77754\",null],\(Encrypted.mark)}")
        #expect(answers[1].contains("\"code\":\"wrong_length\",\"field\":\"zips.0\""))
        #expect(answers[2].contains("\"code\":\"not_a_string\",\"field\":\"zips.0\""))
    }

    @Test func `Rows that an earlier run has decrypted stay as they are on request`() async throws {
        let value = try Encrypted.value("77754")
        let path = try #require(FieldPath("zip"))
        let reader = FieldRows(fields: [path], attribute: nil, values: try Encrypted.decrypter())
        let done = #"{ "zip":"90210" ,"_tve":{"key":"k","ok":true}}"#
        let open = [
            "{\"zip\":\"\(value)\",\"_tve\":{\"ok\":false,\"code\":\"undecryptable\"}}", "{\"zip\":\"\(value)\"}",
            "{\"zip\":\"\(value)\",\"_tve\":{\"ok\":\"true\"}}", "{\"zip\":\"\(value)\",\"_tve\":true}",
        ]
        let text = ([done] + open + ["{\"_tve\":{\"ok\":true}"]).joined(separator: "\n")
        let rows = DecryptRows(format: ObjectRows(reader: reader, resumes: true), limits: Encrypted.limits)
        let outputs = await rows.answers(toText: text)
        let lines = String(decoding: outputs.flatMap(\.bytes), as: UTF8.self).split(separator: "\n")
        #expect(lines.first == done[...])
        #expect(lines.dropFirst().prefix(open.count).allSatisfy { $0 == "{\"zip\":\"77754\",\(Encrypted.mark)}" })
        #expect(lines.last?.contains("bad_row") == true)
        #expect(outputs.reduce(0) { $0 + $1.tally.resumed } == 1)
        #expect(outputs.reduce(0) { $0 + $1.tally.failures } == 1)
        let again = DecryptRows(format: ObjectRows(reader: reader), limits: Encrypted.limits)
        #expect(await again.lines(for: done).first?.contains("not_base64") == true)
    }

    /// A text that is not of the attribute's form shows which attribute was meant.
    @Test func `The value of an attribute with its state has the name before it`() async throws {
        let value = try Encrypted.value("no object, but long enough")
        for (row, field, code) in [
            (
                "{\"attributes\":{\"maxRating\":{\"value\":\"\(value)\"}}}", "attributes.maxRating.value",
                "undecryptable"
            ),
            ("{\"attributes\":{\"maxRating\":{\"value\":\"\(value)\"}}}", "attributes.*.value", "undecryptable"),
            ("{\"maxRating\":[{\"value\":\"\(value)\"}]}", "maxRating.0.value", "undecryptable"),
            ("{\"value\":\"\(value)\"}", "value", "decrypted"),
        ] {
            let tally = try #require(await rows(field).answers(toText: row).first).tally
            #expect(tally.codes == [code: 1], "\(field)")
        }
    }

    @Test func `JSON within a string is told from a missing field`() async throws {
        let rows = try rows("body.zip")
        for (row, misread) in [
            (#"{"body":" {\"zip\":\"x\"}"}"#, Misreading.jsonInText), (#"{"body":"[]"}"#, .jsonInText),
            (#""{\"body\":{}}""#, .jsonInText), (#"{"body":"text"}"#, nil), (#"{"body":7}"#, nil), ("[]", nil),
            (#""text""#, nil), (#""a","b""#, nil),
        ] {
            let tally = try #require(await rows.answers(toText: row).first).tally
            #expect(tally.misread == (misread.map { [$0: 1] } ?? [:]), "\(row)")
        }
        // What is in the string is not absent.
        let path = try #require(FieldPath("body.zip", isOptional: true))
        let optional = DecryptRows(
            format: ObjectRows(reader: FieldRows(fields: [path], attribute: nil, values: try Encrypted.decrypter())),
            limits: Encrypted.limits)
        let tally = try #require(await optional.answers(toText: #"{"body":"{\"zip\":\"x\"}"}"#).first).tally
        #expect(tally.codes == ["missing_field": 1] && tally.misread == [.jsonInText: 1])
    }

    @Test func `A field is replaced and the rest stays byte for byte`() async throws {
        let value = try Encrypted.value("77754")
        let output = try await rows("zip").output(for: "{ \"n\" : 1.0e2, \"zip\":\"\(value)\" }\r\n")
        #expect(output == "{ \"n\" : 1.0e2, \"zip\":\"77754\",\(Encrypted.mark) }\r\n")
    }

    @Test func `A star selects every element and every member`() async throws {
        let value = try Encrypted.value("77754")
        let row = { (text: String) in "{\"a\":[{\"zip\":\"\(text)\"},{\"zip\":\"\(text)\"}],\"b\":{\"zip\":\"\(text)\"}"
        }
        let output = try await rows("a.*.zip", "b.*").output(for: row(value) + "}")
        #expect(output == row("77754") + ",\(Encrypted.mark)}\n")
    }

    @Test func `A backslash makes a dot part of a name`() async throws {
        let value = try Encrypted.value("77754")
        let output = try await rows("a\\.b").output(for: "{\"a.b\":\"\(value)\",\"a\":{\"b\":1}}")
        #expect(output == "{\"a.b\":\"77754\",\"a\":{\"b\":1},\(Encrypted.mark)}\n")
    }

    @Test(arguments: [
        ("{}", "missing_field", "zip"), ("{\"zip\":7}", "not_a_string", "zip"),
        ("{\"zip\":\"?\"}", "not_base64", "zip"),
        ("{\"zip\":\"abcd\"}", "wrong_length", "zip"),
    ])
    func `A failed row stays as it is`(_ row: String, _ code: String, _ field: String) async throws {
        let comma = row == "{}" ? "" : ","
        let mark = "\(comma)\"_tve\":{\"ok\":false,\"code\":\"\(code)\",\"field\":\"\(field)\"}}"
        #expect(try await rows("zip").lines(for: row) == [row.dropLast() + mark])
    }

    @Test func `One failed field keeps the others encrypted`() async throws {
        let value = try Encrypted.value("77754")
        let row = "{\"a\":\"\(value)\",\"b\":\"?\"}"
        let lines = try await rows("a", "b").lines(for: row)
        #expect(lines == [row.dropLast() + ",\"_tve\":{\"ok\":false,\"code\":\"not_base64\",\"field\":\"b\"}}"])
    }

    @Test func `A line that is not an object is wrapped in one`() async throws {
        let lines = try await rows("zip").lines(for: "x\n\n[1]\n")
        let expected = ["\"raw\":\"x\"", "not a JSON object\"", "\"raw\":\"[1]\""]
        #expect(zip(lines, expected).allSatisfy { $0.contains("\"code\":\"bad_row\"") && $0.contains($1) })
        #expect(lines.count == 3 && lines[2].contains("line 3: "))
    }

    @Test func `The answer of an earlier run is replaced`() async throws {
        let value = try Encrypted.value("77754")
        let output = try await rows("zip").output(for: "{\"_tve\":{\"ok\":false},\"zip\":\"\(value)\"}")
        #expect(output == "{\(Encrypted.mark),\"zip\":\"77754\"}\n")
    }

    @Test func `Failed rows are left out on request`() async throws {
        let outputs = try await rows("zip", policy: .skip).answers(toText: "{}\nx\n")
        #expect(outputs.allSatisfy { $0.bytes.isEmpty && $0.errors.isEmpty && $0.stop == nil })
        #expect(outputs.first?.tally.codes == ["missing_field": 1, "bad_row": 1])
    }

    @Test func `A failed row ends the run on request`() async throws {
        let good = "{\"zip\":\"\(try Encrypted.value("77754"))\"}\n"
        let outputs = try await rows("zip", policy: .fail).answers(toText: good + "{}\n" + good)
        #expect(outputs.count == 1)
        let stop = BatchStop(code: "missing_field", detail: "line 2: zip: the row has no such field")
        #expect(outputs.first?.stop == stop)
        #expect(outputs.first?.tally.codes == ["decrypted": 1, "missing_field": 1])
    }

    @Test func `Failed rows are recorded as they came`() async throws {
        let outputs = try await rows("zip", policy: .skip, recordsFailedRows: true).answers(toText: "{\"zip\":1}\r\n")
        let record = String(decoding: outputs.flatMap(\.errors), as: UTF8.self)
        #expect(record.hasPrefix("{\"line\":1,\"code\":\"not_a_string\",\"field\":\"zip\",\"detail\":"))
        #expect(record.hasSuffix(",\"raw\":\"{\\\"zip\\\":1}\"}\n"))
    }

    @Test func `Keys before a tab are passed on`() async throws {
        let value = try Encrypted.value("77754")
        let output = try await rows("zip", hasKeyPrefix: true).output(for: "k 1\t{\"zip\":\"\(value)\"}\n{}\n")
        let lines = output.split(separator: "\n")
        #expect(lines.first == "k 1\t{\"zip\":\"77754\",\(Encrypted.mark)}")
        #expect(lines.last?.contains("no TAB after a key") == true)
    }

    @Test func `A line that is too long is a bad row`() async throws {
        let long = "{\"zip\":\"" + String(repeating: "A", count: 1 << 16) + "\"}"
        let lines = try await rows("zip").lines(for: "\(long)\n{}\n")
        #expect(lines.count == 2)
        #expect(lines[0].contains("\"detail\":\"line 1: longer than 65536 bytes\""))
    }

    @Test func `Texts that are JSON are parsed on request`() async throws {
        let row = "{\"x\":\"\(try Encrypted.value("[1, {\"a\":2}]"))\"}"
        let parsed = try await rows("x", values: Encrypted.decrypter(parses: true)).output(for: row)
        #expect(parsed == "{\"x\":[1,{\"a\":2}],\(Encrypted.mark)}\n")
        #expect(try await rows("x").output(for: row) == "{\"x\":\"[1, {\\\"a\\\":2}]\",\(Encrypted.mark)}\n")
    }

    // MARK: Pseudonyms

    private var pseudonyms: Pseudonyms {
        Pseudonyms(key: WipedBytes(Array("0123456789abcdef0123456789abcdef".utf8).span))
    }

    /// HMAC-SHA-256 of `77754`, computed with `openssl dgst -sha256 -hmac`.
    private let hash = "09a4e255075a7b42dc27261e295d222ed6d4c15b97d5a3d6075518a48a7235f4"

    @Test func `Texts are replaced by keyed hashes`() async throws {
        let values = try Encrypted.decrypter(pseudonyms: pseudonyms)
        let row = "{\"x\":\"\(try Encrypted.value("77754"))\"}"
        #expect(try await rows("x", values: values).output(for: row) == "{\"x\":\"\(hash)\",\(Encrypted.mark)}\n")
    }

    @Test func `Elements of a parsed list are hashed one by one`() async throws {
        let values = try Encrypted.decrypter(parses: true, pseudonyms: pseudonyms)
        let row = "{\"x\":\"\(try Encrypted.value("[\"77754\", 77754]"))\"}"
        let output = try await rows("x", values: values).output(for: row)
        #expect(output == "{\"x\":[\"\(hash)\",\"\(hash)\"],\(Encrypted.mark)}\n")
    }
}
