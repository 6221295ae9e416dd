import Foundation
import TestVectors
import Testing
import TextCodecs

@Suite struct DecryptTests {
    @Test func `A value becomes its text`() async throws {
        let value = try Decrypting.encrypted("[\"77754\"]")
        let text = try await Decrypting.one(value)
        #expect(text.exitCode == 0)
        #expect(text.output == "[\"77754\"]\n")
        #expect(text.error.isEmpty)
        let json = try await Decrypting.one(value, "--output", "json")
        #expect(json.output == "{\"text\":\"[\\\"77754\\\"]\",\"key\":\"\(Decrypting.newLabel)\"}\n")
        let typed = try await Decrypting.one(value, "--output", "json", "--attribute", "zip")
        #expect(typed.object["value"] as? [String] == ["77754"])
    }

    @Test func `The key that matched is named`() async throws {
        let value = try Decrypting.encrypted("77754", for: Decrypting.oldKey)
        let outcome = try await Decrypting.one(value, "--output", "json")
        #expect(outcome.object["key"] as? String == Decrypting.oldLabel)
    }

    @Test func `A character may straddle blocks`() async throws {
        let text = String(repeating: "é☃\u{1F600}", count: 20)
        #expect(try await Decrypting.one(try Decrypting.encrypted(text, chunk: 7)).output == text + "\n")
    }

    @Test func `What happens to Base64 on its way is repaired`() async throws {
        let value = try Decrypting.encrypted("plus 4")
        let wrapped = String(
            value.enumerated().flatMap { $0.offset % 64 == 63 ? [$0.element, "\r\n"] : [$0.element] })
        let urlSafe = value.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for spelling in [wrapped, urlSafe, value.replacing("+", with: " "), " \(value)\n"] {
            #expect(try await Decrypting.one(spelling).output == "plus 4\n")
        }
    }

    @Test func `The value may stand on the command line`() async throws {
        let value = try Decrypting.encrypted("77754")
        let keys = ["--keys", Decrypting.newKey]
        #expect(try await Tool.run(["decrypt", value] + keys).output == "77754\n")
        #expect(try await Tool.run(["decrypt"] + keys + [value]).output == "77754\n")
        // As openssl and base64 wrap it.
        let wrapped = "\(value.prefix(76))\n\(value.dropFirst(76))"
        #expect(try await Tool.run(["decrypt"] + keys + [wrapped]).output == "77754\n")
        #expect(try await Tool.run(["decrypt"] + keys + ["-"], input: value).output == "77754\n")
        #expect(try await Tool.run(["decrypt"] + keys, input: value).output == "77754\n")
        // Before the keys it is not a file, and is not shown as one.
        let slipped = try await Tool.run(["decrypt", "-", "--keys", value, Decrypting.newKey])
        #expect(slipped.exitCode == 64 && !slipped.error.contains(value.prefix(20)))
    }

    // MARK: Values that cannot be decrypted

    static let refused: [(name: String, code: String, value: @Sendable () throws -> String, options: [String])] = [
        ("not Base64", "not_base64", { "77754" }, []),
        ("text", "not_base64", { "no such thing!" }, []),
        (
            "percent-encoded", "not_base64", { try Decrypting.encrypted("77754").replacing("+", with: "%2B") + "%3D" },
            []
        ),
        ("empty", "wrong_length", { "" }, []),
        ("cut", "wrong_length", { String(try Decrypting.encrypted("77754").prefix(200)) }, []),
        ("another size", "wrong_length", { try Decrypting.encrypted("77754", for: Decrypting.weakKey) }, []),
        ("JWE", "is_jwe", { "eyJhbGciOiJSU0EtT0FFUCJ9.a-_1.b.c.d" }, []),
        ("another party's", "foreign_scheme", { try Decrypting.encrypted("77754") }, ["--attribute", "encryptedZip"]),
        ("unknown key", "undecryptable", { try Decrypting.encrypted("77754", for: Decrypting.strangeKey) }, []),
        ("bad block", "undecryptable", { Data(try Decrypting.badBlock()).base64EncodedString() }, []),
        (
            "bad block after a good one", "undecryptable",
            {
                let good = try #require(Data(base64Encoded: try Decrypting.encrypted("77754")))
                return (good + Data(try Decrypting.badBlock())).base64EncodedString()
            }, []
        ),
        ("NUL", "undecryptable", { try Decrypting.encrypted("777\u{0}54") }, []),
        ("no text at all", "undecryptable", { try Decrypting.encrypted("") }, []),
        ("another padding", "undecryptable", { try Decrypting.encrypted("77754") }, ["--padding", "oaep-sha256"]),
        ("no such shape", "undecryptable", { try Decrypting.encrypted("perhaps") }, ["--attribute", "hba_status"]),
    ]

