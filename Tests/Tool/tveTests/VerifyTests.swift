import Foundation
import MediaTokens
import TVETesting
import TestVectors
import Testing
import TextCodecs

@Suite struct VerifyTests {
    @Test func `A good token is valid in text`() async throws {
        let outcome = try await Tool.verify(try await Tool.issue())
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.hasPrefix("VALID_TOKEN"))
        #expect(outcome.error.isEmpty)
    }

    @Test func `A good token is valid in JSON`() async throws {
        let token = try await Tool.issue("--issued-at", "1700000000000", "--proxy-mvpd", "Proxy")
        let outcome = try await Tool.verify(token, "--at", "2023-11-14T22:13:21Z", "--output", "json")
        let claims = outcome.object["claims"] as? [String: Any] ?? [:]
        #expect(outcome.exitCode == 0)
        #expect(outcome.object["valid"] as? Bool == true)
        #expect(outcome.object["status"] as? String == "VALID_TOKEN")
        #expect(outcome.object["code"] as? String == "valid")
        #expect(outcome.object["key"] as? String == "test-only-issuer-2048.spki.pem")
        #expect(
            Set(claims.keys) == [
                "sessionGUID", "requestorID", "resourceID", "ttl", "issued", "expires", "mvpdId", "proxyMvpdId",
            ])
        #expect(claims["ttl"] as? Int == 420_000)
        #expect(claims["issued"] as? Int == 1_700_000_000_000)
        #expect(claims["expires"] as? Int == 1_700_000_420_000)
    }

    /// Faults that need no particular key or expectation; every refusal has its exit code and no token text.
    @Test(arguments: TestTokenFault.allCases)
    func `Every fault has its exit code`(_ fault: TestTokenFault) async throws {
        let guid = "5ec2e75ec2e75ec2e75ec2e75ec2e75e"
        let token = try await Tool.issueBytes(["--fault", fault.rawValue, "--session-guid", guid])
        let outcome = try await Tool.verify(token, ["--output", "json"])
        #expect(outcome.exitCode == fault.expectedStatus.exitCode)
        #expect(outcome.object["code"] as? String == fault.expectedCode)
        #expect(outcome.object["status"] as? String == fault.expectedStatus.rawValue)
        let detail = outcome.object["detail"] as? String ?? ""
        #expect(!detail.isEmpty && !detail.contains("5ec2e7") && !outcome.error.contains("5ec2e7"))
    }

    @Test func `The token may be an argument and may follow the keys`() async throws {
        let token = try await Tool.issue("--base64-layers", "1")
        let rest = ["--requestor", "REF30", "--resource", "DemoChannel"]
        #expect(try await Tool.run(["verify", token, "--keys", Tool.publicKey] + rest).exitCode == 0)
        #expect(try await Tool.run(["verify"] + rest + ["--keys", Tool.publicKey, token]).exitCode == 0)
        #expect(try await Tool.run(["verify"] + rest + ["--keys", Tool.publicKey, "-"], input: token).exitCode == 0)
        #expect(try await Tool.run(["verify", "--keys", Tool.publicKey] + rest, input: token).exitCode == 0)
    }

    @Test func `Weak keys are told of`() async throws {
        let key = Vectors.key("test-only-issuer-1024.pkcs8.pem")
        let arguments = ["issue", "media-token", "--key", key, "--requestor", "REF30", "--resource", "DemoChannel"]
        #expect(try await Tool.run(arguments).exitCode == 78)
        let token = try await Tool.run(arguments + ["--allow-weak-keys"]).output
        let outcome = try await Tool.run(
            [
                "verify", "-", "--keys", Vectors.key("test-only-issuer-1024.cert-v1.pem"), "--any-requestor",
                "--any-resource",
            ],
            input: token)
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("weak"))
    }

    @Test(arguments: [
        ["verify", "x"], ["verify", "x", "--keys", "k"], ["verify", "x", "--keys", "k", "--any-requestor"],
        ["verify", "x", "--keys", "k", "--requestor", "A", "--any-requestor", "--any-resource"],
        ["verify", "x", "--keys", "k", "--requestor", "", "--any-resource"],
        ["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--leeway", "601"],
        ["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--leeway=-1"],
        ["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--at", "yesterday"],
        ["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--jobs", "2"],
        ["verify", "--batch", "--keys", "k", "--requestor", "A"], ["verify", "--batch", "--keys", "k", "--jobs", "0"],
        ["verify", "--batch", "x", "--keys", "k"], ["nonsense"], ["verify", "--nonsense"],
        ["issue", "media-token", "--requestor", "A", "--resource", "B"],
        ["issue", "media-token", "--key", "k", "--requestor", "A", "--resource", "B", "--fault", "nonsense"],
        ["resource", "match", "a"],
    ])
    func `A wrong command line is usage`(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.error.isEmpty)
    }

    @Test func `Key failures name the file on one line`() async throws {
        let flags = ["--any-requestor", "--any-resource"]
        let missing = try await Tool.run(["verify", "x", "--keys", "/no/such.pem"] + flags)
        #expect(missing.exitCode == 66)
        #expect(missing.error.split(separator: "\n").count == 1)
        #expect(missing.error.contains("/no/such.pem"))
        for (file, code) in [
            ("bad/test-only-rsa-512.spki.pem", "key_too_small"), ("bad/test-only-empty.pem", "no_key"),
        ] {
            let outcome = try await Tool.run(
                ["verify", "x", "--keys", Vectors.key(file)] + flags + ["--output", "json"])
            let error = outcome.report["error"] as? [String: Any] ?? [:]
            #expect(outcome.exitCode == 78)
            #expect(error["code"] as? String == code)
            #expect(error["file"] as? String == Vectors.key(file))
            #expect(error["detail"] as? String != nil)
        }
    }

    @Test func `A token of ten mebibytes is refused`() async throws {
        let outcome = try await Tool.verify(String(repeating: "A", count: 10 << 20), "--output", "json")
        #expect(outcome.exitCode == 10)
        #expect(outcome.object["code"] as? String == "too_large")
    }

    @Test func `A no-break space shows in a mismatch`() async throws {
        let token = try await Tool.run(
            [
                "issue", "media-token", "--key", Tool.privateKey, "--requestor", "REF30", "--resource",
                "Canal\u{A0}Sur",
            ]
        ).output
        let arguments = ["verify", "-", "--keys", Tool.publicKey, "--requestor", "REF30", "--resource", "Canal Sur"]
        let outcome = try await Tool.run(arguments, input: token)
        #expect(outcome.exitCode == 14)
        #expect(outcome.output.contains(#""Canal\u{a0}Sur", not for "Canal Sur""#), "\(outcome.output)")
    }

    @Test func `A byte order mark and a line end in a file of a resource are no part of it`() async throws {
        let folder = try TemporaryFolder()
        let text = "<rss version=\"2.0\"><channel><title>TNT</title></channel></rss>"
        try folder.write("\u{FEFF}\(text)\r\n", to: folder.path("a.xml"))
        let outcome = try await Tool.run(["resource", "match", folder.path("a.xml"), text])
        #expect(outcome.exitCode == 0 && outcome.output == "the same\n", "\(outcome.error)")
    }

    @Test func `Media RSS is compared by structure on request only`() async throws {
        let asked = "<rss version=\"2.0\"><channel><title>TNT</title></channel></rss>"
        let granted = "<rss version='2.0'> <channel><title><![CDATA[TNT]]></title></channel> </rss>"
        let token = try await Tool.run(
            ["issue", "media-token", "--key", Tool.privateKey, "--requestor", "REF30", "--resource", granted]).output
        let arguments = ["verify", "-", "--keys", Tool.publicKey, "--requestor", "REF30", "--resource", asked]
        #expect(try await Tool.run(arguments, input: token).exitCode == 14)
        #expect(try await Tool.run(arguments + ["--media-rss"], input: token).exitCode == 0)
        #expect(try await Tool.run(["resource", "match", asked, granted]).exitCode == 0)
        let different = try await Tool.run([
            "resource", "match", asked, "<rss><channel><title>TBS</title></channel></rss>",
        ])
        #expect(different.exitCode == 1)
        #expect(different.output.contains("channel/title"))
        #expect(try await Tool.run(["resource", "match", asked, "<x>"]).exitCode == 2)
        #expect(try await Tool.run(["resource", "match", asked, "/no/such.xml"]).exitCode == 66)
    }

    @Test func `Inspect shows without believing`() async throws {
        let outcome = try await Tool.run(
            ["inspect", "-"], input: try await Tool.issue("--base64-layers", "2", "--fault", "other-key"))
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.hasPrefix("UNVERIFIED"))
        #expect(outcome.output.contains("2 of Base64"))
        #expect(outcome.output.contains("DemoChannel"))
        let object = try await Tool.run(["inspect", "-", "--output", "json"], input: try await Tool.issue()).object
        #expect(object["verified"] as? Bool == false)
        let nothing = try await Tool.run(["inspect", "-", "--output", "json"], input: "nothing")
        #expect(nothing.exitCode == 10)
        #expect(nothing.object["code"] as? String == "malformed")
    }

    @Test func `The demo tells its story`() async throws {
        let outcome = try await Tool.run(["demo"])
        #expect(outcome.exitCode == 0)
        for word in [
            "VALID_TOKEN", "INVALID_SIGNATURE", "TOKEN_EXPIRED", "INVALID_RESOURCE_ID", "INVALID_REQUESTOR_ID",
        ] {
            #expect(outcome.output.contains(word))
        }
    }

    /// An empty entry in `PATH` is the current folder, from which anybody's programs would run.
    @Test(arguments: [
        ("tve", nil), ("./tve", #"export PATH="$PWD/.:$PATH""#), ("/opt/tve/tve", #"export PATH="/opt/tve:$PATH""#),
        ("/tve", #"export PATH="/:$PATH""#),
    ])
    func `The demo adds a folder to PATH only if one was named`(_ name: String, _ line: String?) async throws {
        let outcome = try await Tool.run(
            ["-c", #"exec -a "$1" "$0" demo"#, Tool.executable.path, name], executable: URL(filePath: "/bin/bash"))
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        let exports = outcome.lines.filter { $0.contains("PATH=") }.map { $0.drop { $0 == " " } }
        #expect(exports.map(String.init) == (line.map { [$0] } ?? []))
    }

    @Test(arguments: ["verify", "inspect", "issue media-token", "demo", "resource match"])
    func `Help has examples`(_ command: String) async throws {
        let outcome = try await Tool.run(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("tve \(command)"))
        #expect(outcome.output.contains("Example"))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `Completions are made`(_ shell: String) async throws {
        let outcome = try await Tool.run(["--generate-completion-script", shell])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("media-token"))
    }
}
