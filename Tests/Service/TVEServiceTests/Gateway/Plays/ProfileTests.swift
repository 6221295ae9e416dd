#if Service
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import Foundation
import TestVectors
import Testing

@Suite("The profile that an app may see")
struct GatewayProfileTests {
    @Test func `It has the provider, the end, and the attributes that the settings let through`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.ask("GET", "/v1/profile", token: token)
            #expect(answer.status == 200)
            #expect(answer.code == "profile")
            #expect(answer.object["mvpd"] as? String == "SampleCable")
            #expect(try #require(answer.object["until"] as? Int64) > bench.time.now.milliseconds)
            let attributes = try #require(answer.object["attributes"] as? [String: Any])
            #expect(Set(attributes.keys) == ["zip", "userID"])
            #expect(attributes["zip"] as? [String] == ["77754"])
            #expect(attributes["userID"] is String)
            #expect(answer.object["unreadable"] == nil)
            #expect(bench.brokerCalls.isEmpty)
            #expect(!bench.service.log.text.contains("77754"))
        }
    }

    @Test func `Without the setting no attribute is let through`() async throws {
        try await GatewayBench.spread(["broker.apps.tv.attributes": ""]) { bench in
            let answer = try await bench.ask("GET", "/v1/profile", token: try await bench.signedIn())
            #expect((answer.object["attributes"] as? [String: Any])?.isEmpty == true)
            #expect(!answer.text.contains("77754"))
        }
    }

    @Test(arguments: [true, false])
    func `Encrypted attributes are decrypted if there is a key, and named if there is none`(hasKey: Bool) async throws {
        var world = SimulatedWorld.sample
        world.requestors[0].metadataCertificate = try String(
            contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
        let key = hasKey ? ["decryption.paths": Vectors.key("test-only-issuer-2048.pkcs8.pem")] : [:]
        try await GatewayBench.spread(key, world: world) { bench in
            let answer = try await bench.ask("GET", "/v1/profile", token: try await bench.signedIn("encrypted"))
            let attributes = try #require(answer.object["attributes"] as? [String: Any])
            #expect((attributes["zip"] as? [String] == ["77754"]) == hasKey, "\(answer.text)")
            #expect((answer.object["unreadable"] as? [String] == ["zip"]) == !hasKey)
        }
    }

    @Test func `Asked anew, the broker's word counts`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            #expect(try await bench.ask("GET", "/v1/profile?refresh=1", token: token).status == 200)
            #expect(bench.brokerCalls == [.profile])
            bench.simulator.expire(.profiles)
            #expect(try await bench.ask("GET", "/v1/profile", token: token).status == 200)
            let gone = try await bench.ask("GET", "/v1/profile?refresh=1", token: token)
            #expect(gone.status == 401)
            #expect(gone.object["action"] as? String == "sign_in")
            #expect(try await bench.ask("GET", "/v1/profile?refresh=yes", token: token).status == 400)
        }
    }
}

@Suite("Marks in a list")
struct GatewayPreauthorizationTests {
    @Test func `Permits and denials come apart, in the order of the question`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let question = #"{"resources":["b","sim:deny","sim:not-gated","a","sim:deny-parental"]}"#
            let answer = try await bench.ask("POST", "/v1/preauthorizations", question, token: token)
            #expect(answer.status == 200)
            #expect(answer.code == "preauthorized")
            #expect(answer.object["permitted"] as? [String] == ["b", "a"])
            #expect(answer.object["notMentioned"] as? [String] == ["sim:not-gated"])
            let denied = try #require(answer.object["denied"] as? [[String: Any]])
            #expect(denied.map { $0["resource"] as? String } == ["sim:deny", "sim:deny-parental"])
            #expect(
                denied.map { $0["code"] as? String } == [
                    "preauthorization_denied_by_mvpd", "authorization_denied_by_parental_controls",
                ])
            #expect(bench.brokerCalls == [.preauthorize])
        }
    }

    @Test(arguments: [(1, 1), (5, 1), (6, 2), (25, 5)])
    func `25 resources are asked for in groups of five`(count: Int, calls: Int) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let resources = (0..<count).map { "\"r\($0)\"" }.joined(separator: ",")
            let answer = try await bench.ask(
                "POST", "/v1/preauthorizations", #"{"resources":[\#(resources)]}"#, token: token)
            #expect((answer.object["permitted"] as? [String])?.count == count, "\(answer.text)")
            #expect(bench.brokerCalls == Array(repeating: .preauthorize, count: calls))
        }
    }

    @Test(arguments: [("", 1), (#","cache":true"#, 1), (#","cache":false"#, 2)])
    func `Permits that are remembered count, unless the app says otherwise`(member: String, calls: Int) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            for member in ["", member] {
                let body = #"{"resources":["a"]\#(member)}"#
                let answer = try await bench.ask("POST", "/v1/preauthorizations", body, token: token)
                #expect(answer.object["permitted"] as? [String] == ["a"], "\(answer.text)")
            }
            #expect(bench.brokerCalls == Array(repeating: .preauthorize, count: calls))
        }
    }

    @Test(arguments: [
        #"{"resources":[]}"#, #"{"resources":"a"}"#, #"{"resources":["a"],"cache":"no"}"#, #"{"resources":[""]}"#,
        #"{"resources":[1]}"#, #"{}"#,
        #"{"resources":[\#((0..<26).map { "\"r\($0)\"" }.joined(separator: ","))]}"#,
    ])
    func `More than 25, none, and members of another type are refused`(body: String) async throws {
        try await GatewayBench.spread { bench in
            let answer = try await bench.ask(
                "POST", "/v1/preauthorizations", body, token: try await bench.signedIn())
            #expect(answer.status == 400)
            #expect(answer.code == "bad_request")
            #expect(bench.brokerCalls.isEmpty)
        }
    }
}
#endif
