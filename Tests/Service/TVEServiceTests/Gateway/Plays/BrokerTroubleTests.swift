#if Service
import ServiceResponses
import BrokerSimulation
import EntitlementValues
import Foundation
import RecordChecks
import Testing
import TestVectors

/// The broker throttles, is slow, or is away: apps are told what to do, and the service stays up.
@Suite("A broker in trouble")
struct BrokerTroubleTests {
    @Test(arguments: [
        (Scenario.throttled(retryAfter: 20), 429, "throttled", "20"), (.status(503), 503, "broker_unreachable", "10"),
        (.status(401), 502, "broker_unreadable", "10"),
        (.network(.dropRequest), 503, "broker_unreachable", "10"),
        (.network(.delay(.seconds(60))), 504, "broker_timeout", "5"),
        (.malformed(.truncated), 502, "broker_unreadable", "10"),
        (.error(.internalServerError), 502, "internal_server_error", "10"),
    ])
    func `An app is told to try again, and when`(
        scenario: Scenario, status: Int, code: String, retryAfter: String
    ) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let first = try await bench.play(token: token)
            let cookie = try #require(first["Set-Cookie"]?.split(separator: ";").first)
            bench.activate(scenario, at: .authorize)
            let answer = try await bench.play("Other", token: token)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.code == code, "\(answer.text)")
            #expect(answer.object["action"] as? String == "retry")
            #expect(answer["Retry-After"] == retryAfter)
            // Those who watch go on, and this instance stays in use.
            let passed = try await bench.service.authorize(["Cookie: \(cookie)"], uri: "/live/TestChannel/1.ts")
            #expect(passed.status == 200)
            #expect(try await bench.service.askInternal(request("GET", "/readyz")).status == 200)
            try bench.simulator.deactivate(scenario: "test")
            try await bench.service.until { _ in try await bench.play("Third", token: token).code == "playing" }
        }
    }

    @Test func `A broker that is away is shown, and does not make the instance unready`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            #expect(try await bench.brokerState() == "up")
            bench.activate(.network(.dropRequest), at: .authorize)
            _ = try await bench.play(token: token)
            let ready = try await bench.service.askInternal(request("GET", "/readyz"))
            #expect(ready.status == 200)
            #expect(ready.object["ready"] as? Bool == true)
            let broker = try #require(ready.object["broker"] as? [String: Any])
            #expect(broker["state"] as? String == "failing")
            #expect(broker["failure"] as? String == "no_connection")
            let page = try await bench.service.askInternal(request("GET", "/")).text
            #expect(page.contains("<p id=\"broker\" class=\"bad\">the broker does not answer since "))
            try bench.simulator.deactivate(scenario: "test")
            _ = try await bench.play(token: token)
            #expect(try await bench.brokerState() == "up")
        }
    }

    @Test func `Without a gateway nothing is said about a broker`() async throws {
        try await RunningService.with { service in
            #expect(try await service.askInternal(request("GET", "/readyz")).object["broker"] == nil)
            let page = try await service.askInternal(request("GET", "/")).text
            #expect(!page.contains("Broker"))
        }
    }

    @Test func `A broker that is slow holds up neither segments nor other answers`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let cookie = try #require(try await bench.play(token: token)["Set-Cookie"]?.split(separator: ";").first)
            bench.activate(.network(.delay(.seconds(3))), at: .authorize)
            let slow = request(
                "POST", "/v1/plays",
                fields: [
                    "Authorization: Bearer \(token)", "Content-Type: application/json", "X-Test-Address: 10.0.0.1",
                ],
                body: Array(#"{"resource":"Slow"}"#.utf8))
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Their clients go before an answer comes.
                bench.time.holdWaits()
                for _ in 0..<20 {
                    group.addTask { _ = try? await RawConnection.exchange(bench.service.publicPort, slow) }
                }
                try await eventually { bench.brokerCalls.count { $0 == .authorize } > 1 }
                for _ in 0..<50 {
                    let passed = try await bench.service.authorize(
                        ["Cookie: \(cookie)"], uri: "/live/TestChannel/1.ts")
                    #expect(passed.status == 200)
                }
                group.cancelAll()
                bench.time.releaseWaits()
            }
        }
    }

    @Test func `The store of devices is away: nothing is played, the broker is not asked, and it recovers by itself`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            bench.store.setAway(true)
            let answer = try await bench.play(token: token)
            #expect(answer.status == 503)
            #expect(answer.object["action"] as? String == "retry")
            #expect(answer["Retry-After"] != nil)
            #expect(answer.object["session"] == nil)
            #expect(bench.brokerCalls.isEmpty)
            bench.store.setAway(false)
            #expect(try await bench.play(token: token).code == "playing")
        }
    }

    @Test func `Why the store does not answer is in the log, and not in the answer`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            // The gateway's own record is read first, then that of the broker's client.
            bench.store.actOnce(.afterRead) { bench.store.setAway() }
            let answer = try await bench.play(token: token)
            #expect(answer.status == 503 && answer.code == "record_store_unavailable", "\(answer.text)")
            #expect(!answer.text.contains("switched"), "\(answer.text)")
            #expect(
                bench.service.log.events("a store fails").first?.values["cause"]?.contains("switched") == true)
            bench.store.setAway(false)
        }
    }

    @Test(arguments: [TimeToLive.hours(48), .hours(-48)])
    func `A clock that was set ends no sign-in for good`(step: TimeToLive) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            #expect(try await bench.play(token: token).code == "playing")
            // The clock of this machine alone: the broker's goes on as it was.
            bench.simulator.setClockOffset(TimeToLive(milliseconds: -step.milliseconds))
            bench.time.advance(by: step)
            let answer = try await bench.play(token: token)
            #expect(answer.status == 502)
            #expect(answer.object["action"] as? String == "retry")
            #expect(["token_expired", "token_not_yet_valid"].contains(answer.code ?? ""), "\(answer.text)")
            bench.time.advance(by: TimeToLive(milliseconds: -step.milliseconds))
            bench.simulator.setClockOffset(.zero)
            // The broker's tokens of one second are the same.
            bench.time.advance(by: .seconds(1))
            #expect(try await bench.play(token: token).code == "playing")
        }
    }
}

extension GatewayBench {
    fileprivate func brokerState() async throws -> String? {
        let ready = try await service.askInternal(request("GET", "/readyz"))
        return (ready.object["broker"] as? [String: Any])?["state"] as? String
    }
}
#endif
