#if Service
import Foundation
import TestVectors
import Testing

/// The files for operators name metrics; a renamed one would leave a graph empty, and an alert silent.
@Suite("Examples for monitoring")
struct MonitoringExampleTests {
    private static let folder = Vectors.repository.appending(path: "Examples/service/monitoring")

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// The names of metrics in a text, without the ends that histograms have.
    private static func metrics(in text: String) -> Set<String> {
        let names = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { $0.hasPrefix("tve_") }
        return Set(
            names.map { name in
                for end in ["_bucket", "_count", "_sum"] where name.hasSuffix(end) {
                    return String(name.dropLast(end.count))
                }
                return String(name)
            })
    }

    @Test(arguments: ["recording.yml", "alerts.yml", "rules_test.yml", "dashboard.json"])
    func `Each metric of a file is one of the service`(file: String) async throws {
        let named = Self.metrics(in: try Self.text(file))
        #expect(named.count >= 3)
        try await GatewayBench.spread(["sessions.store": "memory:"]) { bench in
            _ = try await bench.play(token: try await bench.signedIn())
            let known = Self.metrics(in: try await bench.service.metrics())
            #expect(named.subtracting(known) == [])
        }
    }

    @Test func `The dashboard is JSON, and each panel asks something`() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.text("dashboard.json").utf8)) as? [String: Any])
        let panels = try #require(object["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        for panel in panels where panel["type"] as? String != "row" {
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty)
            #expect(targets.allSatisfy { ($0["expr"] as? String)?.contains("{job=~\"$job\"") == true })
        }
    }
}
#endif
