#if Client && CLI
import BrokerBench
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import SealedRecords
import Testing

@Suite("tve broker") struct BrokerToolTests {
    @Test func `Register keeps credentials, sealed, and uses them again`() async throws {
        let tool = try await BrokerTool()
        let first = try await tool.run("register")
        #expect(first.exitCode == 0, "\(first.error)")
        #expect(first.output.hasPrefix("registered\n") && first.output.contains(tool.server.origin))
        #expect(first.error.isEmpty)
        let credentials = try #require(try await tool.record()?.registrations.values.first?.credentials)
        let second = try await tool.run("register", ["--output", "json"])
        #expect(second.object["registered"] as? String == "before")
        #expect(second.object["accessTokenExpires"] is NSNumber)
        #expect(try await tool.record()?.registrations.values.first?.credentials == credentials)
        #expect(tool.simulator.journal.count { $0.endpoint == .register } == 1)

        #expect(try tool.mode(tool.state) == 0o600 && tool.mode(tool.keys) == 0o600)
        #expect(try tool.mode(URL(filePath: tool.state).deletingLastPathComponent().path) == 0o700)
        for file in [tool.state, tool.state + "-wal"] where FileManager.default.fileExists(atPath: file) {
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(bytes.range(of: Data(credentials.clientSecret.utf8)) == nil)
            #expect(bytes.range(of: Data(credentials.clientID.utf8)) == nil)
        }
    }

