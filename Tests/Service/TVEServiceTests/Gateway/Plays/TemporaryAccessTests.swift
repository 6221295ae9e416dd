#if Service
import BrokerSimulation
import EntitlementValues
import Testing

@Suite("Temporary access")
struct TemporaryAccessTests {
    /// Registers a device, and takes temporary access with it, which needs no browser.
    private static func device(_ bench: GatewayBench, _ body: String = #"{"mvpd":"TempPass"}"#) async throws -> String {
        let token = try await bench.register()
        let answer = try await bench.ask("POST", "/v1/authentication", body, token: token)
        #expect(answer.code == "authenticated", "\(answer.text)")
        bench.simulator.clearJournal()
        return token
    }

    @Test func `A session ends with the access, however long sessions are, and renewals do not pass it`() async throws {
        try await GatewayBench.spread(time: ShiftedTime(standing: true)) { bench in
            let token = try await Self.device(bench)
            let start = bench.time.now
            let answer = try await bench.play(token: token)
            #expect(answer.code == "playing", "\(answer.text)")
            let terms = try #require(answer.object["temporary"] as? [String: Any])
            let until = try #require(terms["until"] as? Int64)
            // Ten minutes from the first play.
            #expect(abs(until - start.milliseconds - 600_000) < 10_000)
            #expect(terms["remainingResources"] == nil)
            #expect(try #require(answer.object["sessionExpires"] as? Int64) <= until)
            #expect(try #require(answer.object["sessionCeiling"] as? Int64) <= until)
            #expect(bench.brokerCalls.filter { $0 == .authorize }.count == 1)
            let session = try #require(answer.object["session"] as? String)
            let renewed = try await bench.service.post(
                "/v1/playback-sessions/renew", #"{"session":"\#(session)","resource":"TestChannel"}"#)
            #expect(try #require(renewed.object["sessionExpires"] as? Int64) <= until)
            bench.time.advance(by: .minutes(10))
            let pair = try #require(answer["Set-Cookie"]?.split(separator: ";").first)
            let passed = try await bench.service.authorize(["Cookie: \(pair)"], uri: "/live/TestChannel/1.ts")
            #expect(passed.status == 401)
            let over = try await bench.play(token: token)
            #expect([401, 403].contains(over.status), "\(over.text)")
            #expect(over.object["session"] == nil)
        }
    }

    @Test func `Without the end of the access nothing is played`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await Self.device(bench)
            bench.activate(.network(.dropRequest), at: .profile)
            let answer = try await bench.play(token: token)
            #expect(answer.status == 503)
            #expect(answer.object["action"] as? String == "retry")
            #expect(answer.object["session"] == nil)
            try bench.simulator.deactivate(scenario: "test")
            #expect(try await bench.play("Other", token: token).object["temporary"] != nil)
        }
    }

    @Test func `Resources are counted down, and one too many is refused with what to do`() async throws {
        try await GatewayBench.spread(["broker.apps.tv.promotionalProviders": "PromoPass"]) { bench in
            let token = try await Self.device(bench, #"{"mvpd":"PromoPass","identity":"user@example.com"}"#)
            // Once the last one is begun, the broker tells no number anymore.
            for (number, left) in [("1", 2), ("2", 1), ("3", nil as Int?)] {
                let answer = try await bench.play("Film\(number)", token: token)
                #expect(answer.code == "playing", "\(answer.text)")
                let terms = answer.object["temporary"] as? [String: Any]
                #expect(terms?["remainingResources"] as? Int == left, "\(answer.text)")
            }
            let fourth = try await bench.play("Film4", token: token)
            #expect(fourth.status == 403)
            #expect(fourth.code == "temporary_access_resources_limit_exceeded")
            #expect(fourth.object["action"] as? String == "choose_provider")
        }
    }
}
#endif
