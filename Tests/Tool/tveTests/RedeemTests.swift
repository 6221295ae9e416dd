import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import TVETesting
import TestVectors
import Testing

/// `--redeem`: each token passes once.
@Suite struct RedeemTests {
    let folder: TemporaryFolder
    let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = "sqlite:" + folder.path("used.sqlite")
    }

    @Test func `A token passes once across runs`() async throws {
        let token = try await Tool.issue()
        let first = try await Tool.verify(token, "--redeem", file)
        #expect(first.exitCode == 0)
        let base64 = Data(token.utf8).base64EncodedString()
        let second = try await Tool.verify(base64, "--redeem", file, "--output", "json")
        #expect(second.exitCode == 16)
        #expect(second.object["status"] as? String == "TOKEN_REPLAYED")
        #expect(second.object["code"] as? String == "replayed")
        #expect(second.object["claims"] != nil)
        #expect(try folder.permissions(of: folder.path("used.sqlite")) == 0o600)
    }

    @Test func `One store is taken and not two`() async throws {
        #expect(try await Tool.verify(Tool.issue(), "--redeem", file, "--redeem", file + "2").exitCode == 64)
    }

    @Test func `A refused token stays unused`() async throws {
        let token = try await Tool.issue()
        let other = ["verify", "-", "--keys", Tool.publicKey, "--any-requestor", "--resource", "Other"]
        #expect(try await Tool.run(other + ["--redeem", file], input: token).exitCode == 14)
        #expect(try await Tool.verify(token, "--redeem", file).exitCode == 0)
    }

    @Test(arguments: [
        ("memory:", 64), ("memory:5", 64), ("memory:0", 64), ("memory:x", 64), ("sqlite:", 64), ("", 64),
        ("file:x", 64),
        ("sqlite::memory:", 78), ("sqlite:/dev/null", 78), ("sqlite:/missing/used.sqlite", 78),
        ("sqlite:/", 78), ("sqlite:/proc/used.sqlite", 78),
    ])
    func `An impossible store is refused`(_ store: String, _ exitCode: Int32) async throws {
        let outcome = try await Tool.verify(try await Tool.issue(), "--redeem", store)
        #expect(outcome.exitCode == exitCode)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.error.isEmpty)
    }

    @Test func `A file of something else is a mistake in the configuration`() async throws {
        try folder.write("no database", to: folder.path("used.sqlite"))
        let outcome = try await Tool.verify(try await Tool.issue(), "--redeem", file, "--output", "json")
        #expect(outcome.exitCode == 78)
        let error = outcome.report["error"] as? [String: Any]
        #expect(error?["code"] as? String == "not_a_database")
        #expect(error?["file"] as? String == folder.path("used.sqlite"))
    }

    @Test func `No error shows a password in an address`() async throws {
        let outcome = try await Tool.verify(try await Tool.issue(), "--redeem", "redis://user:5ec2e7@127.0.0.1:1/0")
        #expect(outcome.exitCode == 78)
        #expect(!outcome.error.contains("5ec2e7"))
    }

    @Test(arguments: [
        ["redis://127.0.0.1:1", "--redeem-ca-file", "x"], ["redis://127.0.0.1:1", "--redeem-key-file", "x"],
        ["rediss://127.0.0.1:1", "--redeem-key-file", "x"], ["memory:5", "--redeem-timeout", "5"],
        ["sqlite:x", "--redeem-connections", "5"], ["redis://127.0.0.1:1", "--redeem-timeout", "0"],
        ["redis://127.0.0.1:1", "--redeem-timeout", "60001"], ["redis://127.0.0.1:1", "--redeem-connections", "65"],
    ])
    func `Options of a server without effect are refused`(_ arguments: [String]) async throws {
        let outcome = try await Tool.verify(Array(try await Tool.issue().utf8), ["--redeem"] + arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.error.contains("--redeem-"))
    }

    @Test func `A store that does not answer refuses`() async throws {
        let outcome = try await Tool.verify(
            try await Tool.issue(), "--redeem", "redis://127.0.0.1:1", "--output", "json")
        #if Redis
        #expect(outcome.exitCode == 69)
        #expect(outcome.object["code"] as? String == "store_unavailable")
        #expect(outcome.object["claims"] != nil)
        #else
        #expect(outcome.exitCode == 78)
        #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == "no_redis")
        #endif
    }

    // MARK: Batches

    /// Tokens of a small key, which are quick to make; each in several spellings would be the same.
    private static func tokens(_ count: Int) throws -> [String] {
        let key = try SigningKey(
            contentsOfFile: Vectors.key("test-only-issuer-1024.pkcs8.pem"), allowingWeakKeys: true)
        let issuer = TestMediaTokenIssuer(key: key)
        return try (0..<count).map { number in
            var claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel")
            // Under a sanitizer and beside other work, four processes take longer than the usual 7 minutes.
            claims.ttl = .hours(1)
            claims.furtherElements = [("number", "\(number)")]
            return try issuer.issueText(claims)
        }
    }

    private static func rows(_ tokens: some Sequence<(offset: Int, element: String)>) -> String {
        tokens.map { number, token in
            let text = token.replacing("\"", with: "\\\"")
            return "{\"id\":\(number),\"token\":\"\(text)\",\"requestor\":\"REF30\",\"resource\":null}\n"
        }.joined()
    }

    private static let batch = ["verify", "--batch", "--keys", Vectors.key("test-only-issuer-1024.spki.pem")]

    /// More rows than one piece of the input has, the same tokens over and over.
    @Test(arguments: ["memory:", "memory:150", "sqlite"])
    func `Of two rows with one token the first wins`(_ store: String) async throws {
        let tokens = try Self.tokens(150)
        let rows = (0..<3000).map { ($0, tokens[$0 * 7 % 150]) }
        let input = Self.rows(rows.map { (offset: $0.0, element: $0.1) })
        let outcome = try await Tool.run(
            Self.batch + ["--jobs", "8", "--redeem", store == "sqlite" ? file : store], input: input)
        #expect(outcome.exitCode == 0)
        let codes = outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes.count == 3000)
        #expect(codes.prefix(150).allSatisfy { $0 == "valid" })
        #expect(codes.dropFirst(150).allSatisfy { $0 == "replayed" })
    }

    /// The first piece of the input is not the one that begins with its first row.
    @Test(arguments: ["memory:", "sqlite"])
    func `Rows are redeemed after those that were passed over`(_ store: String) async throws {
        let rows = Self.rows(try Self.tokens(3).enumerated())
        let outcome = try await Tool.run(
            Self.batch + ["--skip-rows", "1", "--redeem", store == "sqlite" ? file : store], input: rows + rows)
        let codes = outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes == ["valid", "valid", "valid", "replayed", "replayed"])
    }

    @Test func `A full store refuses the rest`() async throws {
        let tokens = try Self.tokens(20)
        let input = Self.rows((tokens + tokens).enumerated())
        let outcome = try await Tool.run(Self.batch + ["--redeem", "memory:10"], input: input)
        let codes = outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes.prefix(10).allSatisfy { $0 == "valid" })
        #expect(codes[10..<20].allSatisfy { $0 == "store_unavailable" })
        #expect(codes[20..<30].allSatisfy { $0 == "replayed" })
        #expect(codes[30...].allSatisfy { $0 == "store_unavailable" })
        #expect(outcome.exitCode == 0)
    }

    /// Whether such a token was used stays open, so the run did not do its job.
    @Test(arguments: [
        (["--strict"], "[failed_rows]"), (["--max-failures", "9"], "[too_many_failures]"),
        (["--max-failures", "49%"], "[too_many_failures]"), (["--max-failures", "10"], nil),
        (["--max-failures", "50%"], nil),
    ])
    func `Rows that the store did not answer have failed`(_ options: [String], _ failure: String?) async throws {
        let input = Self.rows(try Self.tokens(20).enumerated())
        let outcome = try await Tool.run(Self.batch + ["--redeem", "memory:10"] + options, input: input)
        #expect(outcome.objects.count { $0["code"] as? String == "store_unavailable" } == 10)
        #expect(outcome.exitCode == (failure == nil ? 0 : 2))
        if let failure { #expect(outcome.error.contains("10 of 20 rows failed") && outcome.error.contains(failure)) }
    }

    @Test func `Rows that cannot be read keep their place`() async throws {
        let token = try #require(try Self.tokens(1).first)
        let row = Self.rows([(offset: 1, element: token)])
        let outcome = try await Tool.run(Self.batch + ["--redeem", "memory:"], input: "bad\n\n\(row)bad\n\(row)bad")
        let codes = outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes == ["bad_row", "bad_row", "valid", "bad_row", "replayed", "bad_row"])
    }

    @Test func `Of four processes exactly one accepts each token`() async throws {
        let tokens = try Self.tokens(500)
        let batch = Self.batch + ["--redeem", file]
        let outcomes = try await withThrowingTaskGroup(of: [Int].self) { group in
            for process in 0..<4 {
                let order = (0..<500).map { ($0 * [1, 3, 7, 9][process] + 100 * process) % 500 }
                let input = Self.rows(order.map { (offset: $0, element: tokens[$0]) })
                group.addTask {
                    try await Tool.run(batch, input: input).objects.compactMap { row in
                        row["code"] as? String == "valid" ? row["id"] as? Int : nil
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.sorted() == Array(0..<500))
    }

    @Test func `The doctor looks at the store`() async throws {
        let good = try await Tool.run(["doctor", "--redeem", file])
        #expect(good.exitCode == 0)
        #expect(good.output.contains("store"))
        try folder.write("no database", to: folder.path("used.sqlite"))
        let bad = try await Tool.run(["doctor", "--redeem", "sqlite:" + folder.path("password.txt")])
        #expect(bad.exitCode == 78)
        #expect(bad.output.contains("problem  store"))
    }
}