    @Test func `Forget gives the registration up, and asks for a confirmation`() async throws {
        let tool = try await BrokerTool()
        #expect(
            try await tool.run(["broker", "forget", "--state", tool.state, "--yes"]).output
                == "there was nothing to forget\n"
        )
        #expect(try await tool.run("register").exitCode == 0)
        let before = try await tool.record()?.registrations.values.first?.credentials.clientID
        #expect(try await tool.run(["broker", "forget", "--state", tool.state]).exitCode == 64)
        #expect(try await tool.run(["broker", "forget", "--state", tool.state, "--yes"]).output == "forgotten\n")
        #expect(try await tool.run("register").output.hasPrefix("registered\n"))
        #expect(try await tool.record()?.registrations.values.first?.credentials.clientID != before)
    }

    @Test func `Providers lists what the broker has, for people and for programs`() async throws {
        let tool = try await BrokerTool()
        let text = try await tool.run("providers")
        #expect(text.exitCode == 0, "\(text.error)")
        #expect(text.output.contains("Sample Cable") && text.output.contains("temporary access"))
        let json = try await tool.run("providers", ["--output", "json"])
        let requestor = try #require(json.object["requestor"] as? [String: Any])
        #expect((requestor["mvpds"] as? [[String: Any]])?.count == tool.simulator.world.mvpds.count)
    }

    @Test func `Profiles says who is signed in, in the exit code too`() async throws {
        let tool = try await BrokerTool()
        let none = try await tool.run("profiles")
        #expect(none.exitCode == 21 && none.output == "not signed in\n")
        let record = try #require(try await tool.record())
        let client = try #require(record.registrations.values.first?.credentials.clientID)
        try tool.simulator.grantProfile(
            of: "SampleCable", client: client, device: try #require(record.identifier).text)
        let one = try await tool.run("profiles")
        #expect(one.exitCode == 0 && one.output.contains("SampleCable") && one.output.contains("zip"))
        #expect(!one.output.contains("77754"))
        let json = try await tool.run("profiles", ["--output", "json"])
        #expect((json.object["profiles"] as? [String: Any])?.keys.sorted() == ["SampleCable"])
    }

    @Test func `Check finds nothing in a good set-up`() async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run(
            "check",
            [
                "--domain", "example.com", "--redirect", "https://www.example.com/done", "--client-address",
                "203.0.113.7",
            ])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.error)")
        #expect(!outcome.output.contains("problem"))
        for part in ["statement", "registration", "requestor", "domain", "redirect", "partner", "session", "arrival"] {
            #expect(outcome.output.contains("ok       \(part)"), "\(outcome.output)")
        }
    }

    @Test(arguments: [
        (["--domain", "example.net"], "domain"),
        (["--redirect", "https://example.com.example.net/done"], "redirect"),
        (["--redirect", "https://example.com@example.net/"], "redirect"),
        (["--redirect", "done"], "redirect"),
        (["--client-port", "4711"], "arrival"),
    ])
    func `Check finds what would fail`(_ arguments: [String], _ check: String) async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run("check", arguments + ["--output", "json"])
        #expect(outcome.exitCode == 78)
        #expect(outcome.object["healthy"] as? Bool == false)
        let problems = (outcome.object["findings"] as? [[String: Any]])?.filter {
            $0["severity"] as? String == "problem"
        }
        #expect(problems?.contains { $0["check"] as? String == check } == true, "\(outcome.output)")
    }

    @Test func `Check sees a statement of version 1`() async throws {
        let tool = try await BrokerTool()
        let old = SimulatedStatement(id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c01", scopes: ["profile:client"])
        try tool.write(try tool.simulator.softwareStatement(old), to: "old.jwt")
        let outcome = try await tool.run("check", statement: "old.jwt")
        #expect(outcome.exitCode == 78 && outcome.output.contains("problem  statement"), "\(outcome.output)")
    }

    @Test(arguments: [
        ["--this-device"], ["--device", "tv-1"], ["--every-device"], ["--identity-hash", "ab12"],
        ["--every-identity"],
    ])
    func `Reset-temporary resets those that it is told to`(_ arguments: [String]) async throws {
        let tool = try await BrokerTool()
        let isOfIdentities = arguments[0].contains("identity")
        let outcome = try await tool.run(
            "reset-temporary", ["--mvpd", isOfIdentities ? "PromoPass" : "TempPass"] + arguments,
            statement: "reset.jwt")
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        #expect(tool.simulator.journal.contains { $0.method == "DELETE" && $0.status == 204 })
    }

    @Test(arguments: [[], ["--device", "all"], ["--device", ""], ["--this-device", "--every-device"]])
    func `Reset-temporary resets nothing by mistake`(_ arguments: [String]) async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("reset-temporary", ["--mvpd", "TempPass"] + arguments).exitCode == 64)
        #expect(!tool.simulator.journal.contains { $0.method == "DELETE" })
    }

    @Test func `Reset-temporary takes a statement of its own, beside the sign-in of the app`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("login", ["--mvpd", "TempPass"]).exitCode == 0)
        let arguments = ["--mvpd", "TempPass", "--this-device"]
        let refused = try await tool.run("reset-temporary", arguments)
        #expect(refused.exitCode == 78 && refused.error.contains("temporary:passes:owner"), "\(refused.error)")
        #expect(refused.error.contains("--statement"), "\(refused.error)")
        let done = try await tool.run("reset-temporary", arguments, statement: "reset.jwt")
        #expect(done.exitCode == 0, "\(done.error)")
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        #expect(try await tool.record()?.registrations.count == 2)
    }

    @Test func `Reset-temporary uses the statement that it is given, and nothing kept of another`() async throws {
        let tool = try await BrokerTool()
        let arguments = ["--mvpd", "TempPass", "--every-device"]
        #expect(try await tool.run("reset-temporary", arguments, statement: "reset.jwt").exitCode == 0)
        let refused = try await tool.run("reset-temporary", arguments)
        #expect(refused.exitCode == 78 && refused.error.contains("--statement"), "\(refused.error)")
        // Those of the good statement are kept still.
        #expect(try await tool.run("reset-temporary", arguments, statement: "reset.jwt").exitCode == 0)
        #expect(tool.count(.register) == 2)
    }

    @Test func `A refused registration for resets names the scope that the statement needs`() async throws {
        let tool = try await BrokerTool()
        let unknown = SimulatedStatement(
            id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7cff", scopes: ["temporary:passes:owner"])
        try tool.write(try tool.simulator.softwareStatement(unknown), to: "unknown.jwt")
        let outcome = try await tool.run(
            "reset-temporary", ["--mvpd", "TempPass", "--every-device"], statement: "unknown.jwt")
        #expect(outcome.exitCode == 78, "\(outcome.error)")
        #expect(outcome.error.contains("temporary:passes:owner") && outcome.error.contains("--statement"))
        #expect(!outcome.error.contains("REST API V2"), "\(outcome.error)")
    }

    @Test func `Reset-temporary goes to the origin that is named for resets`() async throws {
        let tool = try await BrokerTool()
        let arguments = ["--mvpd", "TempPass", "--this-device"]
        let bad = try await tool.run("reset-temporary", arguments + ["--management", "http://example.org"])
        #expect(bad.exitCode == 64 && bad.error.contains("--management"), "\(bad.error)")
        #expect(tool.simulator.journal.isEmpty)
        let done = try await tool.run(
            "reset-temporary", arguments + ["--management", tool.server.origin], statement: "reset.jwt")
        #expect(done.exitCode == 0, "\(done.error)")
        #expect(tool.simulator.journal.contains { $0.method == "DELETE" && $0.status == 204 })
    }

    @Test func `A bad origin is told with the option or the variable that it comes from`() async throws {
        let tool = try await BrokerTool()
        for origin in ["localhost:8090", "http://broker.example", "https://broker.example/api", "https://a b"] {
            let option = try await tool.run("providers", origin: origin)
            #expect(option.exitCode == 64 && option.error.hasPrefix("tve: --at: "), "\(option.error)")
            #expect(option.error.contains("https://"), "\(option.error)")
            let arguments = [
                "broker", "providers", "--requestor", "REF30", "--statement",
                tool.folder.appending(path: "statement.jwt").path, "--state", tool.state,
            ]
            let variable = try await RunningTool(arguments, of: tool, environment: ["TVE_BROKER": origin]).outcome()
            #expect(variable.exitCode == 64 && variable.error.hasPrefix("tve: TVE_BROKER: "), "\(variable.error)")
        }
    }

    @Test(arguments: [
        ("broker.example", true), ("https://broker.example/api", true), ("HTTP://broker.example:8090", true),
        ("[::1]:8090", true), ("a b", false), ("user:5ec2e7@a b", false), ("ftp://broker.example", false),
        ("https://", false),
    ])
    func `A host for recordings is one, or an address at one`(host: String, isGood: Bool) async throws {
        let tool = try await BrokerTool()
        let missing = tool.folder.appending(path: "missing.har").path
        let outcome = try await tool.run(["broker", "review", "--at", host, missing])
        #expect(outcome.exitCode == (isGood ? 66 : 64), "\(outcome.error)")
        #expect(isGood || outcome.error.hasPrefix("Error: --at takes a host"), "\(outcome.error)")
        #expect(!outcome.error.contains("5ec2e7"))
    }

    @Test func `A report of recordings that cannot be written is told before they are read`() async throws {
        let tool = try await BrokerTool()
        let missing = tool.folder.appending(path: "missing.har").path
        for (name, exitCode) in [("nowhere/report.xml", 66), ("", 74)] {
            let report = tool.folder.appending(path: name).path
            let outcome = try await tool.run(["broker", "review", missing, "--junit", report])
            #expect(outcome.exitCode == Int32(exitCode) && outcome.error.contains("--junit"), "\(outcome.error)")
        }
    }

    // MARK: Failures

    @Test func `A broker that throttles, is away, or gives credentials up has exit codes of its own`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("register").exitCode == 0)
        // Longer than the call may take: it fails at once, instead of three repeats later.
        tool.simulator.setThrottle(ThrottleMode(.always, retryAfter: 60))
        let throttled = try await tool.run("providers", ["--output", "json"])
        #expect(throttled.exitCode == 23 && throttled.failure == "throttled", "\(throttled.error)")
        tool.simulator.setThrottle(.off)
        let client = try #require(try await tool.record()?.registrations.values.first?.credentials.clientID)
        try tool.simulator.revoke(client: client)
        let revoked = try await tool.run("providers", ["--output", "json"])
        #expect(revoked.exitCode == 24, "\(revoked.error)")
        await tool.server.stop()
        let away = try await tool.run("providers", ["--output", "json"])
        #expect(away.exitCode == 69 && away.failure == "no_connection", "\(away.error)")
    }

    @Test func `A failed connection names the host and the reason`() async throws {
        let tool = try await BrokerTool()
        let origin = tool.server.origin
        await tool.server.stop()
        let away = try await tool.run("providers", ["--output", "json"])
        #expect(away.exitCode == 69 && away.failure == "no_connection", "\(away.error)")
        let address = origin.replacing("http://", with: "")
        #expect(away.error.contains("no connection to \(address) could be opened: connection refused"), "\(away.error)")
    }

    @Test func `The proxy of the environment is asked, and what it refuses is told without its password`() async throws
    {
        let tool = try await BrokerTool()
        let proxy = try await ConnectProxy { _ in .refusal(407) }
        let variables = ["https_proxy": "http://user:5ec2e7@127.0.0.1:\(proxy.port)", "no_proxy": "other.example"]
        let arguments = [
            "broker", "providers", "--output", "json", "--requestor", "REF30", "--statement",
            tool.folder.appending(path: "statement.jwt").path, "--state", tool.state, "--at",
        ]
        let refused = try await RunningTool(
            arguments + ["https://elsewhere.example"], of: tool, environment: variables
        ).outcome()
        #expect(refused.exitCode == 69 && refused.failure == "no_connection", "\(refused.error)")
        #expect(
            refused.error.contains("elsewhere.example:443 through the proxy 127.0.0.1:\(proxy.port) could be opened"),
            "\(refused.error)")
        #expect(!refused.error.contains("5ec2e7"))
        let heads = proxy.heads
        #expect(heads.first?.hasPrefix("CONNECT elsewhere.example:443 HTTP/1.1\r\n") == true)
        #expect(heads.first?.contains("proxy-authorization: Basic dXNlcjo1ZWMyZTc=\r\n") == true)
        // The simulated broker of this machine is not reached through it.
        let direct = try await RunningTool(arguments + [tool.server.origin], of: tool, environment: variables).outcome()
        #expect(direct.exitCode == 0, "\(direct.error)")
        #expect(proxy.heads.count == heads.count)
        await proxy.stop()
    }

    @Test func `A proxy that cannot be used is a fault, and is not passed over`() async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.start(
            "providers", ["--output", "json"], environment: ["https_proxy": "socks5://user:5ec2e7@127.0.0.1:1080"]
        ).outcome()
        #expect(outcome.exitCode == 78 && outcome.failure == "malformed_proxy", "\(outcome.error)")
        #expect(outcome.error.contains("https_proxy begins with socks5://") && !outcome.error.contains("5ec2e7"))
        #expect(tool.simulator.journal.isEmpty)
    }

    @Test func `An address that must not be opened is a fault of the broker, and is not shown`() async throws {
        let tool = try await BrokerTool(rewritingBy: { path, body in
            guard path.hasSuffix("/sessions") else { return body }
            let text = String(decoding: body, as: UTF8.self)
            return Array(text.replacing("/api/v2/authenticate/", with: "javascript:alert/").utf8)
        })
        let outcome = try await tool.run(
            "login", ["--mvpd", "SampleCable", "--domain", "example.com", "--no-wait", "--output", "json"])
        #expect(tool.count(.startSession) == 1)
        #expect(outcome.exitCode == 69 && outcome.failure == "unsafe_address", "\(outcome.error)")
        #expect(!outcome.output.contains("javascript") && !outcome.error.contains("javascript"))
    }

    @Test func `A state file whose keys are missing or others is refused, and stays as it is`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("register").exitCode == 0)
        let kept = try Data(contentsOf: URL(filePath: tool.keys))
        try FileManager.default.removeItem(atPath: tool.keys)
        #expect(try await tool.run("providers").exitCode == 66)
        #expect(!FileManager.default.fileExists(atPath: tool.keys))
        try SealingKeys.generate(id: "1").write(to: tool.keys)
        let other = try await tool.run("providers", ["--output", "json"])
        #expect(other.exitCode == 78, "\(other.error)")
        #expect(tool.simulator.journal.count { $0.endpoint == .register } == 1)
        try FileManager.default.removeItem(atPath: tool.keys)
        try kept.write(to: URL(filePath: tool.keys))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tool.keys)
        #expect(try await tool.run("register").output.hasPrefix("registered before"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: tool.keys)
        #expect(try await tool.run("providers").exitCode == 78)
    }

    @Test(arguments: [
        ["broker"], ["broker", "providers"], ["broker", "providers", "--at", "https://127.0.0.1"],
        ["broker", "providers", "--at", "https://127.0.0.1", "--requestor", "REF30"],
        ["broker", "providers", "--at", "http://example.org", "--requestor", "REF30", "--statement", "/dev/null"],
        ["broker", "check", "--at", "", "--requestor", "REF30", "--statement", "x"],
    ])
    func `A wrong command line says what is missing`(_ arguments: [String]) async throws {
        let outcome = try await BrokerTool().run(arguments)
        #expect(outcome.exitCode == 64 || outcome.exitCode == 78, "\(outcome.error)")
        #expect(outcome.output.isEmpty && !outcome.error.isEmpty)
    }

    @Test func `--trace shows each request and no secret`() async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run("profiles", ["--trace", "--client-address", "203.0.113.7"])
        #expect(outcome.error.contains("> POST /o/client/register"), "\(outcome.error)")
        #expect(outcome.error.contains("profiles"))
        let record = try #require(try await tool.record())
        let registration = try #require(record.registrations.values.first)
        let statement = try String(contentsOf: tool.folder.appending(path: "statement.jwt"), encoding: .utf8)
        let secrets = [
            registration.credentials.clientSecret, registration.credentials.clientID,
            try #require(registration.token).bearer.text, try #require(record.identifier).text,
            try #require(record.identifier).headerValue, String(statement.prefix(40)),
        ]
        for secret in secrets { #expect(!outcome.error.contains(secret) && !outcome.output.contains(secret)) }
    }
}
#endif
