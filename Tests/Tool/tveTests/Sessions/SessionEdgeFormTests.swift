import Foundation
import TestVectors
import Testing

/// `tve session` with the forms of grants that edges check.
@Suite struct SessionEdgeFormTests {
    private static let origin = "https://d111111abcdef8.cloudfront.net"
    private static let issuedAt = ["--at", "2026-01-15T17:30:00Z"]
    private static let now = ["--at", "2026-01-15T17:34:59Z"]

    /// A form with its key and options.
    struct Form: Sendable, CustomTestStringConvertible {
        let name: String
        var more: [String] = []

        var testDescription: String { name }
        var options: [String] { ["--form", name] + more }
    }

    static let forms = [
        Form(name: "legacy-link"), Form(name: "edge-token"),
        Form(name: "policy", more: ["--key-pair-id", "K2JC", "--origin", origin]),
        Form(name: "legacy-policy", more: ["--key-pair-id", "K2JC", "--origin", origin]), accessToken,
    ]

    private static let accessToken = Form(name: "cat", more: ["--host", "edge.example", "--audience", "edge"])

    private func key(_ form: Form, _ folder: TemporaryFolder, _ digit: String = "7") throws -> String {
        if form.name.hasSuffix("policy") {
            return Vectors.key(digit == "7" ? "test-only-issuer-2048.pkcs8.pem" : "test-only-other-2048.pkcs8.pem")
        }
        let path = folder.path("\(digit).hex")
        try folder.write(String(repeating: digit, count: 64) + "\n", to: path)
        return path
    }

    /// The target of a request for a file of the folder, with a grant.
    private func target(_ form: Form, _ key: String, file: String = "/live/demo/1.ts") async throws -> String {
        let run = try await Tool.run(
            ["session", "issue", "--key", key, "--path", "/live/demo/", "--output", "json"] + Self.issuedAt
                + form.options)
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(run.object["expires"] as? Int64 == 1_768_498_500_000)
        if let prefix = run.object["pathPrefix"] as? String { return prefix + file }
        return "\(file)?\(try #require(run.object["query"] as? String))"
    }

    private func verify(_ form: Form, _ key: String, _ target: String, _ more: [String] = []) async throws
        -> Tool.Outcome
    {
        let path = form.name == "legacy-link" ? ["--path", "/live/demo/"] : []
        let time = more.contains("--at") ? [] : Self.now
        return try await Tool.run(
            ["session", "verify", "--keys", key, "--output", "json"] + form.options + path + time + more, input: target)
    }

    @Test(arguments: forms)
    func `A grant is issued, verified and shown`(_ form: Form) async throws {
        let folder = try TemporaryFolder()
        let key = try key(form, folder)
        let target = try await target(form, key)
        let good = try await verify(form, key, target)
        #expect(good.exitCode == 0 && good.object["valid"] as? Bool == true, "\(good.output)\(good.error)")
        let shown = try await Tool.run(["session", "inspect", "--form", form.name, "--output", "json"], input: target)
        #expect(shown.exitCode == 0 && shown.object["verified"] as? Bool == false)
        #expect(shown.object["expires"] as? Int64 == 1_768_498_500_000)
        #expect(try await Tool.run(["session", "inspect", "--form", form.name], input: "/a").exitCode == 10)
        let text = try await Tool.run(
            ["session", "issue", "--key", key, "--path", "/live/demo/"] + Self.issuedAt + form.options)
        #expect(text.exitCode == 0 && text.lines.count == 1 && text.output.contains("/live/demo/"))
    }

    @Test(arguments: forms)
    func `The exit code says why`(_ form: Form) async throws {
        let folder = try TemporaryFolder()
        let (key, other) = (try key(form, folder), try key(form, folder, "8"))
        let target = try await target(form, key)
        #expect(try await verify(form, key, target, ["--at", "2026-01-15T17:35:00Z"]).exitCode == 12)
        #expect(try await verify(form, key, target, ["--at", "2026-01-01T00:00:00Z"]).exitCode == 13)
        #expect(try await verify(form, other, target).exitCode == 11)
        #expect(try await verify(form, key, target, ["--client", "192.0.2.1"]).exitCode == 11)
        #expect(try await verify(form, key, "/live/demo/1.ts").exitCode == 10)
        let beside = try await self.target(form, key, file: "/live/demos/1.ts")
        #expect(try await verify(form, key, beside).exitCode == 14)
        #expect(try await verify(form, key, beside.replacing("/live/demos/", with: "/live/demo/../")).exitCode == 14)
        #expect(try await verify(form, folder.path("nowhere"), target).exitCode == 66)
    }

