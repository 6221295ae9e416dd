#if Service
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import RecordChecks
import SealedRecords
import ServiceResponses
import Synchronization
import TVEService
import Testing

/// An app that speaks to the broker by itself, with a registration of its own.
private struct OwnClient {
    static let identifier = "living-room-4711"

    let token: String
    let identifier: String

    /// Registers at the broker; with a user, who is signed in then.
    init(
        _ bench: GatewayBench,
        as user: String? = "ok",
        of requestor: RequestorID = "REF30",
        on identifier: String = identifier
    ) async throws {
        let time = bench.time.source
        let transport = RecordedTransport(SimulatedTransport(to: bench.simulator, time: time))
        let statement = try SoftwareStatement(bench.simulator.softwareStatement(of: requestor))
        let broker = Broker(
            at: .production, application: Broker.Application(statement),
            records: DeviceDirectory(in: InMemoryRecordStore(time: time), sealer: .unsealed, time: time),
            over: transport, time: time)
        let device = Device(
            key: "own", identifier: try DeviceIdentifier(identifier), info: try DeviceInfo(json: GatewayBench.info))
        let caller = try broker.caller(device, from: "198.51.100.7")
        let credentials = try await caller.register()
        if let user {
            try bench.simulator.grantProfile(
                of: "SampleCable", client: credentials.clientID, device: identifier, user: user)
        }
        _ = try await caller.profiles(requestor: requestor)
        token = String(try #require(transport.values(of: "Authorization").last).dropFirst("Bearer ".count))
        self.identifier = identifier
        bench.simulator.clearJournal()
    }

    /// The body of a play; `borrowed` and `more` are further members, which begin with a comma.
    func body(
        _ resource: String = "TestChannel",
        app: String = "tv",
        mvpd: String = "SampleCable",
        identifier: String? = nil,
        borrowed: String = "",
        more: String = ""
    ) -> String {
        #"{"app":"\#(app)","resource":"\#(resource)","borrowed":{"accessToken":"\#(token)","#
            + #""deviceIdentifier":"\#(identifier ?? self.identifier)","mvpd":"\#(mvpd)"\#(borrowed)}\#(more)}"#
    }
}

@Suite("Borrowed access tokens at the gateway")
struct BorrowedTokenTests {
    /// Runs a gateway at which the app `tv` may lend its token, and `web` may not.
    private static func lending(
        _ changes: [String: String] = [:],
        time: ShiftedTime = ShiftedTime(),
        _ body: @Sendable (GatewayBench) async throws -> Void
    ) async throws {
        let lending = ["broker.apps.tv.borrowedTokens": "true"]
        try await GatewayBench.spread(lending.merging(changes) { $1 }, time: time, body)
    }

