import Foundation
import Testing

/// Batches whose rows are bodies of a service.
@Suite struct DecryptResponseTests {
    private func profiles(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Decrypting.batch(Array(rows.utf8), ["--input", "profiles"] + arguments)
    }

    private func userMetadata(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Decrypting.batch(Array(rows.utf8), ["--input", "usermetadata"] + arguments)
    }

    private let good = "\"_tve\":{\"ok\":true,\"key\":\"\(Decrypting.newLabel)\"}"

    private func failures(_ pairs: (String, String)...) -> String {
        let list = pairs.map { "{\"path\":\"\($0.0)\",\"code\":\"\($0.1)\"}" }.joined(separator: ",")
        return "\"_tve\":{\"ok\":false,\"failures\":[\(list)]}"
    }

    @Test func `What an earlier run decrypted is left alone`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let rows = """
            {"attributes":{"zip":{"value":["1"],"state":"decrypted"},"userID":{"value":"h","state":"pseudonymised"},\
            "homeZip":{"value":"\(zip)","state":"enc"}}}

            """
        let outcome = try await profiles(rows)
        #expect(outcome.output.hasSuffix("\(good)}\n"))
        #expect(outcome.output.contains("{\"value\":[\"1\"],\"state\":\"decrypted\"}"))
    }

    /// Texts of attributes, and the JSON they become.
    static let typed: [(name: String, text: String, json: String)] = [
        ("zip", "[\"77754\", \"12345\"]", "[\"77754\",\"12345\"]"),
        ("zip", "77754", "[\"77754\"]"),
        ("zip", "77754,12345", "[\"77754\",\"12345\"]"),
        ("zip", "[77754]", "[\"77754\"]"),
        ("channelID", "[\"A\",\"B\"]", "[\"A\",\"B\"]"),
        ("hba_status", "true", "true"),
        ("hba_status", "0", "false"),
        ("is_hoh", "1", "\"1\""),
        ("maxRating", "{ \"MPAA\" : \"PG-13\", \"n\" : 1.0 }", "{\"MPAA\":\"PG-13\",\"n\":1.0}"),
        ("userID", "some user", "\"some user\""),
        ("unheardOf", "[1]", "\"[1]\""),
    ]

    @Test(arguments: typed.indices)
    func `Attributes get their types`(_ index: Int) async throws {
        let (name, text, json) = Self.typed[index]
        let value = try Decrypting.encrypted(text)
        let profile = { (value: String, state: String) in
            "{\"notBefore\": 1,\"attributes\":{\"\(name)\":{\"value\": \(value) , \"state\":\"\(state)\"}}"
        }
        for state in ["enc", "encrypted", "ENC", "Encrypted"] {
            let outcome = try await profiles(profile("\"\(value)\"", state) + "}")
            #expect(outcome.output == profile(json, "decrypted") + ",\(good)}\n")
        }
        let body = try await userMetadata(
            "{\"updated\":1334243471,\"encrypted\":[\"\(name)\"],\"data\":{\"\(name)\":\"\(value)\"}}")
        #expect(
            body.output == "{\"updated\":1334243471,\"encrypted\":[],\"data\":{\"\(name)\":\(json)},\(good)}\n")
    }

    @Test func `One broken attribute does not lose the others`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let strange = try Decrypting.encrypted("77754", for: Decrypting.strangeKey)
        let row = { (value: String, state: String) in
            """
            {"profiles":{"MVPD":{"attributes":{"zip":{"value":\(value),"state":"\(state)"},\
            "userID":{"value":"\(zip)","state":"plain"},"a":{"value":"77754","state":"enc"},\
            "b":{"value":"\(strange)","state":"enc"},"c":{"value":7,"state":"enc"},"d":{"value":"x","state":"odd"},\
            "e":{"value":"x"},"f":{"state":"enc"},"g":{"value":null,"state":"enc"},"h":{"value":"x","state":"plain "},\
            "encryptedZip":{"value":"\(zip)","state":"enc"}}},"m-2":{"attributes":{}}}
            """
        }
        let outcome = try await profiles(row("\"\(zip)\"", "enc") + "}")
        let at = { (name: String) in "profiles.MVPD.attributes.\(name)" }
        let expected = failures(
            (at("a"), "not_base64"), (at("b"), "undecryptable"), (at("c"), "encrypted_not_text"),
            (at("d"), "unknown_state"), (at("e"), "unknown_state"), (at("f"), "bad_attribute"),
            (at("g"), "encrypted_not_text"), (at("h"), "unknown_state"), (at("encryptedZip"), "foreign_scheme"))
        #expect(outcome.output == row("[\"77754\"]", "decrypted") + ",\(expected)}\n")
        #expect(outcome.exitCode == 0)
        #expect(outcome.report["failed"] as? Int == 1)
        #expect(outcome.report["keys"] as? [String: Int] == [Decrypting.newLabel: 1])
    }

    @Test func `One broken profile does not lose the others`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let row = { (value: String, state: String) in
            "{\"profiles\":{\"a\":7,\"b\":{\"attributes\":{\"zip\":{\"value\":\(value),\"state\":\"\(state)\"}}}}"
        }
        let outcome = try await profiles(row("\"\(zip)\"", "enc") + "}")
        let expected = row("[\"77754\"]", "decrypted") + ",\(failures(("profiles.a", "wrong_type")))}\n"
        #expect(outcome.output == expected)
    }

    @Test func `Plain attributes stay as they are`() async throws {
        let row =
            "{\"attributes\":{\"zip\":{\"value\":[ \"77754\" ],\"state\":\"Plain\"},\"x\":{\"value\":null,\"state\":\"plain\"}}}"
        #expect(try await profiles(row).output == row.dropLast() + ",\"_tve\":{\"ok\":true}}\n")
        let body = "{\"updated\":1,\"data\":{\"zip\":\"77754\",\"n\":[1 ]}}"
        #expect(try await userMetadata(body).output == body.dropLast() + ",\"_tve\":{\"ok\":true}}\n")
    }

    @Test func `Decrypted names are removed from the list`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let outcome = try await userMetadata(
            """
            {"encrypted":["zip", "\\u0061", "gone"],"data":{"zip":"\(zip)","a":"x","b":"\(zip)"}}
            """)
        #expect(
            outcome.output == """
                {"encrypted":["\\u0061","gone"],"data":{"zip":["77754"],"a":"x","b":"\(zip)"},\
                \(failures(("data.a", "not_base64"), ("data.gone", "missing_field")))}

                """)
        let all = try await userMetadata("{\"encrypted\":true,\"data\":{\"zip\":\"\(zip)\",\"a\":\"x\"}}")
        #expect(all.output.hasPrefix("{\"encrypted\":[\"a\"],\"data\":{\"zip\":[\"77754\"],\"a\":\"x\"}"))
    }

    /// Nearly as many names as a body may have.
    @Test func `A long list of names is struck in one go`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let names = (0..<900).map { "n\($0)" }
        let list = (names + ["zip"]).map { "\"\($0)\"" }.joined(separator: ",")
        let data = names.map { "\"\($0)\":\"x\"" }.joined(separator: ",")
        let outcome = try await userMetadata("{\"encrypted\":[\(list)],\"data\":{\(data),\"zip\":\"\(zip)\"}}")
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("\"n899\"],\"data\":{"))
        #expect(outcome.output.contains("\"zip\":[\"77754\"]},\"_tve\":{\"ok\":false,"))
    }

    static let otherBodies: [(row: String, path: String, code: String)] = [
        ("{\"status\":404,\"code\":\"x\",\"message\":\"x\"}", "$", "service_error"),
        ("{\"notBefore\":1}", "profiles", "missing_member"),
        ("{\"profiles\":[]}", "profiles", "wrong_type"),
        ("{\"profiles\":{\"m\":7}}", "profiles.m", "wrong_type"),
        ("{\"attributes\":7}", "attributes", "wrong_type"),
    ]

    @Test(arguments: otherBodies.indices)
    func `Other bodies go out unchanged`(_ index: Int) async throws {
        let (row, path, code) = Self.otherBodies[index]
        let outcome = try await profiles(row)
        let mark = failures((path, code))
        #expect(outcome.output == row.dropLast() + ",\(mark)}\n")
    }

    @Test func `Markings that nobody understands are never plain`() async throws {
        for marking in ["\"zip\"", "7", "[7]", "{}"] {
            let row = "{\"encrypted\":\(marking),\"data\":{\"zip\":\"77754\"}}"
            let outcome = try await userMetadata(row)
            #expect(outcome.output.hasPrefix(row.dropLast() + ",\"_tve\":{\"ok\":false,"))
        }
        #expect(try await userMetadata("{\"encrypted\":[\"zip\"]}").output.contains("\"ok\":false"))
    }

    @Test func `Members that occur twice are refused at every level`() async throws {
        let row = "{\"attributes\":{\"zip\":{\"value\":\"x\",\"state\":\"plain\",\"state\":\"enc\"}}}"
        let mark = failures(("attributes.zip", "duplicate_member"))
        #expect(try await profiles(row).output == row.dropLast() + ",\(mark)}\n")
        let rows = "{\"attributes\":{},\"attributes\":{}}\n[]\n\n{\"attributes\":{}}"
        #expect(try await profiles(rows).codes == ["bad_row", "bad_row", "bad_row", "ok"])
    }

    @Test func `Pseudonyms of lists are lists`() async throws {
        let folder = try TemporaryFolder()
        let key = folder.path("join.key")
        try folder.write("0123456789abcdef0123456789abcdef", to: key)
        let list = try Decrypting.encrypted("[\"77754\"]")
        let bare = try Decrypting.encrypted("77754")
        let row = { (value: String) in
            "{\"attributes\":{\"zip\":{\"value\":\"\(value)\",\"state\":\"enc\"}}}"
        }
        let outcome = try await profiles("\(row(list))\n\(row(bare))", "--pseudonymise", key)
        let hash = "09a4e255075a7b42dc27261e295d222ed6d4c15b97d5a3d6075518a48a7235f4"
        let expected =
            "{\"attributes\":{\"zip\":{\"value\":[\"\(hash)\"],\"state\":\"pseudonymised\"}},\(good)}\n"
        #expect(outcome.output == expected + expected)
    }

    @Test func `Plain text is not taken for a pseudonym`() async throws {
        let folder = try TemporaryFolder()
        let key = folder.path("join.key")
        try folder.write("0123456789abcdef0123456789abcdef", to: key)
        let row =
            "{\"attributes\":{\"zip\":{\"value\":[\"1\"],\"state\":\"decrypted\"},"
            + "\"userID\":{\"value\":\"h\",\"state\":\"pseudonymised\"}}}"
        let outcome = try await profiles(row, "--pseudonymise", key)
        #expect(outcome.output == row.dropLast() + ",\(failures(("attributes.zip", "already_decrypted")))}\n")
        #expect(try await profiles(row).output == row.dropLast() + ",\"_tve\":{\"ok\":true}}\n")
    }

    @Test func `Failed attributes are gathered with their paths`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("failed.ndjson")
        let row = "{\"attributes\":{\"zip\":{\"value\":\"x\",\"state\":\"enc\"}}}"
        let outcome = try await profiles("\(row)\n", "--errors-to", file, "--on-error", "skip")
        #expect(outcome.bytes.isEmpty)
        let failed = try #require(
            try JSONSerialization.jsonObject(with: Data(try folder.text(file).utf8)) as? [String: Any])
        let failures = try #require(failed["failures"] as? [[String: Any]])
        #expect(failures.first?["path"] as? String == "attributes.zip")
        #expect(failures.first?["code"] as? String == "not_base64")
        #expect(failed["raw"] as? String == row)
    }
}
