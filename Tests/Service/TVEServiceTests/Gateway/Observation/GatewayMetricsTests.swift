#if Service
import HTTPTypes
import BrokerSimulation
import EntitlementValues
import TVEService
import Testing

@Suite("Metrics of the gateway")
struct GatewayMetricsTests {
    @Test func `Answers are counted by endpoint, outcome and code, and questions by provider`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            _ = try await bench.play(token: token)
            _ = try await bench.play("sim:deny", token: token)
            _ = try await bench.ask("GET", "/v1/profile", token: token)
            let text = try await bench.service.metrics()
            for line in [
                #"tve_gateway_answers_total{code="ok",endpoint="plays",outcome="success"} 1"#,
                #"tve_gateway_answers_total{code="authorization_denied_by_mvpd",endpoint="plays",outcome="show_message"} 1"#,
                #"tve_gateway_providers_total{endpoint="plays",outcome="permitted",provider="SampleCable"} 1"#,
                #"tve_gateway_providers_total{endpoint="plays",outcome="denied",provider="SampleCable"} 1"#,
                #"tve_requests_total{endpoint="plays",status="200"} 1"#,
                #"tve_requests_total{endpoint="plays",status="403"} 1"#,
                #"tve_verdicts_total{code="valid",credential="token"} 1"#,
                #"tve_broker_calls_total{endpoint="authorize",outcome="success"} 2"#,
                "tve_sessions_started_total 1",
            ] { #expect(text.contains(line), "\(line)") }
        }
    }

    @Test func `What is not known counts as other`() {
        let registry = MetricsRegistry()
        let metrics = GatewayMetrics(registry)
        metrics.count(.plays, RequestError(.badRequest, "made_up_by_somebody", detail: "x"))
        metrics.count(.permitted, at: .plays, of: "Unheard")
        metrics.learn(["Known"])
        metrics.count(.permitted, at: .plays, of: "Known")
        metrics.count(.failed, at: .plays, of: nil)
        let text = registry.text()
        #expect(!text.contains("made_up") && !text.contains("Unheard"))
        #expect(text.contains(#"{code="other",endpoint="plays",outcome="refused"} 1"#))
        #expect(text.contains(#"provider="other"} 1"#))
        #expect(text.contains(#"provider="Known"} 1"#))
        #expect(text.contains(#"provider="none"} 1"#))
    }

    @Test func `However many providers come, the labels end`() {
        let registry = MetricsRegistry()
        let metrics = GatewayMetrics(registry)
        let all = (0..<500).map { MVPDID("Provider\($0)") }
        metrics.learn(all)
        for mvpd in all { metrics.count(.permitted, at: .plays, of: mvpd) }
        let series = registry.text().split(separator: "\n").filter { $0.hasPrefix("tve_gateway_providers_total{") }
        #expect(series.count == GatewayMetrics.maximumProviders + 1)
    }

    @Test(arguments: [
        (200, BrokerHealth.State.up), (404, .up), (401, .up), (429, .throttling), (500, .failing), (503, .failing),
    ])
    func `The broker's health follows its answers`(status: Int, state: BrokerHealth.State) {
        let health = BrokerHealth()
        #expect(health.current.state == .unknown)
        let start = Timestamp(milliseconds: 1_780_000_000_000)
        health.note(status: status, at: start)
        #expect(health.current.state == state)
        #expect(health.current.since == start)
        health.note(failure: "timeout", at: start + .seconds(1))
        #expect(health.current.state == .failing)
        #expect(health.current.failure == "timeout")
        #expect(health.current.since == (state == .failing ? start : start + .seconds(1)))
        health.note(status: 200, at: start + .seconds(2))
        #expect(health.current.state == .up)
        #expect(health.current.failure == nil)
    }
}
#endif
