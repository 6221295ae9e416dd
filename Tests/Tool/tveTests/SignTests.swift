import Foundation
import TestVectors
import Testing

@Suite struct SignTests {
    private static let encrypted = Vectors.key("formats/test-only-2048.pbes2-aes256.pem")
    private static let weak = Vectors.key("test-only-issuer-1024.pkcs8.pem")
    private static let clientless = [
        "--public-key", "abc", "--method", "GET", "--uri", "/api/v1/mediatoken", "--requestor", "REF30",
    ]

    // MARK: Requestor IDs

    @Test(
        .enabled(if: Program.openSSL != nil, "openssl is not installed"), arguments: ["REF30", "Test Brand é"])
    func `Signatures are those of the command`(_ id: String) async throws {
        let folder = try Folder()
        let file = try folder.write("id", Array(id.utf8))
        let made = try await Program.runOpenSSL(["dgst", "-sha256", "-sign", Tool.privateKey, file])
        #expect(made.exitCode == 0)
        let expected = Data(made.bytes).base64EncodedString() + "\n"
        #expect(try await sign(id).output == expected)
        #expect(try await sign("-", input: Array(id.utf8)).output == expected)

        let ours = try #require(Data(base64Encoded: try await sign(id).lines.joined()))
        let signature = try folder.write("signature", Array(ours))
        let verify = ["dgst", "-sha256", "-verify", Tool.publicKey, "-signature", signature]
        #expect(try await Program.runOpenSSL(verify + [file]).exitCode == 0)
        let other = try folder.write("other", Array(id.utf8) + [0x0A])
        #expect(try await Program.runOpenSSL(verify + [other]).exitCode != 0)

        let sha1 = try await Program.runOpenSSL(["dgst", "-sha1", "-sign", Tool.privateKey, file])
        #expect(try await sign(id, "--legacy-sha1").output == Data(sha1.bytes).base64EncodedString() + "\n")
    }

    @Test func `The result stands alone`() async throws {
        let text = try await sign("REF30")
        #expect(text.exitCode == 0)
        #expect(text.lines.count == 1 && text.output.hasSuffix("=\n"))
        #expect(text.error.isEmpty)
        let json = try await sign("REF30", "--output", "json")
        #expect(json.object["signature"] as? String == String(text.lines[0]))
        #expect(json.object["key"] as? String == "test-only-issuer-2048.pkcs8.pem")
        #expect(json.object.count == 2)
        let wrapped = try await sign("REF30", "--legacy-line-wrapped")
        #expect(wrapped.lines.map(\.count) == [76, 76, 76, 76, 40])
        #expect(wrapped.lines.joined() == text.lines[0] && !wrapped.output.hasSuffix("\n\n"))
    }

    @Test func `A signature is checked`() async throws {
        for options in [[], ["--legacy-line-wrapped"]] {
            let signature = try await sign("REF30", options).output
            let good = try await check("REF30", "-", input: signature)
            #expect(good.exitCode == 0)
            #expect(good.output.hasPrefix("VALID_SIGNATURE"))
            #expect(try await check("REF30", signature.trimmingCharacters(in: .newlines)).exitCode == 0)
        }
        let signature = try await sign("REF30").output.trimmingCharacters(in: .newlines)
        #expect(try await check("-", signature, input: "REF30").exitCode == 0)
        let json = try await check("REF30", signature, "--output", "json")
        #expect(json.object["valid"] as? Bool == true)
        #expect(json.object["key"] as? String == "test-only-issuer-2048.spki.pem")

        let other = try await check("ref30", signature, "--output", "json")
        #expect(other.exitCode == 11)
        #expect(other.object["valid"] as? Bool == false)
        #expect(other.object["code"] as? String == "bad_signature")
        #expect(try await check("REF30", signature, keys: "test-only-other-2048.spki.pem").exitCode == 11)
        for text in ["", "x", signature + " ", String(repeating: "A", count: 5000), String(signature.dropLast(4))] {
            let refused = try await check("REF30", text)
            #expect(refused.exitCode == 11)
            #expect(refused.output.hasPrefix("INVALID_SIGNATURE"))
        }
        #expect(try await check("", signature).exitCode == 64)
        #expect(try await check("-", "-", input: signature).exitCode == 64)
        #expect(try await check("REF30", signature, keys: "absent.pem").exitCode == 66)

        let sha1 = try await sign("REF30", "--legacy-sha1").output
        #expect(try await check("REF30", "-", input: sha1).exitCode == 11)
        #expect(try await check("REF30", "-", "--allow-sha1", input: sha1).exitCode == 0)
    }

