#if Service
import ServiceResponses
import BrokerSimulation
import EntitlementValues
import Foundation
import PlaybackSessions
import RecordChecks
import TVEService
import Testing

@Suite("Plays")
struct PlayTests {
    /// The name of the session cookie for TestChannel: with the start of the SHA-256 of the resource.
    private static let cookie = "__Host-tve_session-"

    @Test func `A play is one request to the broker, and its session is good for every segment`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.play(token: token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.code == "playing")
            #expect(answer.object["mvpd"] as? String == "SampleCable")
            #expect(answer.object["degraded"] == nil && answer.object["temporary"] == nil)
            #expect(answer["Cache-Control"] == "no-store")
            #expect(bench.brokerCalls == [.authorize])
            let set = try #require(answer["Set-Cookie"])
            #expect(set.hasPrefix(Self.cookie) && set.hasSuffix("; Secure; HttpOnly; SameSite=Lax"))
            let pair = try #require(set.split(separator: ";").first)
            #expect(pair.hasSuffix("=\(try #require(answer.object["session"] as? String))"))
            for segment in 0..<10 {
                let passed = try await bench.service.authorize(
                    ["Cookie: \(pair)"], uri: "/live/TestChannel/\(segment).ts")
                #expect(passed.status == 200)
                #expect(passed["X-TVE-MVPD"] == "SampleCable")
            }
            #expect(bench.brokerCalls == [.authorize])
            #expect(!bench.service.log.text.contains(pair.dropFirst(60)))
        }
    }

    @Test(arguments: [(#","cookie":true"#, false, true), (#","cookie":false"#, true, false), ("", true, true)])
    func `The session comes as a cookie, as text, or as both`(
        more: String, isShown: Bool, isSet: Bool
    ) async throws {
        try await GatewayBench.spread { bench in
            let answer = try await bench.play("TestChannel", more, token: try await bench.signedIn())
            #expect((answer.object["session"] != nil) == isShown)
            #expect((answer["Set-Cookie"] != nil) == isSet)
            #expect(answer.object["sessionId"] is String)
            let (expires, ceiling) = (answer.object["sessionExpires"], answer.object["sessionCeiling"])
            #expect(try #require(expires as? Int64) <= (try #require(ceiling as? Int64)))
        }
    }

    @Test func `A play comes with the grants that edges check`() async throws {
        let folder = try Folder()
        let digits = String(repeating: "7", count: 64)
        let secret = try folder.write(digits + "\n", to: "edge.hex")
        try await GatewayBench.with(["sessions.edgeTokenSecretFiles": secret]) { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.play("TestChannel", #","cookie":false"#, token: token)
            let edge = try #require((answer.object["edges"] as? [[String: Any]])?.first)
            #expect(edge["form"] as? String == "edge-token" && edge["path"] as? String == "/live/TestChannel/")
            let query = try #require(edge["query"] as? String)
            let tokens = try EdgeTokens(secrets: EdgeSecrets([EdgeSecret(Array(digits.utf8), named: "edge")]))
            let verified = try tokens.verify(EdgeRequest(target: "/live/TestChannel/1.ts?\(query)"))
            #expect(verified.grant.path.text == "/live/TestChannel/")
            #expect(throws: PlaybackSessionError.self) {
                try tokens.verify(EdgeRequest(target: "/live/Other/1.ts?\(query)"))
            }
            let denied = try await bench.play("sim:deny", token: token)
            #expect(denied.status == 403 && denied.object["edges"] == nil)
            #expect(!bench.service.log.text.contains(query.suffix(40)))
        }
    }

    /// With characters that need an escape, a resource fills a session alone.
    @Test(arguments: [("r", 500), ("\\\"", 3_500)])
    func `A play whose session or token would be too long does not ask the broker`(
        character: String, count: Int
    ) async throws {
        let folder = try Folder()
        let settings = [
            "authz.resources": "/live/{resource}/* {resource}",
            "sessions.catKeyFiles": try folder.write(String(repeating: "8", count: 64), to: "cat.key"),
            "sessions.catHost": String(repeating: "a.", count: 126) + "a",
        ]
        try await GatewayBench.with(settings) { bench in
            let token = try await bench.signedIn()
            let refused = try await bench.play(String(repeating: character, count: count), token: token)
            #expect(refused.status == 503 && refused.code == "unsuitable_session", "\(refused.text)")
            #expect(refused.object["action"] as? String == "none" && refused["Retry-After"] == nil)
            #expect(refused.text.contains(count > 1000 ? "8192 bytes" : "1024 bytes"), "\(refused.text)")
            #expect(bench.brokerCalls == [])
            #expect(try await bench.play("short", token: token).status == 200)
        }
    }

    @Test(arguments: [
        ("sim:deny", 403, "authorization_denied_by_mvpd", "show_message"),
        ("sim:deny-parental", 403, "authorization_denied_by_parental_controls", "show_message"),
        ("sim:deny-hba", 403, "authorization_denied_by_hba_policies", "show_message"),
        ("sim:degraded-none", 403, "authorization_denied_by_degradation_rule", "show_message"),
        ("sim:timeout", 503, "network_connection_timeout", "retry"),
        ("sim:too-many", 400, "too_many_resources", "none"),
    ])
    func `A denial has the broker's code and says what to do`(
        resource: String, status: Int, code: String, action: String
    ) async throws {
        try await GatewayBench.spread { bench in
            let answer = try await bench.play(resource, token: try await bench.signedIn())
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(answer.object["action"] as? String == action)
            #expect((answer["Retry-After"] != nil) == (action == "retry"))
            #expect(answer.object["session"] == nil && answer["Set-Cookie"] == nil)
        }
    }

    @Test func `The provider's own text comes without markup, its links apart`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [
            SimulatedRule(
                "premium", resources: "premium*",
                effect: .deny(
                    .authorizationDeniedByMVPD,
                    details: #"<b>Upgrade</b> at <a href="https://cable.example/up">us</a>"#))
        ]
        try await GatewayBench.spread(world: world) { bench in
            let answer = try await bench.play("premium-1", token: try await bench.signedIn())
            #expect(answer.status == 403)
            #expect(answer.object["message"] as? String == "Upgrade at us")
            #expect(answer.object["links"] as? [String] == ["https://cable.example/up"])
            #expect(!answer.text.contains("<"))
            #expect(!bench.service.log.text.contains("Upgrade"))
        }
    }

    @Test func `A rule that lets everyone in is told as degraded`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("all", effect: .permitAll)]
        try await GatewayBench.spread(world: world) { bench in
            let answer = try await bench.play(token: try await bench.signedIn())
            #expect(answer.code == "playing", "\(answer.text)")
            #expect(answer.object["degraded"] as? Bool == true)
        }
    }

    @Test func `A device that never signed in is told so, and costs the broker nothing`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let stored = bench.store.writes
            for answer in [
                try await bench.play(token: token), try await bench.ask("GET", "/v1/profile", token: token),
                try await bench.ask("POST", "/v1/preauthorizations", #"{"resources":["a"]}"#, token: token),
            ] {
                #expect(answer.status == 401)
                #expect(answer.code == "not_authenticated")
                #expect(answer.object["action"] as? String == "sign_in")
            }
            #expect(bench.brokerCalls.isEmpty)
            #expect(bench.store.writes == stored)
        }
    }

    @Test func `A user whom the broker does not know anymore is to sign in, and is not asked for again`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            bench.simulator.expire(.profiles)
            let first = try await bench.play(token: token)
            #expect(first.status == 401)
            #expect(first.object["action"] as? String == "sign_in")
            #expect(bench.brokerCalls == [.authorize])
            #expect(try await bench.play(token: token).code == "not_authenticated")
            #expect(bench.brokerCalls == [.authorize])
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"resource":""}"#, #"{"resource":7}"#, #"{"resource":"a","x":1}"#,
        #"{"resource":"a","cookie":"yes"}"#,
        "[]", "{", #"{"resource":"a\u0000"}"#, "",
    ])
    func `What is not a question is refused before the broker is asked`(body: String) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.ask("POST", "/v1/plays", body, token: token)
            #expect(answer.status == 400)
            #expect(answer.code == "bad_request")
            #expect(answer.object["action"] as? String == "none")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `Only known methods are taken, and only with a token`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            for (method, target) in [("GET", "/v1/plays"), ("POST", "/v1/profile"), ("GET", "/v1/preauthorizations")] {
                let answer = try await bench.ask(method, target, token: token)
                #expect(answer.status == 405)
                #expect(answer.object["action"] as? String == "none")
            }
            #expect(try await bench.ask("POST", "/v1/plays", #"{"resource":"a"}"#).status == 401)
            #expect(try await bench.play(token: String(token.dropLast(3))).status == 401)
        }
    }

    @Test func `A play that no session can follow does not ask the broker`() async throws {
        try await GatewayBench.spread(["sessions.keyFiles": ""]) { bench in
            let token = try await bench.signedIn()
            let answer = try await bench.play(token: token)
            #expect(answer.status == 404)
            #expect(answer.code == "not_enabled")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `A play for which no session key is left may be asked for again`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            // A reload is refused, but what was taken away is gone.
            try FileManager.default.removeItem(atPath: bench.folder.path("session.key"))
            await bench.service.service.reload()
            let answer = try await bench.play(token: token)
            #expect(answer.status == 503 && answer.code == "no_keys", "\(answer.text)")
            #expect(answer.object["action"] as? String == "retry" && answer["Retry-After"] == "10")
            #expect(bench.brokerCalls.isEmpty)
            try bench.folder.write(String(repeating: "b-5ec2e7", count: 8), to: "session.key")
            await bench.service.service.reload()
            #expect(try await bench.play(token: token).code == "playing")
        }
    }

    @Test func `A subscriber with too many streams is told so`() async throws {
        try await GatewayBench.spread(["sessions.store": "memory:", "sessions.streams": "1"]) { bench in
            let token = try await bench.signedIn()
            #expect(try await bench.play(token: token).code == "playing")
            let second = try await bench.play("OtherChannel", token: token)
            #expect(second.status == 409)
            #expect(second.code == "too_many_streams")
            #expect(second.object["action"] as? String == "show_message")
        }
    }
}
#endif
