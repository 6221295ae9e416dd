import Foundation
import TestVectors
import Testing

@Suite struct LifetimeTests {
    private let folder: TemporaryFolder
    private let state: String
    private static let now = "2026-01-15T17:30:00Z"
    private static let channel = ["--requestor", "REF30", "--mvpd", "TestMVPD", "--resource", "TestChannel"]

    init() throws {
        folder = try TemporaryFolder()
        state = folder.path("ttl.sqlite")
    }

    private func ttl(_ command: String, _ arguments: [String], at now: String = now, input: String = "") async throws
        -> Tool.Outcome
    {
        try await Tool.run(["ttl", command, "--state", state, "--at", now] + arguments, input: input)
    }

    private func record(expires: String, _ more: [String] = []) async throws -> Tool.Outcome {
        try await ttl("record", Self.channel + ["--expires", expires] + more)
    }

    @Test func `What is recorded is good until its end`() async throws {
        let recorded = try await record(expires: "1768501800000", ["--output", "json"])
        #expect(recorded.exitCode == 0)
        #expect(recorded.object["outcome"] as? String == "recorded")
        let good = try await ttl("check", Self.channel + ["--output", "json"])
        #expect(good.exitCode == 0)
        #expect(good.object["status"] as? String == "valid")
        #expect(good.object["good"] as? Bool == true)
        #expect(good.object["expires"] as? Int == 1_768_501_800_000)
        #expect(good.object["ms"] as? Int == 3_600_000)
        let expiring = try await ttl("check", Self.channel + ["--output", "json", "--margin", "3600"])
        #expect(expiring.exitCode == 0)
        #expect(expiring.object["status"] as? String == "expiring")
        #expect(try await ttl("check", Self.channel, at: "2026-01-15T18:30:00Z").exitCode == 12)
        let back = try await ttl("check", Self.channel)
        #expect(back.exitCode == 12, "the clock went back, and what had expired stays so")
        #expect(back.error.contains("[clock_jumped_back]"))
    }

    @Test func `What is reported names no device`() async throws {
        let ledgers = ["jane-1", "jane-2"]
        for ledger in ledgers { _ = try await record(expires: "1768501800000", ["--ledger", ledger]) }
        for (arguments, starts) in [
            (["list", "--ledger", "jane-2"], ["tve: the clock went back by"]),
            (["list"], ["tve: ledger 1: the clock", "tve: ledger 2: the clock"]),
            (["sweep"], ["tve: ledger 1: the clock", "tve: ledger 2: the clock"]),
        ] {
            // Each ledger reports once that the clock went back since its last change.
            for ledger in ledgers { _ = try await ttl("sweep", ["--ledger", ledger], at: "2026-01-15T18:00:00Z") }
            let outcome = try await ttl(arguments[0], Array(arguments.dropFirst()))
            let lines = outcome.error.split(separator: "\n")
            #expect(zip(lines, starts).allSatisfy { $0.hasPrefix($1) } && lines.count == starts.count)
            #expect(!outcome.error.contains("jane"))
        }
    }

    @Test func `Every answer has its exit code`() async throws {
        #expect(try await ttl("check", Self.channel).exitCode == 66)
        _ = try await record(expires: "2026-01-16T00:00:00Z", ["--not-before", "2026-01-15T20:00:00Z"])
        #expect(try await ttl("check", Self.channel).exitCode == 13)
        #expect(try await ttl("check", ["--requestor", "REF30", "--mvpd", "TestMVPD"]).exitCode == 17)
        #expect(try await ttl("check", Self.channel + ["--ledger", "other"]).exitCode == 17)
        #expect(try await ttl("list", []).output.hasPrefix("ledger default\n"), "a check makes no ledger")
        #expect(try await ttl("check", ["--requestor", "REF30"]).exitCode == 64)
        #expect(try await ttl("check", Self.channel + ["--margin", "-1"]).exitCode == 64)
    }