    @Test(arguments: forms)
    func `What issue prints is what verify takes`(_ form: Form) async throws {
        let folder = try TemporaryFolder()
        let key = try key(form, folder)
        let printed = try await Tool.run(
            ["session", "issue", "--key", key, "--path", "/live/demo/"] + Self.issuedAt + form.options)
        #expect(printed.exitCode == 0, "\(printed.error)")
        let verdict = try await verify(form, key, printed.output)
        #expect(verdict.exitCode == 0, "\(verdict.output)\(verdict.error)")
        let shown = try await Tool.run(["session", "inspect"] + form.options, input: printed.output)
        #expect(shown.exitCode == 0, "\(shown.output)\(shown.error)")
    }

    @Test(arguments: forms)
    func `A whole address is taken, of the edge that the options name`(_ form: Form) async throws {
        let folder = try TemporaryFolder()
        let key = try key(form, folder)
        let target = try await target(form, key)
        // Grants of the other forms are for no host.
        let edges = ["cat": "https://edge.example", "policy": Self.origin, "legacy-policy": Self.origin]
        let edge = edges[form.name] ?? "https://other.example:8443"
        #expect(try await verify(form, key, edge + target).exitCode == 0)
        guard edges[form.name] != nil else { return }
        var others = [edge.replacing("https://", with: "https://not-"), edge + ".example", edge + ":1@other.example"]
        if form.name != "cat" { others += [edge.replacing("https", with: "http"), edge + ":8443"] }
        for other in others {
            #expect(try await verify(form, key, other + target).exitCode == 14, "\(other)")
        }
    }

    @Test(arguments: forms)
    func `A path beside a request is refused`(_ form: Form) async throws {
        let folder = try TemporaryFolder()
        let key = try key(form, folder)
        let target = try await target(form, key)
        for request in [target, Self.origin + target] {
            let path = ["--path", "/live/demo/1.ts"]
            let inspected = try await Tool.run(["session", "inspect"] + form.options + path, input: request)
            #expect(inspected.exitCode == 64 && inspected.error.contains("leave --path out"), "\(inspected.error)")
            // A link does not say what it opens, so it is verified with a path.
            guard form.name != "legacy-link" else { continue }
            let verified = try await verify(form, key, request, path)
            #expect(verified.exitCode == 64 && verified.error.contains("leave --path out"), "\(verified.error)")
        }
    }

