#if Service
import BrokerSimulation
import EntitlementValues
import Foundation
import Testing
import TestVectors

@Suite("Events of devices")
struct EventTests {
    /// What no event may hold.
    private static func secrets(of answer: Answer, _ token: String) -> [String] {
        [token, answer.object["session"] as? String ?? "", "77754", "sample-household"].filter { !$0.isEmpty }
    }

    @Test func `An answer has them if the app asks for them`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.play(token: token, target: "/v1/plays?events=1")
            #expect(answer.code == "playing")
            let events = try #require(answer.object["events"] as? [[String: Any]])
            #expect(events.map { $0["event"] as? String } == ["authentication_status", "permitted", "tracking"])
            #expect(events[1]["resource"] as? String == "TestChannel")
            let array = try #require(events[2]["array"] as? [Any])
            #expect(array.prefix(2).map { $0 as? String } == ["true", "SampleCable"])
            #expect(array.count == 9)
            let text = try #require(answer.text.split(separator: "\"events\":").last)
            for secret in Self.secrets(of: answer, token) { #expect(!text.contains(secret)) }
            #expect(try await bench.play("B", token: token).object["events"] == nil)
            #expect(try await bench.play("C", token: token, target: "/v1/plays?events=0").object["events"] == nil)
        }
    }

    @Test func `So has an answer that refuses`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let denied = try await bench.play("sim:deny", token: token, target: "/v1/plays?events=1")
            #expect(denied.status == 403)
            let events = try #require(denied.object["events"] as? [[String: Any]])
            #expect(
                events.map { $0["event"] as? String } == [
                    "authentication_status", "token_request_failed", "status", "tracking",
                ])
            #expect(events[1]["code"] as? String == "authorization_denied_by_mvpd")
            #expect(events[2]["status"] as? String == "Z100")
            let none = try await bench.ask("GET", "/v1/profile?events=1", token: "x")
            #expect(none.status == 401)
            #expect((none.object["events"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `They tell of a cancel if the user has cancelled, and not if something else ended a sign-in`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            func events(_ method: String, _ path: String, _ body: String? = nil) async throws -> [String] {
                let answer = try await bench.ask(method, "\(path)?events=1", body, token: token)
                let events = try #require(answer.object["events"] as? [[String: Any]], "\(answer.text)")
                return events.compactMap { $0["status"] as? String ?? $0["event"] as? String }
            }
            _ = try await bench.begin(token)
            let other = #"{"mvpd":"SampleFiber","returnTo":"\#(GatewayBench.returnTo)","secondScreen":false}"#
            #expect(try await events("POST", "/v1/authentication", other) == ["tracking", "open_user_agent"])
            #expect(try await events("POST", "/v1/logout", "{}") == ["authentication_status"])
            _ = try await bench.begin(token)
            #expect(try await events("DELETE", "/v1/authentication") == ["authentication_status", "N005"])
        }
    }

    @Test func `They are appended to a file, with a name of the device and its visitor`() async throws {
        let folder = try Folder()
        let path = folder.path("events.ndjson")
        try await GatewayBench.spread(["broker.events.to": path]) { bench in
            let token = try await bench.signedIn()
            let other = try await bench.signedIn(app: "web")
            let answer = try await bench.play(token: token)
            _ = try await bench.play("sim:deny", token: other)
            try await eventually {
                (try? String(contentsOfFile: path, encoding: .utf8))?.contains("Z100") == true
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = try text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            #expect(Set(lines.compactMap { $0["id"] as? String }).count == lines.count)
            #expect(Set(lines.compactMap { $0["app"] as? String }) == ["tv", "web"])
            #expect(lines.allSatisfy { $0["visitor"] as? String == "visitor-7" })
            let devices = Dictionary(grouping: lines) { $0["device"] as? String ?? "" }
            #expect(devices.count == 2)
            #expect(devices.keys.allSatisfy { $0.count == 32 })
            for secret in Self.secrets(of: answer, token) + [other] { #expect(!text.contains(secret)) }
            #expect(
                try await bench.service.metrics().contains("tve_gateway_events_total{fate=\"sent\"} \(lines.count)"))
        }
        let status = try FileManager.default.attributesOfItem(atPath: path)
        #expect(status[.posixPermissions] as? Int == 0o600)
    }

    @Test func `The events of the last answers are written before the end`() async throws {
        let folder = try Folder()
        let path = folder.path("events.ndjson")
        try await limited {
            try await GatewayBench.spread(["broker.events.to": path]) { bench in
                _ = try await bench.play("sim:deny", token: try await bench.signedIn())
                // The limit of the end is for receivers that are away.
                bench.time.holdWaits()
            }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Z100"))
    }

    @Test func `A file that cannot be written holds no answer up`() async throws {
        let folder = try Folder()
        try await GatewayBench.spread(["broker.events.to": folder.path("missing/events.ndjson")]) { bench in
            let token = try await bench.signedIn()
            #expect(try await bench.play(token: token).code == "playing")
            try await bench.service.until { $0.log.text.contains("events are not taken") }
            try FileManager.default.createDirectory(
                atPath: folder.path("missing"), withIntermediateDirectories: true)
            try await eventually {
                (try? String(contentsOfFile: folder.path("missing/events.ndjson"), encoding: .utf8))?
                    .contains("permitted") == true
            }
        }
    }
}
#endif