    @Test func `A path where no file can be is a mistake in the configuration`() async throws {
        for path in [folder.path("missing/ttl.sqlite"), folder.url.path, "/dev/null"] {
            let grant = ["ttl", "record", "--state", path, "--expires", "1768501800000"] + Self.channel
            let outcome = try await Tool.run(grant + ["--output", "json"])
            #expect(outcome.exitCode == 78)
            #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == "cannot_open")
        }
    }

    /// Four descriptors are enough to start, and one too few for SQLite's log.
    @Test func `What runs out may come back`() async throws {
        let grant =
            ["ttl", "record", "--state", state, "--expires", "1768501800000", "--output", "json"] + Self.channel
        let outcome = try await Tool.run(
            ["-c", "ulimit -n 4; exec \"$0\" \"$@\"", Tool.executable.path] + grant,
            executable: URL(filePath: "/bin/bash"))
        #expect(outcome.exitCode == 69)
        #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == "unavailable")
    }

    @Test func `Bodies and tokens are recorded`() async throws {
        let times = "\"notBefore\":1768498200000,\"notAfter\":1768501800000"
        let profiles =
            "{\"profiles\":{\"TestMVPD\":{\(times),\"issuer\":\"TestMVPD\",\"type\":\"regular\","
            + "\"attributes\":{}}}}"
        #expect(
            try await ttl("record", ["--from", "profiles", "--requestor", "REF30"], input: profiles).exitCode == 0)
        let decisions =
            "{\"decisions\":[{\"resource\":\"TestChannel\",\"serviceProvider\":\"REF30\","
            + "\"mvpd\":\"TestMVPD\",\"source\":\"mvpd\",\"authorized\":true,\(times)}]}"
        #expect(try await ttl("record", ["--from", "decisions"], input: decisions).exitCode == 0)
        let names = "\"requestor\":\"REF30\",\"mvpd\":\"OtherMVPD\",\"expires\":\"1768501800000\""
        #expect(try await ttl("record", ["--from", "authn"], input: "{\(names),\"userId\":\"u\"}").exitCode == 0)
        #expect(try await ttl("record", ["--from", "authz"], input: "{\(names),\"resource\":\"X\"}").exitCode == 0)