    @Test(arguments: refused.indices)
    func `What cannot be decrypted has a name and the exit code 20`(_ index: Int) async throws {
        let (name, code, value, options) = Self.refused[index]
        let text = try value()
        let outcome = try await Tool.run(
            ["decrypt", "-", "--keys", Decrypting.newKey, "--output", "json"] + options, input: text)
        #expect(outcome.exitCode == 20, "\(name)")
        #expect(outcome.bytes.isEmpty)
        let error = outcome.report["error"] as? [String: Any]
        #expect(error?["code"] as? String == code, "\(name)")
        #expect(text.count < 20 || !outcome.error.contains(text.prefix(20)))
        let plain = try await Tool.run(["decrypt", "-", "--keys", Decrypting.newKey] + options, input: text)
        #expect(plain.exitCode == 20 && plain.error.hasSuffix("[\(code)]\n"))
    }

    /// All kinds of failure look alike.
    @Test func `Failures of the key are all alike`() async throws {
        let values = try Self.refused.filter { $0.code == "undecryptable" && $0.options.isEmpty }.map { try $0.value() }
        var outcomes: Set<String> = []
        for value in values { outcomes.insert(try await Decrypting.one(value, "--output", "json").error) }
        #expect(values.count == 5 && outcomes.count == 1)
    }

    // MARK: Keys

    @Test func `Weak keys are admitted on request`() async throws {
        let value = try Decrypting.encrypted("77754", for: Decrypting.weakKey)
        let arguments = ["decrypt", "-", "--keys", Decrypting.weakKey]
        let refused = try await Tool.run(arguments, input: value)
        #expect(refused.exitCode == 78)
        #expect(refused.error.contains("--allow-weak-keys") && refused.error.contains("key_too_small"))
        #expect(try await Tool.run(arguments + ["--allow-weak-keys"], input: value).output == "77754\n")
    }

    @Test func `Encrypted keys open with their password`() async throws {
        let folder = try TemporaryFolder()
        let key = Vectors.key("formats/test-only-2048.pbes2-aes256.pem")
        let value = try Decrypting.encrypted("77754")
        let locked = try await Tool.run(["decrypt", "-", "--keys", key, "--output", "json"], input: value)
        #expect(locked.exitCode == 78)
        #expect((locked.report["error"] as? [String: Any])?["code"] as? String == "password_required")
        let opened = try await Tool.run(
            ["decrypt", "-", "--keys", key, Decrypting.newKey, "--password-file", folder.password], input: value)
        #expect(opened.output == "77754\n")
    }

    @Test(arguments: [
        ["decrypt", "-"], ["decrypt", "-", "--keys", Decrypting.newKey, "--field", "zip"],
        ["decrypt", "-", "--keys", Decrypting.newKey, "--jobs", "2"],
        ["decrypt", "-", "--keys", Decrypting.newKey, "--attribute", ""],
        ["decrypt", "-", "--keys", Decrypting.newKey, "--password-fd", "0"],
        ["decrypt", "-", "--keys", Decrypting.newKey, "--padding", "none"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey],
        ["decrypt", "x", "--batch", "--keys", Decrypting.newKey, "--field", "zip"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "a..b"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "a\\b"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--input", "profiles"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--input", "profiles", "--parse"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--input", "profiles", "--attribute", "zip"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--jobs", "0"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--memo", "-1"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--log-every", "0"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--key-prefix", "comma"],
        ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip", "--password-fd", "0"],
    ])
    func `Wrong command lines are refused`(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments, input: "{}")
        #expect(outcome.exitCode == 64)
        #expect(outcome.bytes.isEmpty)
    }

    @Test func `A missing key file is reported`() async throws {
        #expect(try await Tool.run(["decrypt", "-", "--keys", "/nowhere/key.pem"], input: "x").exitCode == 66)
    }
}
