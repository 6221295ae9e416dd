#if Client && CLI
import BrokerBench
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import Testing

@Suite("tve broker, one command after the other") struct SignedInToolTests {
    @Test func `From the login to the logout on one state file`() async throws {
        let tool = try await BrokerTool()
        let login = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        try tool.simulator.logIn(code: try await LoginToolTests.code(of: login), as: "ok")
        #expect(try await login.outcome().exitCode == 0)
        let requests = tool.simulator.journal.count
        let status = try await tool.run("status")
        #expect(
            status.exitCode == 0 && status.output.hasPrefix("signed in with Sample Cable (SampleCable), until "),
            "\(status.output)")
        #expect(try await tool.run("status", ["--output", "json"]).object["status"] as? String == "authenticated")
        #expect(tool.simulator.journal.count == requests)
        #expect(try await tool.run("preauthorize", ["news"]).exitCode == 0)
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        #expect(tool.count(.preauthorize) == 1 && tool.count(.authorize) == 1)
        #expect(try await tool.run("metadata", ["zip"]).exitCode == 0)
        let logout = try await tool.run("logout")
        #expect(logout.exitCode == 0 && logout.output.hasPrefix("signed out\n"), "\(logout.error)")
        #expect(logout.output.contains("  http") && tool.count(.logout) == 1)
        for arguments in [["status"], ["authorize", "news"], ["preauthorize", "news"], ["metadata", "zip"]] {
            let outcome = try await tool.run(arguments[0], Array(arguments.dropFirst()) + ["--output", "json"])
            #expect(outcome.exitCode == 21, "\(arguments): \(outcome.error)")
        }
        #expect(
            try await tool.run("status", ["--refresh", "--output", "json"]).object["status"] as? String
                == "not_authenticated")
        #expect(tool.count(.register) == 1 && tool.count(.token) == 1)
    }

    @Test func `A logout at one provider leaves the others, and JSON lists what is left to do`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        #expect(try await tool.run("status").exitCode == 0)
        let other = try await tool.run(
            "logout", ["--mvpd", "SampleFiber", "--output", "json", "--domain", "example.com"])
        #expect(other.exitCode == 0, "\(other.error)")
        #expect(try await tool.run("status").exitCode == 0)
        let this = try await tool.run(
            "logout", ["--mvpd", "SampleCable", "--output", "json", "--domain", "example.com"])
        let steps = this.object["steps"] as? [[String: Any]]
        #expect(steps?.map { $0["step"] as? String } == ["open"] && steps?.first?["url"] is String, "\(this.output)")
        #expect((this.object["unconfirmed"] as? [Any])?.isEmpty == true)
        #expect(try await tool.run("status", ["--refresh"]).exitCode == 21)
        // The one of the registration: the domain was given, so the logouts need none.
        #expect(tool.count(.configuration) == 1)
    }

    @Test func `A logout without the broker clears the state file, and is made up for`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        #expect(try await tool.run("status").exitCode == 0)
        tool.simulator.activate(ActiveScenario("down", .status(500), endpoints: [.logout, .configuration]))
        let logout = try await tool.run("logout", ["--output", "json"])
        #expect(logout.exitCode == 69, "\(logout.error)")
        let unconfirmed = logout.object["unconfirmed"] as? [[String: Any]]
        #expect(unconfirmed?.map { $0["mvpd"] as? String } == ["SampleCable"])
        #expect(try await tool.run("status").exitCode == 21)
        try tool.simulator.deactivate(scenario: "down")
        #expect(try await tool.run("status", ["--refresh"]).exitCode == 21)
        #expect(try await tool.record()?["REF30"].logouts.isEmpty == true)
    }

    @Test(arguments: [
        ["login", "--mvpd", "SampleFiber"], ["status", "--refresh"], ["authorize", "news"],
        ["preauthorize", "news"],
        ["metadata", "zip"], ["logout"],
    ])
    func `A broker that throttles, gives credentials up, or is away has exit codes of its own`(_ arguments: [String])
        async throws
    {
        let tool = try await BrokerTool()
        try await tool.signIn()
        // For metadata, the profile must not be known.
        if arguments[0] != "metadata" { #expect(try await tool.run("status").exitCode == 0) }
        func outcome() async throws -> BrokerTool.Outcome {
            try await tool.run(arguments[0], Array(arguments.dropFirst()) + ["--output", "json"])
        }
        tool.simulator.activate(ActiveScenario("busy", .throttled(retryAfter: 60)))
        let throttled = try await outcome()
        #expect(throttled.exitCode == 23, "\(throttled.error)")
        try tool.simulator.deactivate(scenario: "busy")
        let client = try #require(try await tool.record()?.registrations.values.first?.credentials.clientID)
        try tool.simulator.revoke(client: client)
        let revoked = try await outcome()
        #expect(revoked.exitCode == 24, "\(revoked.error)")
        await tool.server.stop()
        let away = try await outcome()
        #expect(away.exitCode == 69, "\(away.error)")
    }

    @Test(arguments: [
        ["login", "--mvpd", ""], ["login", "--domain", ""], ["login", "--redirect", ""], ["logout", "--mvpd", ""],
        ["authorize"], ["authorize", ""], ["authorize", "a", "b"], ["authorize", "a", "--redeem", "sqlite:x"],
        ["authorize", "a", "--keys", "x", "--redeem", "memory:"],
        ["authorize", "a", "--token-only", "--output", "json"], ["preauthorize"], ["preauthorize", ""],
        ["metadata"], ["metadata", ""], ["metadata", "METADATA_AUTHORIZATION"],
        ["metadata", "zip", "--resource", "a"], ["status", "more"],
    ])
    func `A wrong command line is refused before anything is sent`(_ arguments: [String]) async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run(arguments[0], Array(arguments.dropFirst()))
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty && !outcome.error.isEmpty, "\(outcome.error)")
        #expect(tool.simulator.journal.isEmpty && !FileManager.default.fileExists(atPath: tool.state))
    }
}
#endif