        let listed = try await ttl("list", ["--output", "json"])
        #expect(listed.exitCode == 0)
        let ledgers = listed.object["ledgers"] as? [[String: Any]] ?? []
        let entries = ledgers.first?["entries"] as? [[String: Any]] ?? []
        #expect(entries.count == 4)
        #expect(entries.allSatisfy { $0["expires"] as? Int == 1_768_501_800_000 && $0["status"] as? String == "valid" })
        #expect(try await ttl("list", []).output.contains("resource TestChannel: valid for 1 h"))
    }

    @Test func `A body that the ledger does not take is not recorded`() async throws {
        let issuers = ["--event", "issuers", "--requestor", "REF30", "--issuer", "GoodMVPD"]
        #expect(try await ttl("record", issuers).exitCode == 0)
        let body = "{\"requestor\":\"REF30\",\"mvpd\":\"BadMVPD\",\"expires\":\"1768501800000\"}"
        let refused = try await ttl("record", ["--from", "authn", "--output", "json"], input: body)
        #expect(refused.exitCode == 18)
        #expect(refused.object["outcome"] as? String == "issuer_not_allowed")
        #expect(refused.object["recorded"] as? Int == 0)
        // Beside one that an answer of before replaces, too.
        let decision = { (resource: String, mvpd: String, start: Int) in
            "{\"resource\":\"\(resource)\",\"serviceProvider\":\"REF30\",\"mvpd\":\"\(mvpd)\",\"source\":\"mvpd\","
                + "\"authorized\":true,\"notBefore\":\(start),\"notAfter\":1768501800000}"
        }
        let newer = "{\"decisions\":[\(decision("A", "GoodMVPD", 1_768_498_100_000))]}"
        #expect(try await ttl("record", ["--from", "decisions"], input: newer).exitCode == 0)
        let older =
            "{\"decisions\":[\(decision("A", "GoodMVPD", 1_768_498_000_000)),\(decision("B", "BadMVPD", 1_768_498_000_000))]}"
        let partly = try await ttl("record", ["--from", "decisions", "--output", "json"], input: older)
        #expect(partly.exitCode == 18)
        #expect(partly.object["outcome"] as? String == "issuer_not_allowed")
        let nothing = try await ttl("record", ["--from", "decisions", "--output", "json"], input: "{\"decisions\":[]}")
        #expect(nothing.exitCode == 0)
        #expect(nothing.object["outcome"] as? String == "nothing")
    }

    @Test(arguments: [
        ["logout", "--requestor", "OTHER"], ["logout", "--resource", "X"],
        ["cancel", "--requestor", "REF30", "--mvpd", "TestMVPD"], ["device", "--device", "d", "--requestor", "REF30"],
    ])
    func `An event that would erase more than it says is refused`(_ event: [String]) async throws {
        _ = try await record(expires: "1768501800000")
        #expect(try await ttl("record", ["--event"] + event).exitCode == 64)
        #expect(try await ttl("check", Self.channel).exitCode == 0)
    }

    @Test func `A signed token is recorded only under a good signature`() async throws {
        let file = try JSONSerialization.jsonObject(
            with: Data(contentsOf: Vectors.folder.appending(path: "token_lifetimes/signed_tokens.json")))
        let groups = (file as? [String: Any])?["testGroups"] as? [[String: Any]]
        let tests = groups?.first?["tests"] as? [[String: Any]] ?? []
        let token = try #require(tests.first { $0["comment"] as? String == "AuthZ, plain" }?["token"] as? String)
        let from = ["--from", "token", "--keys"]
        #expect(try await ttl("record", from + [Tool.publicKey], input: token).exitCode == 0)
        #expect(try await ttl("check", Self.channel).exitCode == 0)
        let other = Vectors.key("test-only-other-2048.spki.pem")
        let forged = try await ttl("record", from + [other, "--output", "json"], input: token)
        #expect(forged.exitCode == 11)
        let failure = forged.report["error"] as? [String: Any]
        #expect(failure?["code"] as? String == "bad_signature")
        #expect(!forged.error.contains("TestChannel"))
        #expect(try await ttl("record", from + [Tool.publicKey], input: try await Tool.issue()).exitCode == 10)
        // The token named its device, and no other's grant is taken any more.
        #expect(try await record(expires: "1768501800000", ["--device", "other"]).exitCode == 18)
    }

    @Test(arguments: [
        (["--event", "logout"], 1), (["--event", "logout", "--mvpd", "OtherMVPD"], 0),
        (["--event", "logout", "--mvpd", "TestMVPD"], 1), (["--event", "cancel", "--requestor", "REF30"], 0),
        (["--event", "device", "--device", "D2"], 1),
        (["--event", "issuers", "--requestor", "REF30", "--issuer", "OtherMVPD"], 1),
        (["--event", "issuers", "--requestor", "REF30"], 0),
        (["--event", "answered", "--status", "410"] + channel, 1),
        (["--event", "answered", "--status", "503"] + channel, 0),
    ])
    func `Events erase what they end`(arguments: [String], erased: Int) async throws {
        _ = try await record(expires: "1768501800000", ["--device", "D1"])
        let outcome = try await ttl("record", arguments + ["--output", "json"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.object["erased"] as? Int == erased)
        #expect(try await ttl("check", Self.channel).exitCode == (erased == 0 ? 0 : 17))
    }

    @Test func `Another provider chosen erases what the requestor had`() async throws {
        _ = try await ttl("record", ["--event", "select", "--requestor", "REF30", "--mvpd", "TestMVPD"])
        _ = try await record(expires: "1768501800000")
        let outcome = try await ttl("record", ["--event", "select", "--requestor", "REF30", "--mvpd", "OtherMVPD"])
        #expect(outcome.output == "erased 1\n")
    }

    @Test(arguments: ["list", "sweep"])
    func `A missing ledger is reported`(_ command: String) async throws {
        _ = try await record(expires: "1768501800000")
        let outcome = try await ttl(command, ["--ledger", "defualt", "--output", "json"])
        #expect(outcome.exitCode == 17)
        #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == "no_such_ledger")
        #expect(try await ttl(command, ["--ledger", "default"]).exitCode == 0)
    }

    @Test func `Sweeping removes what has expired and nothing else`() async throws {
        _ = try await record(expires: "1768501800000")
        _ = try await ttl(
            "record", ["--requestor", "R", "--mvpd", "M", "--expires", "1768584600000", "--ledger", "second"])
        let swept = try await ttl("sweep", ["--output", "json"], at: "2026-01-15T18:30:00Z")
        #expect(swept.exitCode == 0)
        #expect(swept.object["swept"] as? Int == 1)
        #expect(try await ttl("check", Self.channel, at: "2026-01-15T18:30:00Z").exitCode == 17)
        let rest = ["--requestor", "R", "--mvpd", "M", "--ledger", "second"]
        #expect(try await ttl("check", rest, at: "2026-01-15T18:30:00Z").exitCode == 0)
    }

    @Test(arguments: [
        [], ["--requestor", "R", "--mvpd", "M"], ["--requestor", "", "--mvpd", "M", "--expires", "1768501800000"],
        ["--requestor", "R", "--mvpd", "M", "--expires", "1768501800"], ["--from", "profiles"], ["--from", "token"],
        ["--from", "decisions", "--expires", "1768501800000"], ["--event", "select", "--requestor", "R"],
        ["--event", "logout", "--from", "authn"], ["--event", "device"], ["--event", "answered", "--status", "99"],
        ["--event", "logout", "--device", "D"], ["--keys", "k.pem"], ["--status", "410"], ["--event", "nonsense"],
        ["--requestor", "R", "--mvpd", "M", "--expires", "1768501800000", "--ledger", ""],
    ])
    func `An impossible command line is refused`(arguments: [String]) async throws {
        let outcome = try await ttl("record", arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.bytes.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "{\"decisions\":[{}]}", "token"])
    func `A body that is none is refused`(body: String) async throws {
        let outcome = try await ttl("record", ["--from", "decisions", "--output", "json"], input: body)
        #expect(outcome.exitCode == 10)
        #expect(outcome.report["error"] != nil)
        #expect(try await ttl("list", []).output == "", "nothing is written")
    }

    @Test func `A file of something else stays as it is`() async throws {
        try folder.write("my notes\n", to: state)
        for command in ["list", "sweep"] {
            let outcome = try await ttl(command, ["--output", "json"])
            #expect(outcome.exitCode == 78)
            let failure = outcome.report["error"] as? [String: Any]
            #expect(failure?["code"] as? String == "not_a_database")
        }
        #expect(try await record(expires: "1768501800000").exitCode == 78)
        #expect(try folder.text(state) == "my notes\n")
    }

    @Test func `Processes that record at once lose nothing`() async throws {
        let state = state
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    try await Tool.run([
                        "ttl", "record", "--state", state, "--at", Self.now, "--requestor", "R", "--mvpd", "M",
                        "--resource", "X\(number)", "--expires", "1768501800000",
                    ]).exitCode
                }
            }
            for try await exitCode in group { #expect(exitCode == 0) }
        }
        let listed = try await ttl("list", ["--output", "json"])
        let ledgers = listed.object["ledgers"] as? [[String: Any]] ?? []
        #expect((ledgers.first?["entries"] as? [Any])?.count == 12)
    }
}
