#if Client && CLI
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Testing

@Suite("tve broker with promotional temporary access") struct PromotionToolTests {
    private static let login = ["--mvpd", "PromoPass"]
    private static let identity = ["--identity", "user@example.org"]

    @Test func `The identity of the login is kept, and sent with each play`() async throws {
        let tool = try await BrokerTool()
        let login = try await tool.run("login", Self.login + Self.identity + ["--output", "json"])
        #expect(login.exitCode == 0 && login.object["mvpd"] as? String == "PromoPass", "\(login.error)")
        #expect(login.object["reason"] as? String == "temporary" && login.object["until"] is Int64)
        let kept = try await tool.record()?["REF30"]
        #expect(try kept?.identity == TemporaryIdentity(hashing: "user@example.org"))
        #expect(kept?.provider?.id == "PromoPass")
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        // Neither output nor trace has it.
        let traced = try await tool.run("authorize", ["sports", "--trace"] + Self.identity)
        #expect(traced.exitCode == 0, "\(traced.error)")
        for shown in [login.output, login.error, traced.output, traced.error] {
            #expect(!shown.contains("user@example"))
        }
        let (plain, hashed) = (
            try TemporaryIdentity("user@example.org"), try TemporaryIdentity(hashing: "user@example.org")
        )
        for identity in [plain, hashed] { #expect(!traced.error.contains(identity.headerValue)) }
    }

    @Test func `An identity is kept as it is if that is asked for`() async throws {
        let tool = try await BrokerTool()
        let login = try await tool.run("login", Self.login + Self.identity + ["--plain-identity"])
        #expect(login.exitCode == 0, "\(login.error)")
        #expect(try await tool.record()?["REF30"].identity == TemporaryIdentity("user@example.org"))
        let useless = try await tool.run("login", Self.login + ["--plain-identity"])
        #expect(useless.exitCode == 64 && useless.error.contains("--identity"), "\(useless.error)")
    }

    @Test func `Without an identity, the refusal says what to give, and a play takes it`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("login", Self.login).exitCode == 0)
        let refused = try await tool.run("authorize", ["news", "--output", "json"])
        #expect(refused.exitCode == 78 && refused.failure == "refused")
        #expect(refused.error.contains("invalid_header_identity_for_temporary_access"))
        #expect(refused.error.contains("--identity"))
        #expect(try await tool.run("authorize", ["news"] + Self.identity).exitCode == 0)
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        #expect(try await tool.record()?["REF30"].identity != nil)
        // Another provider does not get to know it.
        let other = try tool.start("login", ["--mvpd", "SampleCable", "--output", "json"])
        try tool.simulator.logIn(code: try await LoginToolTests.code(of: other), as: "ok")
        #expect(try await other.outcome().exitCode == 0)
        #expect(try await tool.record()?["REF30"].identity == nil)
        let useless = try await tool.run("authorize", ["news", "--output", "json"] + Self.identity)
        #expect(useless.exitCode == 64 && useless.failure == "not_temporary", "\(useless.error)")
        #expect(try await tool.record()?["REF30"].identity == nil)
    }

    @Test func `A login takes an identity also if the broker refuses the one before`() async throws {
        let tool = try await BrokerTool()
        #expect(try await tool.run("login", Self.login).exitCode == 0)
        let second = try await tool.run("login", Self.login + Self.identity)
        #expect(second.exitCode == 0, "\(second.error)")
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
    }

    @Test(arguments: [
        ["authorize", "news", "--identity", ""], ["login", "--identity", "user@example.org"],
        ["authorize", "news", "--identity", String(repeating: "a", count: 1100)],
    ])
    func `What is not an identity, or has no provider, is refused`(_ arguments: [String]) async throws {
        let tool = try await BrokerTool()
        let outcome = try await tool.run(arguments[0], Array(arguments.dropFirst()))
        #expect(outcome.exitCode == 64 && outcome.error.contains("--identity"), "\(outcome.error)")
        #expect(tool.simulator.journal.isEmpty)
    }
}
#endif
