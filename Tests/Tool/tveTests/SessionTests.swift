import Foundation
import TestVectors
import Testing

/// `tve session`: issue, verify, inspect and keys.
@Suite struct SessionTests {
    private static let secret = String(repeating: "7", count: 32)
    private static let issue = [
        "session", "issue", "--requestor", "REF30", "--resource", "Res", "--mvpd", "M", "--subscriber", "S",
        "--at", "2026-01-15T17:30:00Z",
    ]
    private static let verify = ["session", "verify", "--requestor", "REF30", "--resource", "Res"]
    private static let now = ["--at", "2026-01-15T17:34:59Z"]

    private func key(_ folder: TemporaryFolder) throws -> String {
        try write(Self.secret, to: "session.key", in: folder)
    }

    private func write(_ text: String, to name: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path(name)
        try folder.write(text, to: path)
        return path
    }

    private func issued(_ key: String, _ options: [String] = []) async throws -> String {
        let run = try await Tool.run(Self.issue + ["--key", key] + options)
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(run.lines.count == 1)
        return run.output.trimmingCharacters(in: .newlines)
    }

    @Test func `A session is issued and verified`() async throws {
        let folder = try TemporaryFolder()
        for (signing, verifying) in [
            (try key(folder), try key(folder)),
            (Vectors.key("test-only-issuer-2048.pkcs8.pem"), Vectors.key("test-only-issuer-2048.spki.pem")),
        ] {
            let session = try await issued(signing)
            let options = ["--keys", verifying] + Self.now
            let good = try await Tool.run(Self.verify + options, input: session + "\n")
            #expect(good.exitCode == 0 && good.output.hasPrefix("VALID_SESSION"))
            let json = try await Tool.run(Self.verify + ["--output", "json", session] + options)
            #expect(json.exitCode == 0 && json.object["valid"] as? Bool == true)
            #expect(json.object["subscriber"] as? String == "S")
        }
    }

    @Test(
        arguments: [
            ([], 0, "valid"), (["--at", "2026-01-15T17:35:00Z"], 12, "session_expired"),
            (["--at", "2026-01-15T17:35:00Z", "--leeway", "1"], 0, "valid"),
            (["--at", "2026-01-15T17:28:00Z"], 13, "session_not_yet_valid"),
            (["--issuer", "other"], 11, "session_issuer_mismatch"),
            (["--issuer", "other", "--any-issuer"], 0, "valid"),
            (["--client", "192.0.2.1"], 11, "session_client_mismatch"),
        ] as [([String], Int32, String)])
    func `The exit code says why`(_ options: [String], _ exitCode: Int32, _ code: String) async throws {
        let folder = try TemporaryFolder()
        let key = try key(folder)
        let time = options.contains("--at") ? [] : Self.now
        let run = try await Tool.run(
            Self.verify + ["--keys", key, "--output", "json"] + time + options, input: try await issued(key))
        #expect(run.exitCode == exitCode)
        #expect(run.object["code"] as? String == code)
    }

    @Test func `Other resources, requestors, keys and texts are refused`() async throws {
        let folder = try TemporaryFolder()
        let key = try key(folder)
        let session = try await issued(key)
        let ask = { (names: [String], keys: String, text: String) async throws -> Int32 in
            try await Tool.run(["session", "verify"] + names + ["--keys", keys] + Self.now, input: text).exitCode
        }
        let names = ["--requestor", "REF30", "--resource", "Res"]
        #expect(try await ask(names, key, session) == 0)
        #expect(try await ask(["--requestor", "REF30", "--resource", "Re"], key, session) == 14)
        #expect(try await ask(["--requestor", "REF3", "--any-resource"], key, session) == 15)
        #expect(try await ask(["--any-requestor", "--any-resource"], key, session) == 0)
        let other = try write(String(repeating: "8", count: 32), to: "other.key", in: folder)
        #expect(try await ask(names, other, session) == 11)
        #expect(try await ask(names, key, session.dropLast() + "A") == 11 || session.hasSuffix("A"))
        #expect(try await ask(names, key, "not a session") == 10)
        #expect(try await ask(names, key, "") == 10)
        #expect(try await ask(names, folder.path("nowhere"), session) == 66)
        #expect(try await ask(names, try write("123", to: "short.key", in: folder), session) == 78)
        #expect(try await ask(["--requestor", "REF30"], key, session) == 64)
        #expect(try await ask(["--requestor", "", "--any-resource"], key, session) == 64)
    }