    @Test(arguments: ["", " REF30", "REF30 ", "REF\u{7}30", "REF30\r", "\u{FEFF}REF30", "\u{FFFD}", "a\u{2028}b"])
    func `IDs that nobody means are refused`(_ id: String) async throws {
        let outcome = try await sign(id, "--output", "json")
        let error = outcome.report["error"] as? [String: Any] ?? [:]
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        #expect(error["code"] as? String == "unsuitable_text")
    }

    @Test func `Standard input is not repaired`() async throws {
        let echoed = try await sign("-", input: Array("REF30\n".utf8))
        #expect(echoed.exitCode == 64)
        #expect(echoed.error.contains("printf"))
        #expect(echoed.output.isEmpty)
        for bytes in [[], [0x00], [0x41, 0x00], [0xFF], [0xC3]] as [[UInt8]] {
            #expect(try await sign("-", input: bytes).exitCode == 64)
        }
        // A signature over the beginning would be one over another ID.
        #expect(try await sign("-", input: [UInt8](repeating: 0x41, count: 1 << 16)).exitCode == 0)
        let long = try await sign("-", input: [UInt8](repeating: 0x41, count: 1 << 16 + 1))
        #expect(long.exitCode == 64)
        #expect(long.error.contains("[too_large]"))
    }

    /// An ID that reads like an option signs nothing, and never ends with 0.
    @Test(arguments: [
        "--help", "-h", "--version", "--help-hidden", "--generate-completion-script=bash", "--", "--legacy-sha1",
        "--output=json", "--allow-weak-keys", "-x",
    ])
    func `An ID that reads like an option is not signed`(_ id: String) async throws {
        let outcome = try await sign(id)
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        let checked = try await check(id, "x")
        #expect(checked.exitCode == 64)
        let signature = try await check("REF30", id)
        #expect(signature.exitCode == 64)
        let claim = try await token("--claim", id)
        #expect(claim.exitCode == 64)
        #expect(claim.output.isEmpty)
    }

