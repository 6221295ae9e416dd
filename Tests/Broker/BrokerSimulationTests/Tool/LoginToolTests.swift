#if Client && CLI
import BrokerBench
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import Testing

@Suite("tve broker login") struct LoginToolTests {
    /// Waits for the code of a login with `--output json`.
    static func code(of login: RunningTool) async throws -> String {
        let output = try await login.output { $0.contains("\n") }
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        return try #require(object?["code"] as? String)
    }

    @Test func `It shows an address, waits without a word, and says who came in and until when`() async throws {
        let tool = try await BrokerTool()
        let start = ContinuousClock.now
        let login = try tool.start("login", ["--mvpd", "SampleCable"])
        let shown = try await login.output { $0.contains(" is good until ") }
        let url = try #require(shown.split(separator: "\n").first { $0.hasPrefix("  http") }).dropFirst(2)
        #expect(url.hasPrefix(tool.server.origin))
        let code = try #require(url.split(separator: "/").last)
        #expect(shown.contains("\nIts code \(code) is good until ") && !shown.contains("\u{1B}"))
        try tool.simulator.logIn(code: String(code), as: "ok")
        let end = try await login.outcome()
        #expect(end.exitCode == 0 && end.error.isEmpty, "\(end.error)")
        let last = try #require(end.output.split(separator: "\n").last)
        #expect(last.hasPrefix("signed in with Sample Cable (SampleCable), until 2"))
        #expect(tool.count(.configuration) == 1 && tool.count(.profiles) == 1 && tool.count(.startSession) == 1)
        // At once after showing, and every five seconds. A busy machine only makes the time longer in which it may ask.
        let elapsed = Int(start.duration(to: .now) / .seconds(1))
        #expect((1...(2 + elapsed / 5)).contains(tool.count(.profileByCode)))
    }

    @Test func `As JSON it writes two objects, one a line`() async throws {
        let tool = try await BrokerTool()
        let login = try tool.start(
            "login", ["--mvpd", "SampleCable", "--domain", "example.com", "--output", "json"])
        let code = try await Self.code(of: login)
        try tool.simulator.logIn(code: code, as: "ok")
        let end = try await login.outcome()
        #expect(end.exitCode == 0 && end.error.isEmpty)
        #expect(end.objects.map { $0["step"] as? String } == ["code", "authenticated"])
        #expect(end.objects[0].keys.sorted() == ["code", "missing", "step", "until", "url"])
        #expect((end.objects[0]["url"] as? String)?.hasSuffix(code) == true)
        #expect(end.objects[1]["mvpd"] as? String == "SampleCable")
        #expect((end.objects[1]["until"] as? Int64).map { $0 > Timestamp.now.milliseconds } == true)
        // The domain was given, so the list of providers is not needed.
        #expect(tool.count(.configuration) == 0)
    }

    @Test func `With --code-only another screen chooses the provider, and no address is shown`() async throws {
        let tool = try await BrokerTool()
        let login = try tool.start("login", ["--code-only"])
        let shown = try await login.output { $0.contains(" is good until ") }
        #expect(shown.hasPrefix("Type this code at your activation page") && shown.contains("(mvpd"))
        #expect(!shown.contains("http"))
        let code = try #require(shown.split(separator: "\n").first { $0.hasPrefix("  ") }).dropFirst(2)
        let phone = try await TestDevice("phone", requestor: "REF30", tool.simulator)
        #expect(await phone.resume(String(code), TestDevice.form(mvpd: "SampleFiber")).status < 300)
        try tool.simulator.logIn(code: String(code), as: "ok")
        let end = try await login.outcome()
        #expect(end.exitCode == 0 && end.output.contains("signed in with "), "\(end.error)")
        #expect(end.output.contains("SampleFiber"))
    }

    @Test func `With --no-wait it ends at once, and status --refresh sees the sign-in`() async throws {
        let tool = try await BrokerTool()
        let login = try await tool.run("login", ["--mvpd", "SampleCable", "--no-wait", "--output", "json"])
        #expect(login.exitCode == 0 && login.objects.count == 1, "\(login.error)")
        #expect(try await tool.run("status").exitCode == 21)
        try tool.simulator.logIn(code: try #require(login.object["code"] as? String), as: "ok")
        #expect(try await tool.run("status").exitCode == 21)
        #expect(try await tool.run("status", ["--refresh"]).exitCode == 0)
        #expect(try await tool.run("status").exitCode == 0)
    }

    @Test func `Who is signed in already is not asked again`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        for arguments in [[], ["--mvpd", "SampleCable"]] {
            let outcome = try await tool.run("login", arguments)
            #expect(outcome.exitCode == 0 && outcome.output.hasPrefix("signed in with "), "\(outcome.error)")
        }
        #expect(tool.count(.startSession) == 0)
    }

    @Test func `Temporary access needs no browser`() async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run("login", ["--mvpd", "TempPass", "--output", "json"])
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        #expect(outcome.object["step"] as? String == "authenticated")
        #expect(outcome.object["mvpd"] as? String == "TempPass")
    }

    @Test func `Temporary access that is used up signs nobody in`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("login", ["--mvpd", "TempPass"]).exitCode == 0)
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        tool.simulator.expire(.profiles)
        let outcome = try await tool.run("login", ["--mvpd", "TempPass"])
        #expect(outcome.exitCode == 21 && outcome.output.isEmpty, "\(outcome)")
    }

    @Test(arguments: [([], "no_provider"), (["--mvpd", "Nowhere"], "unknown_provider")])
    func `Without a provider that there is, nothing begins`(_ arguments: [String], _ code: String) async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run("login", arguments + ["--output", "json"])
        #expect(outcome.exitCode == 64 && outcome.failure == code, "\(outcome.error)")
        #expect(tool.count(.startSession) == 0)
    }

    @Test func `A code that ends, ends the wait`() async throws {
        let tool = try await BrokerTool()
        let login = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        _ = try await Self.code(of: login)
        tool.simulator.expire(.codes)
        let end = try await login.outcome()
        #expect(end.exitCode == 21 && end.failure == "code_ended", "\(end.error)")
    }

    @Test(arguments: [130, 143] as [Int32])
    func `Ctrl-C and SIGTERM give the sign-in up, and the next one works`(_ exitCode: Int32) async throws {
        let tool = try await BrokerTool()
        let login = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        _ = try await Self.code(of: login)
        #expect(try await tool.record()?["REF30"].pendingCode != nil)
        login.send(exitCode - 128)
        let end = try await login.outcome()
        #expect(end.exitCode == exitCode && end.failure == "interrupted", "\(end.error)")
        let record = try #require(try await tool.record())
        #expect(record["REF30"].pendingCode == nil && record["REF30"].lease == nil)
        #expect(try await tool.run("status").exitCode == 21)
        let next = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        try tool.simulator.logIn(code: try await Self.code(of: next), as: "ok")
        #expect(try await next.outcome().exitCode == 0)
    }

    @Test func `Another command that begins a sign-in takes the place of this one`() async throws {
        let tool = try await BrokerTool()
        let first = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        _ = try await Self.code(of: first)
        #expect(try await tool.run("login", ["--mvpd", "SampleFiber", "--no-wait"]).exitCode == 0)
        let end = try await first.outcome()
        #expect(end.exitCode == 21 && end.failure == "superseded", "\(end.error)")
    }
}
#endif