    @Test(arguments: [
        OwnClient.identifier, "fingerprint \(Data(OwnClient.identifier.utf8).base64EncodedString())",
    ])
    func `A play is one call of the broker with the app's token, and nothing is kept`(identifier: String) async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            let stored = bench.store.writes
            let info = #","deviceInfo":\#(GatewayBench.info)"#
            let answer = try await bench.ask(
                "POST", "/v1/plays", client.body(identifier: identifier, borrowed: info))
            #expect(answer.status == 200 && answer.code == "playing", "\(answer.text)")
            #expect(answer.object["mvpd"] as? String == "SampleCable")
            #expect(bench.brokerCalls == [.authorize])
            #expect(bench.store.writes == stored)
            #expect(bench.sent.values(of: "Authorization") == ["Bearer \(client.token)"])
            let sent = try DeviceIdentifier(client.identifier).headerValue
            #expect(bench.sent.values(of: "AP-Device-Identifier") == [sent])
            #expect(bench.sent.values(of: "X-Forwarded-For").count == 1)
            let pair = try #require(answer["Set-Cookie"]?.split(separator: ";").first)
            let passed = try await bench.service.authorize(["Cookie: \(pair)"], uri: "/live/TestChannel/1.ts")
            #expect(passed.status == 200)
        }
    }

    @Test func `Its media token counts once, as that of other plays`() async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            bench.simulator.freezeClock()
            #expect(try await bench.ask("POST", "/v1/plays", client.body()).code == "playing")
            let again = try await bench.ask("POST", "/v1/plays", client.body())
            #expect(again.status == 409 && again.code == "token_replayed", "\(again.text)")
            bench.simulator.freezeClock(false)
            bench.simulator.advanceClock(by: .seconds(1))
            bench.activate(.token(.badSignature), at: .authorize, times: 1)
            let forged = try await bench.ask("POST", "/v1/plays", client.body())
            #expect(forged.status == 502 && forged.object["session"] == nil, "\(forged.text)")
        }
    }

    @Test(arguments: [
        ("sim:deny", 403, "authorization_denied_by_mvpd", "show_message"),
        ("sim:deny-hba", 403, "authorization_denied_by_hba_policies", "show_message"),
        ("sim:timeout", 503, "network_connection_timeout", "retry"),
    ])
    func `A denial is that of other plays`(resource: String, status: Int, code: String, action: String) async throws {
        try await Self.lending { bench in
            let answer = try await bench.ask("POST", "/v1/plays", try await OwnClient(bench).body(resource))
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
            #expect(answer.object["action"] as? String == action)
            #expect(answer.object["session"] == nil && answer["Set-Cookie"] == nil)
            #expect(bench.brokerCalls == [.authorize])
        }
    }

    @Test func `Temporary access has its end, for which the broker is asked with the same token`() async throws {
        try await Self.lending(time: ShiftedTime(standing: true)) { bench in
            let client = try await OwnClient(bench, as: nil)
            let answer = try await bench.ask("POST", "/v1/plays", client.body(mvpd: "TempPass"))
            #expect(answer.code == "playing", "\(answer.text)")
            let until = try #require((answer.object["temporary"] as? [String: Any])?["until"] as? Int64)
            #expect(try #require(answer.object["sessionCeiling"] as? Int64) <= until)
            #expect(bench.brokerCalls == [.authorize, .profile])
            bench.activate(.network(.dropRequest), at: .profile)
            let endless = try await bench.ask("POST", "/v1/plays", client.body("Other", mvpd: "TempPass"))
            #expect(endless.status == 503 && endless.object["session"] == nil, "\(endless.text)")
        }
    }

    // MARK: Attacks

    @Test func `A token and an identifier that do not belong together get nothing`() async throws {
        try await Self.lending { bench in
            let victim = try await OwnClient(bench)
            let stranger = try await OwnClient(bench, as: nil, on: "bedroom-1")
            for body in [
                victim.body(identifier: stranger.identifier), stranger.body(identifier: victim.identifier),
                victim.body(identifier: victim.identifier + " "),
            ] {
                let answer = try await bench.ask("POST", "/v1/plays", body)
                #expect(answer.status == 401 && answer.code == "authenticated_profile_missing", "\(answer.text)")
                #expect(answer.object["action"] as? String == "sign_in")
                #expect(answer.object["session"] == nil && answer["Set-Cookie"] == nil)
            }
        }
    }

    @Test func `A token of another brand is not taken for this one`() async throws {
        try await Self.lending { bench in
            let other = try await OwnClient(bench, as: nil, of: "REF40")
            let answer = try await bench.ask("POST", "/v1/plays", other.body())
            #expect(answer.status == 401 && answer.object["action"] as? String == "renew_token", "\(answer.text)")
        }
    }

    @Test func `A token that the broker refuses is the app's to renew`() async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            bench.simulator.expire(.accessTokens)
            let answer = try await bench.ask("POST", "/v1/plays", client.body())
            #expect(answer.status == 401 && answer.code == "borrowed_token_refused", "\(answer.text)")
            #expect(answer.object["action"] as? String == "renew_token")
            #expect(bench.brokerCalls == [.authorize])
            let text = try await bench.service.metrics()
            let labels = #"{code="borrowed_token_refused",endpoint="plays",outcome="renew_token"} 1"#
            #expect(text.contains("tve_gateway_answers_total\(labels)"))
        }
    }

    @Test func `Neither token nor identifier is in a log, an event, a metric or an answer`() async throws {
        let folder = try Folder()
        let events = folder.path("events.ndjson")
        let texts = Mutex([String]())
        let secrets = Mutex([String]())
        try await Self.lending(["broker.events.to": events]) { bench in
            let client = try await OwnClient(bench)
            let middle = String(client.token.dropFirst(40).prefix(60))
            secrets.withLock { $0 = [client.token, middle, client.identifier] }
            bench.activate(.network(.dropRequest), at: .authorize, times: 1)
            for body in [
                client.body(), client.body(), client.body("sim:deny"), client.body(mvpd: "Made-Up"),
                client.body(identifier: "\(client.identifier)\\u0001"), client.body(borrowed: #","x":1"#),
                client.body(more: #","x":1"#),
            ] {
                let answer = try await bench.ask("POST", "/v1/plays?events=1", body)
                #expect((answer.object["events"] as? [Any])?.isEmpty ?? true)
                texts.withLock { $0.append(answer.text) }
            }
            bench.simulator.expire(.accessTokens)
            _ = try await bench.ask("POST", "/v1/plays", client.body())
            let metrics = try await bench.service.metrics()
            #expect(!metrics.contains("Made-Up"))
            texts.withLock { $0 += [metrics, bench.service.log.text] }
        }
        let told = (try? String(contentsOfFile: events, encoding: .utf8)) ?? ""
        for text in texts.withLock({ $0 }) + [told] {
            for secret in secrets.withLock({ $0 }) { #expect(!text.contains(secret)) }
        }
    }

    @Test(arguments: [
        (#""accessToken":"TOKEN""#, #""accessToken":"\#(String(repeating: "a", count: 16_385))""#),
        (#""accessToken":"TOKEN""#, #""accessToken":"a b""#),
        (#""accessToken":"TOKEN""#, #""accessToken":"a\r\nX-Y: z""#),
        (#""accessToken":"TOKEN""#, #""accessToken":"a\u0000""#), (#""accessToken":"TOKEN""#, #""accessToken":"""#),
        (#""accessToken":"TOKEN""#, #""accessToken":7"#), (#""accessToken":"TOKEN","#, ""),
        (#""accessToken":"TOKEN""#, #""accessToken":"Bearer TOKEN""#),
        (#""mvpd":"SampleCable""#, #""mvpd":"SampleCable","refreshToken":"a""#), (#","mvpd":"SampleCable""#, ""),
        (#""mvpd":"SampleCable""#, #""mvpd":"..""#),
        (OwnClient.identifier, #"a\u0001b"#), (OwnClient.identifier, String(repeating: "a", count: 513)),
        (OwnClient.identifier, "fingerprint *"), (OwnClient.identifier, ""),
        (#""mvpd":"SampleCable""#, #""mvpd":"SampleCable","deviceInfo":7"#),
        (#""app":"tv""#, #""app":"tv","deviceToken":"a""#), (#""app":"tv""#, #""app":"none""#), (#""app":"tv","#, ""),
        (#""resource":"TestChannel","#, ""),
    ])
    func `What is no such request is refused before the broker is asked`(part: String, other: String) async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            let part = part.replacing("TOKEN", with: client.token)
            let body = client.body()
            #expect(body.contains(part))
            let answer = try await bench.ask(
                "POST", "/v1/plays", body.replacing(part, with: other.replacing("TOKEN", with: client.token)))
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.object["action"] as? String == "none")
            #expect(bench.brokerCalls.isEmpty)
            #expect(!answer.text.contains(client.token))
        }
    }

    @Test func `A device token and a borrowed one are not sent together`() async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            let device = try await bench.signedIn()
            let both = try await bench.ask("POST", "/v1/plays", client.body(), token: device)
            #expect(both.status == 400 && both.code == "bad_request", "\(both.text)")
            #expect(both.text.contains("send one of the two"), "\(both.text)")
            let named = #"{"resource":"TestChannel","borrowed":{}}"#
            #expect(try await bench.ask("POST", "/v1/plays", named, token: device).status == 400)
            let app = try await bench.ask(
                "POST", "/v1/plays", #"{"app":"tv","resource":"TestChannel"}"#, token: device)
            #expect(app.status == 400 && app.text.contains("app goes with borrowed"), "\(app.text)")
            // One that is not good is not passed over either.
            let bad = try await bench.ask("POST", "/v1/plays", client.body(), token: "x")
            #expect(bad.status == 401 && bad.code == "bad_device_token", "\(bad.text)")
            let cookie = ["Cookie: __Host-tve_device=\(device)", "Sec-Fetch-Site: same-origin"]
            let byCookie = try await bench.ask("POST", "/v1/plays", client.body(), fields: cookie)
            #expect(byCookie.status == 400 && byCookie.text.contains("send one of the two"), "\(byCookie.text)")
            #expect(bench.brokerCalls.isEmpty)
        }
        // The same if no app may lend its token.
        try await GatewayBench.spread { bench in
            let client = try await OwnClient(bench)
            let both = try await bench.ask("POST", "/v1/plays", client.body(), token: try await bench.signedIn())
            #expect(both.status == 400 && both.text.contains("send one of the two"), "\(both.text)")
        }
    }

    @Test func `An app without the setting may not lend its token`() async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            let answer = try await bench.ask("POST", "/v1/plays", client.body(app: "web"))
            #expect(answer.status == 404 && answer.code == "not_enabled", "\(answer.text)")
            #expect(answer.object["action"] as? String == "none")
            // What is no such request is answered as ever, whatever is wrong with it.
            for body in [#"{"resource":"TestChannel"}"#, #"{"resource":"borrowed"}"#, #"{"other":1}"#, "{", ""] {
                let nothing = try await bench.ask("POST", "/v1/plays", body)
                #expect(nothing.status == 401 && nothing.code == "no_device_token", "\(nothing.text)")
            }
            #expect(bench.brokerCalls.isEmpty)
        }
        // No app has it: then the body is not even read.
        try await GatewayBench.spread { bench in
            let client = try await OwnClient(bench)
            for body in [client.body(), "{"] {
                let answer = try await bench.ask("POST", "/v1/plays", body)
                #expect(answer.status == 401 && answer.code == "no_device_token", "\(answer.text)")
            }
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded"])
    func `A form of a foreign page begins no play`(type: String) async throws {
        try await Self.lending { bench in
            let client = try await OwnClient(bench)
            let answer = try await bench.ask(
                "POST", "/v1/plays", client.body(), fields: ["Content-Type: \(type)", "Origin: https://evil.example"])
            #expect(answer.status == 403 && answer.code == "cross_site", "\(answer.text)")
            #expect(answer["Set-Cookie"] == nil)
            #expect(bench.brokerCalls.isEmpty)
        }
    }
}
#endif