    @Test(arguments: [
        (["--form", "cat", "--host", "Edge.example"], "--host"), (["--form", "cat", "--host", "https://a"], "--host"),
        (["--form", "cat", "--host", "edge.example:80"], "--host"), (["--form", "cat", "--host", ""], "--host"),
        (["--form", "policy", "--key-pair-id", "K2JC", "--origin", "edge.example"], "--origin"),
        (["--form", "legacy-policy", "--key-pair-id", "K2JC", "--origin", "https://edge.example/"], "--origin"),
        (["--form", "legacy-link", "--mount", "s"], "--mount"), (["--form", "cat", "--path", "live/"], "--path"),
    ])
    func `A value that no edge has is told with its option`(_ options: [String], _ name: String) async throws {
        let folder = try TemporaryFolder()
        let key = try key(Form(name: options[1]), folder)
        let path = name == "--path" ? [] : ["--path", "/live/demo/"]
        let run = try await Tool.run(["session", "issue", "--key", key] + path + options)
        // The usage, which is shown with some, names all options.
        let line = try #require(run.error.split(separator: "\n").first)
        #expect(run.exitCode == 64 && line.contains(name), "\(run.error)")
        if ["--host", "--origin"].contains(name) { #expect(line.contains("a host in lower case"), "\(line)") }
    }

    /// Examples are pasted from top to bottom, so each one has its key before it.
    @Test func `The examples of issue run as they are shown`() async throws {
        let help = try await Tool.run(["help", "session", "issue"]).output
        let lines = help.split(separator: "\n").drop { !$0.hasPrefix("Examples") }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
        #expect(lines.count > 20)
        let folder = try TemporaryFolder()
        let script = """
            set -euo pipefail
            PATH="\(Tool.executable.deletingLastPathComponent().path):$PATH"
            cd "\(folder.url.path)"
            \(lines.joined(separator: "\n"))
            """
        let run = try await Program.run(URL(filePath: "/bin/bash"), ["-c", script])
        let verdicts = run.output.split(separator: "\n").count { $0.hasPrefix("VALID_SESSION") }
        #expect(run.exitCode == 0 && verdicts == 5, "\(run.output)\(run.error)")
    }

    @Test func `Options that do not fit are refused`() async throws {
        let folder = try TemporaryFolder()
        let key = try key(Self.forms[0], folder)
        let issue = ["session", "issue", "--key", key]
        for options in [
            [], ["--form", "edge-token"], ["--form", "jws", "--path", "/a/"], ["--form", "mpd", "--path", "/a/"],
            ["--form", "edge-token", "--path", "/a"] + ["--requestor", "R"],
            ["--form", "edge-token", "--path", "/a b/"],
            ["--form", "edge-token", "--path", "/a/", "--lifetime", "604801"],
            ["--form", "edge-token", "--path", "/a/", "--client", "host"],
            ["--form", "legacy-link", "--path", "/a/", "--origin", Self.origin],
            ["--form", "legacy-link", "--path", "/a/", "--plain-input"],
            ["--form", "policy", "--path", "/a/"],
            ["--form", "legacy-policy", "--path", "/a/"],
            ["--form", "edge-token", "--path", "/a/", "--host", "edge.example"],
            ["--form", "edge-token", "--path", "/a/", "--audience", "edge"], ["--form", "cat"],
            ["--form", "cat", "--path", "/a/", "--host", "Edge.example"],
            ["--form", "cat", "--path", "/a/", "--audience", ""], ["--form", "cat", "--path", "/a/", "--issuer", ""],
            [
                "--form", "cat", "--path", "/\(String(repeating: "a", count: 500))/", "--host",
                String(repeating: "a", count: 253),
            ],
        ] {
            let run = try await Tool.run(issue + options)
            #expect(run.exitCode == 64 && run.output.isEmpty, "\(options): \(run.exitCode) \(run.error)")
        }
        let short = folder.path("short.hex")
        try folder.write("0123", to: short)
        let run = try await Tool.run(["session", "issue", "--key", short, "--form", "edge-token", "--path", "/a/"])
        #expect(run.exitCode == 78 && !run.error.contains("0123\n"))
    }

    @Test func `A policy with the other hash is refused`() async throws {
        let folder = try TemporaryFolder()
        let policies = Self.forms.filter { $0.name.hasSuffix("policy") }
        for (one, other) in [(policies[0], policies[1]), (policies[1], policies[0])] {
            let key = try key(one, folder)
            let target = try await target(one, key)
            #expect(try await verify(other, key, target).exitCode == 10)
            #expect(try await Tool.run(["session", "inspect", "--form", other.name], input: target).exitCode == 10)
        }
        let p256 = Vectors.key("p256/test-only-session.pkcs8.pem")
        #expect(try await verify(policies[0], p256, target(policies[0], p256)).exitCode == 0)
        let run = try await Tool.run(["session", "issue", "--key", p256, "--path", "/a/"] + policies[1].options)
        #expect(run.exitCode == 78 && run.error.contains("SHA-1"))
    }

    /// The bytes that a text in Base64url without padding stands for.
    private func bytes(of text: String) throws -> [UInt8] {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Array(try #require(Data(base64Encoded: plain)))
    }

    private func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    @Test func `A Common Access Token alone is verified for a path`() async throws {
        let folder = try TemporaryFolder()
        let key = try key(Self.accessToken, folder)
        let token = String(try await target(Self.accessToken, key).drop { $0 != "=" }.dropFirst())
        let bytes = try bytes(of: token)
        /// The exit code for a token alone.
        func verdict(_ token: String, _ more: [String] = [], for path: String = "/live/demo/1.ts") async throws -> Int32
        {
            try await verify(Self.accessToken, key, token, ["--path", path] + more).exitCode
        }
        #expect(try await verdict(token) == 0)
        #expect(try await verdict(token, for: "/live/demos/1.ts") == 14)
        #expect(try await verdict(token, ["--host", "other.example"]) == 14)
        #expect(try await verdict(token, ["--audience", "other"]) == 15)
        #expect(try await verdict(token, ["--issuer", "other"]) == 11)
        for index in [bytes.count / 2, bytes.count - 1] {
            var forged = bytes
            forged[index] ^= 1
            #expect(try await verdict(text(of: forged)) == 11)
        }
        #expect(try await verdict(text(of: bytes.dropLast())) == 10)
        #expect(try await verdict(text(of: bytes + [0])) == 10)
        #expect(try await verdict(token + "=") == 10)
        #expect(try await verdict(String(repeating: "A", count: 1025)) == 10)
        let both = ["--cookies", "CTA-Common-Access-Token=\(text(of: bytes + [0]))"]
        #expect(try await verdict(token, both) == 10)
        #expect(try await verify(Self.accessToken, key, token).exitCode == 64)
        let shown = try await Tool.run(["session", "inspect", "--form", "cat", "--output", "json"], input: token)
        #expect(shown.object["type"] as? String == "cat" && shown.object["opens"] as? String == "/live/demo/")
        let keys = try await Tool.run(["session", "keys", "--form", "cat", "--output", "json", key])
        let first = (keys.object["keys"] as? [[String: Any]])?.first
        #expect(first?["keyID"] as? String == shown.object["keyID"] as? String)
    }

    @Test func `A Common Access Token is signed with a secret or a P-256 key`() async throws {
        let rsa = Vectors.key("test-only-issuer-2048.pkcs8.pem")
        let (key, publicKey) = (
            Vectors.key("p256/test-only-session.pkcs8.pem"), Vectors.key("p256/test-only-session.spki.pem")
        )
        let target = try await target(Self.accessToken, key)
        #expect(try await verify(Self.accessToken, publicKey, target).exitCode == 0)
        let issue = ["session", "issue", "--path", "/a/", "--form", "cat", "--key"]
        #expect(try await Tool.run(issue + [publicKey]).exitCode == 78)
        let run = try await Tool.run(issue + [rsa])
        #expect(run.exitCode == 78 && run.error.contains("a secret or a P-256 key"))
        #expect(try await Tool.run(["session", "keys", "--form", "cat", rsa]).exitCode == 78)
        let anyIssuer = ["session", "verify", "--form", "cat", "--any-issuer", "--keys", key]
        #expect(try await Tool.run(anyIssuer, input: target).exitCode == 64)
    }

    @Test func `Keys that cannot sign policies are refused as issuing refuses them`() async throws {
        let folder = try TemporaryFolder()
        let (secret, p256) = (try key(Self.forms[0], folder), Vectors.key("p256/test-only-session.pkcs8.pem"))
        for (name, path) in [("policy", secret), ("legacy-policy", secret), ("legacy-policy", p256)] {
            let form = try #require(Self.forms.first { $0.name == name })
            let issued = try await Tool.run(["session", "issue", "--key", path, "--path", "/a/"] + form.options)
            let listed = try await Tool.run(["session", "keys", "--form", name, path])
            #expect(listed.exitCode == 78 && listed.output.isEmpty, "\(listed.output)")
            #expect(listed.error == issued.error && issued.exitCode == 78)
        }
        let rsa = Vectors.key("test-only-issuer-2048.pkcs8.pem")
        for arguments in [["policy", p256, rsa], ["legacy-policy", rsa]] {
            #expect(try await Tool.run(["session", "keys", "--form"] + arguments).exitCode == 0)
        }
    }

    @Test func `Secrets are listed by their names`() async throws {
        let folder = try TemporaryFolder()
        let paths = [try key(Self.forms[0], folder), try key(Self.forms[0], folder, "8")]
        let run = try await Tool.run(["session", "keys", "--form", "legacy-link", "--output", "json"] + paths)
        let keys = try #require(run.object["keys"] as? [[String: Any]])
        #expect(keys.map { $0["signs"] as? Bool } == [true, false])
        #expect(keys.compactMap { $0["keyID"] as? String }.allSatisfy { $0.utf8.count == 8 })
        let link = try await target(Self.forms[0], paths[0])
        #expect(link.contains("/s/\(try #require(keys[0]["keyID"] as? String))/"))
        #expect(!run.output.contains("7777"))
        #expect(try await Tool.run(["session", "keys", "--form", "edge-token", paths[0], paths[0]]).exitCode == 78)
        #expect(try await Tool.run(["session", "keys", "--form", "edge-token", "--jwks", paths[0]]).exitCode == 64)
    }
}
