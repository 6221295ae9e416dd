#if Service
import EntitlementValues
import RecordChecks
import Testing

/// What ends the plays of a device, and gives their places back.
@Suite("Plays that end")
struct PlayEndTests {
    private static let settings = ["sessions.store": "memory:", "sessions.streams": "1"]
    private static let uri = "/live/TestChannel/1.ts"

    /// The header field with the session of a play.
    private func cookie(of play: Answer) throws -> String {
        try #require(play["Set-Cookie"]?.split(separator: ";").first.map { "Cookie: \($0)" }, "\(play.text)")
    }

    @Test(arguments: [TimeToLive.zero, .minutes(3)], [true, false])
    func `A play ends with its device and with a logout, however long after the sign-in it began`(
        age: TimeToLive, isLogout: Bool
    ) async throws {
        try await GatewayBench.spread(Self.settings) { bench in
            let device = try await bench.signedIn()
            bench.time.advance(by: age)
            let cookie = try cookie(of: try await bench.play(token: device))
            #expect(try await bench.service.authorize([cookie], uri: Self.uri).status == 200)
            let ended =
                isLogout
                ? try await bench.ask("POST", "/v1/logout", "{}", token: device)
                : try await bench.ask("DELETE", "/v1/devices", token: device)
            #expect(ended.status == 200, "\(ended.text)")
            #expect(try await bench.service.authorize([cookie], uri: Self.uri).status == 401)
            // The same subscriber on another device.
            let other = try await bench.play("OtherChannel", token: try await bench.signedIn())
            #expect(other.code == "playing", "\(other.text)")
        }
    }

    @Test func `A logout at another provider ends no play`() async throws {
        try await GatewayBench.spread(Self.settings) { bench in
            let device = try await bench.signedIn()
            let cookie = try cookie(of: try await bench.play(token: device))
            let answer = try await bench.ask("POST", "/v1/logout", #"{"mvpd":"SampleFiber"}"#, token: device)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await bench.service.authorize([cookie], uri: Self.uri).status == 200)
        }
    }

    @Test(arguments: [TimeToLive.zero, .minutes(3)])
    func `A play that was permitted before a logout is not handed out after it`(age: TimeToLive) async throws {
        try await GatewayBench.spread(Self.settings) { bench in
            let device = try await bench.signedIn()
            bench.time.advance(by: age)
            // The play is noted with the next change of the device's record.
            bench.store.actOnce(.beforeWrite) { _ = try? await bench.ask("POST", "/v1/logout", "{}", token: device) }
            let play = try await bench.play(token: device)
            #expect(play.status == 409 && play.code == "sign_in_changed", "\(play.text)")
            #expect(play.object["session"] == nil && play["Set-Cookie"] == nil)
        }
    }

    @Test func `A session that the operator revokes by its ID gives its place back`() async throws {
        try await GatewayBench.spread(Self.settings) { bench in
            let device = try await bench.signedIn()
            let play = try await bench.play(token: device)
            let id = try #require(play.object["sessionId"] as? String, "\(play.text)")
            #expect(try await bench.play("OtherChannel", token: device).code == "too_many_streams")
            let body = Array(#"{"id":"\#(id)"}"#.utf8)
            let revoked = try await bench.service.askInternal(
                request(
                    "POST", "/v1/playback-sessions/revoke", fields: ["Content-Type: application/json"], body: body))
            #expect(revoked.status == 200, "\(revoked.text)")
            bench.time.advance(by: .seconds(1))
            #expect(try await bench.play("OtherChannel", token: device).code == "playing")
        }
    }
}
#endif
