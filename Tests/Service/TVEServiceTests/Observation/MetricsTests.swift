#if Service
import EntitlementValues
import Foundation
import HostSystem
import TVEService
import TVETesting
import TestVectors
import Testing

/// What `/metrics` shows beside the counts of requests.
@Suite struct MetricsTests {
    @Test func `Every family is described`() async throws {
        try await GatewayBench.spread(["sessions.store": "memory:"]) { bench in
            _ = try await bench.play(token: try await bench.signedIn())
            let lines = try await bench.service.metrics().split(separator: "\n")
            var described: Substring?
            var families: [Substring] = []
            for line in lines where line.hasPrefix("# ") {
                let words = line.split(separator: " ", maxSplits: 3)
                if words[1] == "HELP" {
                    described = words[2]
                    #expect(words.count == 4 && words[3].hasSuffix("."), "\(line)")
                } else {
                    #expect(described == words[2], "\(words[2]) has no description")
                    families.append(words[2])
                }
            }
            #expect(families.count > 30 && Set(families).count == families.count)
            // Every description is of a family that there is.
            #expect(Set(MetricDescriptions.texts.keys).subtracting(families.map(String.init)) == [])
        }
    }

    @Test func `Process, build and connections are shown`() async throws {
        try await RunningService.with(["limits.connections": "50"]) { service in
            let metrics = try await service.metrics()
            let value = { (name: String) in Self.value(of: name, in: metrics) }
            #expect(metrics.contains("tve_build_info{openssl=\"OpenSSL "))
            #expect(metrics.contains("version=\"\(releaseVersion)\"} 1"))
            #expect(try #require(value("process_cpu_seconds_total")) > 0)
            #expect(try #require(value("process_resident_memory_bytes")) > 1e6)
            #expect(try #require(value("process_open_fds")) > 3)
            #expect(try #require(value("process_max_fds")) > 3)
            // The one that asks.
            #expect(value(#"tve_connections{listener="internal"}"#) == 1)
            #expect(value(#"tve_connections{listener="public"}"#) == 0)
            #expect(value(#"tve_connections_limit{listener="public"}"#) == 50)
        }
    }

    private static func value(of name: String, in metrics: String) -> Double? {
        metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test func `The start of the process is shown`() async throws {
        // Whoever sets the clock meanwhile spoils the readings, so another process is asked.
        try await eventually("a start between two readings of the clock") {
            let before = Date().timeIntervalSince1970
            let process = try await ServeProcess([:])
            let after = Date().timeIntervalSince1970
            let metrics = try await RunningService.ask(process.internalPort, request("GET", "/metrics")).text
            let start = try #require(Self.value(of: "process_start_time_seconds", in: metrics))
            // The system counts it from its own start, which it tells in whole seconds.
            return before - 2 <= start && start <= after + 2
        }
    }

    @Test func `The last reload is shown`() async throws {
        let folder = try Folder()
        let key = try String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
        let file = try folder.write(key, to: "issuer.pem")
        let time = ManualTime(at: Timestamp(milliseconds: 1_768_498_200_000))
        try await RunningService.with(["keys.paths": file], time: time.source) { service in
            #expect(!(try await service.metrics().contains("\ntve_reload_success ")))
            await service.service.reload()
            #expect(try await service.metrics().contains("\ntve_reload_success 1\n"))
            #expect(try await service.metrics().contains("\ntve_reload_timestamp_seconds 1768498200.0\n"))
            _ = try folder.write("no key", to: "issuer.pem")
            time.advance(by: .seconds(5))
            await service.service.reload()
            #expect(try await service.metrics().contains("\ntve_reload_success 0\n"))
            #expect(try await service.metrics().contains("\ntve_reload_timestamp_seconds 1768498205.0\n"))
        }
    }

    @Test func `The ends of certificates are shown`() async throws {
        let keys = ["test-only-issuer-2048.cert-expired.pem", "test-only-other-2048.spki.pem"].map(Vectors.key)
        try await RunningService.with(["keys.paths": keys.joined(separator: ",")]) { service in
            let lines = try await service.metrics().split(separator: "\n")
                .filter { $0.hasPrefix("tve_key_expires_timestamp_seconds{") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(#"key="test-only-issuer-2048.cert-expired.pem""#) == true)
            let end = try #require(lines.first?.split(separator: " ").last.flatMap { Double($0) })
            #expect(1e9 < end && end < Date().timeIntervalSince1970)
        }
    }

    /// The time limits of the store are 250 ms, and 2 s to connect: a bucket ends just above each.
    @Test func `Buckets tell what reached a limit`() {
        let metrics = ServiceMetrics(mirroringTo: nil)
        for milliseconds in [252, 400, 2001, 2400] {
            metrics.countRedemption(taking: .milliseconds(milliseconds), failed: false)
        }
        let lines = metrics.registry.text().split(separator: "\n")
        for (limit, count) in [("0.25", 0), ("0.3", 1), ("0.5", 2), ("1", 2), ("2", 2), ("2.5", 4), ("5", 4)] {
            let line = "tve_store_claim_duration_seconds_bucket{le=\"\(limit)\"} \(count)"
            #expect(lines.contains { $0 == line }, "\(limit)")
        }
    }

    @Test func `Only what is served has series before its first request`() async throws {
        try await RunningService.with { service in
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_requests_total{endpoint="authz",status="200"} 0"#))
            for endpoint in ["plays", "devices", "sessions", "decrypt"] {
                #expect(!metrics.contains("endpoint=\"\(endpoint)\""), "\(endpoint)")
            }
            // What is asked for all the same is counted.
            _ = try await service.post("/v1/playback-sessions", "{}")
            try await service.until {
                try await $0.metrics().contains(#"tve_request_duration_seconds_count{endpoint="sessions"} 1"#)
            }
        }
        let folder = try Folder()
        let key = try folder.write(String(repeating: "s", count: 40), to: "session.key")
        try await RunningService.with(["sessions.keyFiles": key]) { service in
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_requests_total{endpoint="sessions",status="200"} 0"#))
        }
    }

    @Test func `Descriptions are on a line of their own`() {
        let registry = MetricsRegistry()
        registry.describe("a.b", as: "One\nline with a \\ and \"quotes\".")
        _ = registry.makeCounter(label: "a.b", dimensions: [])
        #expect(registry.text() == "# HELP a_b One\\nline with a \\\\ and \"quotes\".\n# TYPE a_b counter\na_b 0\n")
    }
}
#endif