    @Test func `A bound session needs its client`() async throws {
        let folder = try TemporaryFolder()
        let key = try key(folder)
        let session = try await issued(key, ["--client", "192.0.2.1"])
        let ask = { (options: [String]) async throws -> Int32 in
            try await Tool.run(Self.verify + ["--keys", key] + Self.now + options, input: session).exitCode
        }
        #expect(try await ask(["--client", "192.0.2.1"]) == 0)
        #expect(try await ask(["--client", "192.0.2.1:51008"]) == 0)
        #expect(try await ask(["--client", "::ffff:192.0.2.1"]) == 0)
        #expect(try await ask(["--client", "192.0.2.2"]) == 11)
        #expect(try await ask(["--client", "unknown"]) == 64)
        #expect(try await ask([]) == 11)
    }

    @Test func `Issuing refuses what cannot be a session`() async throws {
        let folder = try TemporaryFolder()
        let key = try key(folder)
        for options in [
            ["--lifetime", "0"], ["--lifetime", "-1"], ["--lifetime", "100", "--ceiling", "99"],
            ["--ceiling", "604801"], ["--id", "x"], ["--client", ""], ["--issuer", ""],
            ["--client", "unknown"], ["--client", "192.0.2.1, 192.0.2.2"],
        ] {
            let run = try await Tool.run(Self.issue + ["--key", key] + options)
            #expect(run.exitCode == 64 && run.output.isEmpty, "\(options)")
        }
        let publicKey = Vectors.key("test-only-issuer-2048.spki.pem")
        #expect(try await Tool.run(Self.issue + ["--key", publicKey]).exitCode == 78)
        let fixed = ["--id", "AAECAwQFBgcICQoLDA0ODw", "--output", "json"]
        let run = try await Tool.run(Self.issue + ["--key", key] + fixed)
        #expect(run.object["id"] as? String == "AAECAwQFBgcICQoLDA0ODw")
        #expect(run.object["expires"] as? Int64 == 1_768_498_500_000)
        #expect(try await Tool.run(Self.issue + ["--key", key] + fixed).output == run.output)
    }

    @Test func `A session is shown without a key`() async throws {
        let folder = try TemporaryFolder()
        let session = try await issued(try key(folder), ["--client", "192.0.2.1"])
        let text = try await Tool.run(["session", "inspect"], input: session)
        #expect(text.exitCode == 0 && text.output.hasPrefix("UNVERIFIED"))
        let json = try await Tool.run(["session", "inspect", "--output", "json", session])
        #expect(json.object["verified"] as? Bool == false && json.object["bound"] as? Bool == true)
        #expect(json.object["resource"] as? String == "Res")
        #expect(try await Tool.run(["session", "inspect"], input: "a.b.c").exitCode == 10)
        // The general command shows it as any other JSON Web Token.
        let general = try await Tool.run(["inspect", "--output", "json"], input: session)
        #expect(general.exitCode == 0 && general.object["type"] as? String == "jwt")
    }

    @Test func `Keys are listed`() async throws {
        let folder = try TemporaryFolder()
        let paths = [
            Vectors.key("test-only-issuer-2048.pkcs8.pem"), try key(folder),
            Vectors.key("p256/test-only-session.pkcs8.pem"),
        ]
        let run = try await Tool.run(["session", "keys", "--output", "json"] + paths)
        let keys = try #require(run.object["keys"] as? [[String: Any]])
        #expect(keys.map { $0["algorithm"] as? String } == ["RS256", "HS256", "ES256"])
        #expect(keys.map { $0["signs"] as? Bool } == [true, false, false])
        let set = try await Tool.run(["session", "keys", "--jwks"] + paths)
        let published = try #require(set.object["keys"] as? [[String: String]])
        #expect(published.map { $0["kid"] } == [0, 2].map { keys[$0]["keyID"] as? String })
        #expect(try await Tool.run(["session", "keys", paths[1], paths[1]]).exitCode == 78)
        #expect(try await Tool.run(["session", "keys", folder.path("nowhere")]).exitCode == 66)
        let locked = Vectors.key("formats/test-only-2048.pbes2-aes256.pem")
        #expect(try await Tool.run(["session", "keys", locked]).exitCode == 78)
    }
}