    @Test func `An ID of whatever form is signed behind two dashes`() async throws {
        let outcome = try await Tool.run(["sign", "requestor-id", "--key", Tool.privateKey, "--", "--help"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output == (try await sign("-", input: Array("--help".utf8)).output))
    }

    // MARK: Keys

    @Test func `Weak keys need the flag`() async throws {
        let arguments = ["sign", "requestor-id", "REF30", "--key", Self.weak]
        let refused = try await Tool.run(arguments + ["--output", "json"])
        let error = refused.report["error"] as? [String: Any] ?? [:]
        #expect(refused.exitCode == 78)
        #expect(error["code"] as? String == "key_too_small")
        #expect(error["file"] as? String == Self.weak)
        #expect((error["detail"] as? String)?.contains("--allow-weak-keys") == true)
        #expect(try await Tool.run(arguments + ["--allow-weak-keys"]).exitCode == 0)
    }

    /// The same options everywhere: what signs requestor IDs opens for test tokens too.
    @Test(arguments: [
        ["sign", "requestor-id", "REF30"], ["issue", "media-token", "--requestor", "A", "--resource", "B"],
    ])
    func `Encrypted keys are opened`(_ command: [String]) async throws {
        let folder = try Folder()
        let right = try folder.write("right", Array("test-only\n".utf8))
        let wrong = try folder.write("wrong", Array("5ec2e75ec2e7".utf8))
        let arguments = command + ["--key", Self.encrypted]
        #expect(try await Tool.run(arguments + ["--password-file", right]).exitCode == 0)
        for (more, code, exitCode) in [
            ([], "password_required", 78), (["--password-file", wrong], "bad_password", 78),
            (["--password-file", "5ec2e75ec2e7"], "no_such_file", 66),
        ] as [([String], String, Int32)] {
            let outcome = try await Tool.run(arguments + more)
            #expect(outcome.exitCode == exitCode)
            #expect(outcome.error.contains("[\(code)]"))
            #expect(outcome.output.isEmpty && !outcome.error.contains("5ec2e7"))
        }
        // Ignored if nothing is encrypted.
        #expect(try await Tool.run(command + ["--key", Tool.privateKey, "--password-file", right]).exitCode == 0)
        let absent = try await Tool.run(command + ["--key", "absent.pem"])
        #expect(absent.exitCode == 66)
        #expect(absent.error.contains("absent.pem"))
        #expect(try await Tool.run(command + ["--key", Tool.publicKey]).exitCode == 78)
        #expect(try await Tool.run(command).exitCode == 64)
    }

    // MARK: Service tokens

    @Test func `Tokens say what was asked for`() async throws {
        let arguments = [
            "--at", "2026-11-20T12:00:00Z", "--token-id", "one", "--audience", "second", "--claim", "env=a=b",
            "--claim", "level:={\"n\":[1,null,true,\"é\"]}",
        ]
        let outcome = try await token(arguments)
        #expect(outcome.exitCode == 0)
        #expect(outcome.lines.count == 1 && outcome.error.isEmpty)
        #expect(try await token(arguments).output == outcome.output)
        let json = try await token(arguments + ["--output", "json"])
        #expect(json.object["token"] as? String == outcome.lines.first.map(String.init))
        #expect(json.object["key"] as? String == "test-only-issuer-2048.pkcs8.pem")

        let inspected = try await Tool.run(["inspect", "-", "--output", "json"], input: outcome.bytes)
        let claims = inspected.object["unverifiedClaims"] as? [String: Any] ?? [:]
        let header = inspected.object["header"] as? [String: Any] ?? [:]
        #expect(inspected.exitCode == 0)
        #expect(inspected.object["verified"] as? Bool == false)
        #expect(inspected.object["type"] as? String == "jwt")
        #expect(inspected.object["issued"] as? Int == 1_795_176_000_000)
        #expect(inspected.object["expires"] as? Int == 1_795_176_300_000)
        #expect(header["kid"] as? String == "2026-01" && header["alg"] as? String == "RS256")
        #expect(claims["iss"] as? String == "programmer" && claims["sub"] as? String == "REF30")
        #expect(claims["aud"] as? [String] == ["broker", "second"])
        #expect(claims["exp"] as? Int == 1_795_176_300 && claims["jti"] as? String == "one")
        #expect(claims["env"] as? String == "a=b")
        #expect(((claims["level"] as? [String: Any])?["n"] as? [Any])?.count == 4)
        let text = try await Tool.run(["inspect", "-"], input: outcome.bytes)
        #expect(text.exitCode == 0)
        #expect(text.output.hasPrefix("UNVERIFIED"))
        #expect(text.output.contains("expires 2026-11-20T12:05:00Z"))
    }

    @Test(.enabled(if: Program.openSSL != nil, "openssl is not installed"))
    func `Tokens are accepted by the command`() async throws {
        let folder = try Folder()
        let parts = try await token().lines.joined().split(separator: ".")
        var symbols = parts[2].replacing("-", with: "+").replacing("_", with: "/")
        while symbols.count % 4 != 0 { symbols += "=" }
        let signature = try folder.write("signature", Array(try #require(Data(base64Encoded: String(symbols)))))
        let signed = try folder.write("signed", Array("\(parts[0]).\(parts[1])".utf8))
        let outcome = try await Program.runOpenSSL([
            "dgst", "-sha256", "-verify", Tool.publicKey, "-signature", signature, signed,
        ])
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [
        ["--claim", "iss=other"], ["--claim", "a=1", "--claim", "a=2"], ["--claim", "5ec2e7"], ["--claim", "=5ec2e7"],
        ["--claim", ":=1"], ["--claim", "a:=5ec2e7"], ["--claim", "a:=1,\"b\":2"], ["--claim", "a:="],
        ["--claim", "a:=1.5"], ["--claim", "a:={\"b\":1,\"b\":2}"], ["--token-id", ""], ["--audience", ""],
        ["--lifetime", "0"], ["--lifetime", "99999999999"], ["--at", "yesterday"],
    ])
    func `Impossible tokens are refused`(_ arguments: [String]) async throws {
        let outcome = try await token(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.error.isEmpty && !outcome.error.contains("5ec2e7"))
    }

    /// Showing a JSON Web Token decides nothing: as a media token it is still refused, and what is none is not shown.
    @Test func `A web token is not a media token`() async throws {
        let text = try await token().output
        #expect(try await Tool.verify(text).exitCode == 10)
        for other in ["a.b.c", "\(text.dropLast()).", String(text.dropLast(400)), "..", "e30.e30."] {
            #expect(try await Tool.run(["inspect", "-"], input: other).exitCode == 10)
        }
    }

    // MARK: Clientless requests

    @Test(.enabled(if: Program.openSSL != nil, "openssl is not installed"))
    func `Request codes are those of the command`() async throws {
        let folder = try Folder()
        let secret = try folder.write("secret.txt", Array("5ec2e75ec2e7\n".utf8))
        let arguments =
            ["sign", "clientless", "--secret-file", secret] + Self.clientless + [
                "--at", "1700000000000", "--nonce", "n",
            ]
        let outcome = try await Tool.run(arguments)
        let signed =
            "GET requestor_id=REF30, nonce=n, signature_method=HMAC-SHA1, request_time=1700000000000, "
            + "request_uri=/api/v1/mediatoken"
        let file = try folder.write("signed", Array(signed.utf8))
        let code = try await Program.runOpenSSL(["dgst", "-sha1", "-hmac", "5ec2e75ec2e7", "-binary", file])
        let header = "\(signed), public_key=abc, signature=\(Data(code.bytes).base64EncodedString())"
        #expect(outcome.exitCode == 0)
        #expect(outcome.output == header + "\n")
        let json = try await Tool.run(arguments + ["--output", "json"])
        #expect(json.object["authorization"] as? String == header)
        #expect(json.object["key"] as? String == "secret.txt")
    }

    @Test func `Secrets are not shown`() async throws {
        let folder = try Folder()
        let good = try folder.write("good", Array("5ec2e75ec2e7".utf8))
        let empty = try folder.write("empty", [])
        let broken = try folder.write("broken", Array("5ec2e7\u{1}5ec2e7".utf8))
        for (arguments, exitCode) in [
            (["--secret-file", "5ec2e75ec2e7"], 66), (["--secret-file", empty], 78), (["--secret-file", broken], 78),
            (["--secret-file", folder.path], 78), (["--secret", "5ec2e75ec2e7"], 64), (["5ec2e75ec2e7"], 64),
            (["--secret-file", good, "--secret", "5ec2e75ec2e7"], 64),
            (["--secret-file", good, "--method", "get"], 64),
            (["--secret-file", good, "--uri", "/a, b"], 64), (["--secret-file", good, "--nonce", ""], 64),
            (["--secret-file", good, "--uri", "https://sp.example/api/v1/mediatoken"], 64),
            (["--secret-file", good, "--uri", "//sp.example/api"], 64), (["--secret-file", good, "--uri", "api"], 64),
            (["--secret-file", good, "--uri", "/api?resource=a"], 64),
            (["--secret-file", good, "--uri", "/api#a"], 64),
            (["--secret-file", good, "--uri", ""], 64),
        ] as [([String], Int32)] {
            for form in ["text", "json"] {
                let outcome = try await Tool.run(
                    ["sign", "clientless"] + Self.clientless + arguments + ["--output", form])
                #expect(outcome.exitCode == exitCode)
                #expect(outcome.output.isEmpty && !outcome.error.isEmpty)
                #expect(!outcome.error.contains("5ec2e7"))
            }
        }
    }
}

extension SignTests {
    fileprivate func sign(_ id: String, _ arguments: String..., input: [UInt8] = []) async throws -> Tool.Outcome {
        try await sign(id, arguments, input: input)
    }

    fileprivate func sign(_ id: String, _ arguments: [String], input: [UInt8] = []) async throws -> Tool.Outcome {
        try await Tool.run(["sign", "requestor-id", id, "--key", Tool.privateKey] + arguments, input: input)
    }

    fileprivate func check(
        _ id: String,
        _ signature: String,
        _ arguments: String...,
        keys: String = "test-only-issuer-2048.spki.pem",
        input: String = ""
    ) async throws -> Tool.Outcome {
        try await Tool.run(
            ["sign", "check", id, "--signature", signature, "--keys", Vectors.key(keys)] + arguments, input: input)
    }

    fileprivate func token(_ arguments: String...) async throws -> Tool.Outcome {
        try await token(arguments)
    }

    fileprivate func token(_ arguments: [String]) async throws -> Tool.Outcome {
        let always = [
            "sign", "service-token", "--key", Tool.privateKey, "--key-id", "2026-01", "--issuer", "programmer",
            "--subject", "REF30", "--audience", "broker",
        ]
        return try await Tool.run(always + (arguments.contains("--lifetime") ? [] : ["--lifetime", "300"]) + arguments)
    }
}

/// A folder that is gone after the test.
private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "tve-sign-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = url.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path
    }
}
