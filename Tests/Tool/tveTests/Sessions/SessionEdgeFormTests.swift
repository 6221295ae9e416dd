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
        Form(name: "legacy-policy", more: ["--key-pair-id", "K2JC", "--origin", origin]),
    ]

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
