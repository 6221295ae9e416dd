import AppEntitlements
import Foundation
import Testing

/// Plays and preauthorizations.
@MainActor @Suite struct AuthorizationTests {
    @Test func `A permit hands over the playback session, and says until when it is good`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/plays",
            .ok(
                #"""
                {"code":"playing","mvpd":"TempPass","session":"s","sessionId":"i","sessionExpires":5,"sessionCeiling":9,
                 "temporary":{"until":8,"remainingResources":2}}
                """#),
            .ok(Bench.playing.replacingOccurrences(of: #""events""#, with: #""degraded":true,"events""#)))
        bench.client.checkAuthorization("R")
        try await bench.recorder.until("setAuthenticationStatus 1")
        try await bench.recorder.until("setToken R")
        try await bench.recorder.until("status Z011 info")
        let playback = try #require(bench.client.playback(of: "R"))
        #expect(playback.session == "s" && bench.recorder.tokens["R"] == "s" && playback.temporaryUntil == 8)
        #expect(playback.expires == 5 && playback.ceiling == 9 && playback.remainingResources == 2)
        // The session is for the player alone, so it is not asked for as a cookie.
        #expect(bench.transport.sent.last?.body == .object(["resource": .text("R"), "cookie": .boolean(false)]))
        bench.client.checkAuthorization("Q")
        try await bench.recorder.until("status Z010 warning")
        #expect(bench.client.playback(of: "Q")?.isDegraded == true)
    }

    @Test(arguments: [
        ("authorization_denied_by_mvpd", 403, "show_message", "User not Authorized Error", "Z100 error"),
        ("authorization_denied_by_parental_controls", 403, "show_message", "User not Authorized Error", "Z100 error"),
        ("authorization_denied_by_degradation_rule", 403, "show_message", "User not Authorized Error", "Z169 error"),
        ("too_many_streams", 409, "show_message", "User not Authorized Error", "Z100 error"),
        ("a_denial_of_later", 403, "show_message", "User not Authorized Error", "Z100 error"),
        (
            "temporary_access_duration_limit_exceeded", 403, "choose_provider", "User not Authorized Error",
            "N111 warning"
        ),
        ("something_of_later", 409, "choose_provider", "Provider not Available Error", "Z500 error"),
        ("authenticated_profile_expired", 401, "sign_in", "User Not Authenticated Error", "N000 info"),
        ("identity_needed", 409, "sign_in", "Generic Authorization Error", "Z500 error"),
        ("something_of_later", 401, "sign_in", "User Not Authenticated Error", "N000 info"),
        ("network_received_error", 503, "retry", "Generic Authorization Error", "Z120 error"),
        ("broker_timeout", 504, "retry", "Generic Authorization Error", "Z120 error"),
        ("throttled", 429, "retry", "Generic Authorization Error", "Z100 error"),
        ("internal_server_error", 502, "retry", "Internal Authorization Error", "Z500 error"),
        ("invalid_parameter_resources", 400, "none", "Generic Authorization Error", "Z130 error"),
        ("bad_request", 400, "none", "Internal Error", "500 error"),
        ("invalid_configuration_platform", 502, "none", "Internal Authorization Error", "Z500 error"),
        ("invalid_access_token_client_application", 401, "none", "Generic Authorization Error", "R401 error"),
        ("registration_ended", 502, "none", "Generic Authorization Error", "R401 error"),
        ("statement_refused", 502, "none", "Generic Authorization Error", "R400 error"),
        ("broker_not_trusted", 502, "none", "Generic Authorization Error", "SEC420 error"),
    ])
    func `Each denial has its error, its code and the provider's text`(
        code: String, status: Int, action: String, original: String, told: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        // A pause that is too long to be waited for here.
        bench.transport.on(
            "POST /v1/plays", .refused(status, code, action, retryAfter: "60", more: #","message":"Call us <b>""#))
        bench.client.checkAuthorization("R")
        try await bench.recorder.until("tokenRequestFailed R|\(original)|Call us <b>")
        try await bench.recorder.until("status \(told)")
        #expect(bench.recorder.codes.last?["resource"] == "R" && bench.recorder.codes.last?["message"] == "Call us <b>")
        try await bench.recorder.until("sendTrackingData 1 false - - - \(original) Call us <b> mobile ios iOS")
        #expect(bench.transport.calls.count == 1 && bench.client.playback(of: "R") == nil)
    }

    @Test(
        arguments: [
            (.fails(.notConnected), "Generic Authorization Error", "CFG404 error"),
            (.fails(.interrupted), "Generic Authorization Error", "Z120 error"),
            (.json(200, "<html>"), "Internal Authorization Error", "Z500 error"),
            (.json(200, #"{"code":"playing","mvpd":"M"}"#), "Internal Authorization Error", "Z500 error"),
            (.json(502, "<html>"), "Internal Authorization Error", "Z500 error"),
            (.json(429, "", retryAfter: "60"), "Generic Authorization Error", "Z100 error"),
        ] as [(ScriptedTransport.Reply, String, String)])
    func `So has a play whose answer is lost or cannot be read`(
        reply: ScriptedTransport.Reply, original: String, told: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/plays", reply)
        bench.client.checkAuthorization("R")
        #expect(try await bench.recorder.until("tokenRequestFailed").last == "tokenRequestFailed R|\(original)|")
        try await bench.recorder.until("status \(told)")
    }

    /// An app by the operator's cookbook: a viewer who is signed in plays.
    private final class Cookbook: EntitlementDelegate {
        weak var client: EntitlementClient?

        func setAuthenticationStatus(_ status: Int, errorCode: String) {
            if status == 1 { client?.getAuthorization("R") }
        }

        func setToken(_ token: String, forResource resource: String) {}
        func setRequestorComplete(_ status: Int) {}
        func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {}
        func displayProviderDialog(_ mvpds: [MVPD]) {}
        func navigateToUrl(_ url: String) {}
    }

    @Test(arguments: [
        ScriptedTransport.Reply.ok(Bench.playing), .refused(403, "authorization_denied_by_mvpd", "show_message"),
        .fails(.notTrusted),
    ])
    func `An app that asks for a resource whenever the viewer is signed in asks once`(
        reply: ScriptedTransport.Reply
    ) async throws {
        let (bench, app) = (try Bench(), Cookbook())
        try await bench.start()
        (app.client, bench.client.delegate) = (bench.client, app)
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.transport.on("POST /v1/plays", reply)
        bench.client.checkAuthentication()
        // Each of them comes after the calls before it.
        for _ in 0..<6 { _ = await bench.client.preauthorize([]) }
        #expect(bench.transport.calls.count { $0 == "POST /v1/plays" } == 1 && app.client === bench.client)
    }

    @Test func `What the gateway's events say of a denial counts, in their order`() async throws {
        let bench = try Bench()
        try await bench.start()
        let events = #"""
            ,"events":[{"event":"authentication_status","authenticated":true,"mvpd":"SampleCable"},
             {"event":"token_request_failed","resource":"R","code":"broker_unreachable"},
             {"event":"status","status":"Z500","level":"Error"},
             {"event":"tracking","kind":"TRACKING_AUTHORIZATION",
              "array":["false",null,null,null,"Internal Authorization Error",null]}]
            """#
        bench.transport.on(
            "POST /v1/plays", .refused(503, "broker_unreachable", "retry", retryAfter: "60", more: events))
        bench.client.checkAuthorization("R")
        #expect(
            try await bench.recorder.until("sendTrackingData") == [
                "setAuthenticationStatus 1 ", "tokenRequestFailed R|Internal Authorization Error|",
                "status Z500 error",
                "sendTrackingData 1 false - - - Internal Authorization Error -",
            ])
        #expect(bench.recorder.codes.last?["resource"] == "R")
    }

    @Test func `The addresses in a denial's text reach the app`() async throws {
        let bench = try Bench()
        try await bench.start()
        let more = #","message":"Upgrade","links":["https://example.com/upgrade","http://example.com"]"#
        bench.transport.on(
            "POST /v1/plays", .refused(403, "authorization_denied_by_mvpd", "show_message", more: more))
        bench.client.getAuthorization("R")
        try await bench.recorder.until("tokenRequestFailed R|User not Authorized Error|Upgrade")
        #expect(bench.recorder.links == ["R": ["https://example.com/upgrade"]])
        try await bench.recorder.until("status Z100 error")
        #expect(bench.recorder.codes.last?["links"] == "https://example.com/upgrade")
        let two = #","links":["https://example.com/a","https://example.com/b"]"#
        bench.transport.on("POST /v1/plays", .refused(403, "authorization_denied_by_mvpd", "show_message", more: two))
        bench.client.getAuthorization("R")
        try await bench.recorder.until("status Z100 error")
        #expect(bench.recorder.codes.last?["links"] == "https://example.com/a https://example.com/b")
    }

    @Test func `getAuthorization lets the viewer sign in, and goes on by itself`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/plays", .refused(401, "not_authenticated", "sign_in"), .ok(Bench.playing))
        bench.transport.on("POST /v1/authentication", .ok(AuthenticationTests.choose), .ok(AuthenticationTests.open))
        bench.transport.on("PUT /v1/authentication", .ok(Bench.signedIn))
        bench.client.getAuthorization("R")
        try await bench.recorder.until("displayProviderDialog")
        bench.client.setSelectedProvider("SampleCable")
        try await bench.recorder.until("navigateToUrl")
        bench.client.handleExternalURL("exampletv://done?returned=c")
        try await bench.recorder.until("setAuthenticationStatus 1")
        try await bench.recorder.until("setToken R")
    }

    @Test func `Giving the sign-in up ends the request that waits, and a newer one takes the place of an older`()
        async throws
    {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/plays", .refused(401, "not_authenticated", "sign_in"))
        bench.transport.on("POST /v1/authentication", .ok(AuthenticationTests.choose))
        bench.transport.on("DELETE /v1/authentication", .ok(#"{"code":"cancelled"}"#))
        bench.client.getAuthorization("Old")
        bench.client.getAuthorization("New")
        try await bench.recorder.until("tokenRequestFailed Old|User Not Authenticated Error|")
        try await bench.recorder.until("displayProviderDialog")
        bench.client.setSelectedProvider(nil)
        try await bench.recorder.until("tokenRequestFailed New|User Not Authenticated Error|")
        #expect(bench.transport.calls.count { $0 == "POST /v1/plays" } == 2)
    }

    @Test func `A playback session is renewed, and ended`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/plays", .ok(Bench.playing))
        bench.transport.on(
            "POST /v1/playback-sessions/renew",
            .ok(#"{"session":"later","sessionId":"i","sessionExpires":7,"sessionCeiling":9}"#))
        bench.transport.on("POST /v1/playback-sessions/end", .ok(#"{"revoked":true}"#))
        await #expect(throws: GatewayError.notPlaying) { try await bench.client.renewPlayback(of: "R") }
        bench.client.checkAuthorization("R")
        try await bench.recorder.until("setToken R")
        #expect(try await bench.client.renewPlayback(of: "R").expires == 7)
        #expect(bench.client.playback(of: "R")?.session == "later")
        bench.client.endPlayback(of: "R")
        bench.client.endPlayback(of: "R")
        _ = try await bench.recorder.rest()
        let ends = bench.transport.sent.filter { $0.call == "POST /v1/playback-sessions/end" }
        #expect(ends.map(\.body) == [.object(["session": .text("later")])])
    }

    // MARK: Preauthorization

    @Test func `Preauthorizations go in groups of 25, keep their order, and permits hold half an hour`() async throws {
        let bench = try Bench()
        try await bench.start()
        let names = (1...30).map { "R\($0)" }
        let permitted = { (names: ArraySlice<String>) in
            let list = names.filter { $0 != "R7" }.map { "\"\($0)\"" }.joined(separator: ",")
            return
                #"{"code":"preauthorized","permitted":[\#(list)],"denied":[{"resource":"R7","code":"denied","message":"No"},7]}"#
        }
        bench.transport.on(
            "POST /v1/preauthorizations", .ok(permitted(names.prefix(25))), .ok(permitted(names.suffix(5))))
        bench.client.checkPreauthorizedResources(names + ["R1"])
        let wanted = "preauthorizedResources " + (names.filter { $0 != "R7" } + ["R1"]).joined(separator: " ")
        #expect(try await bench.recorder.until("preauthorizedResources").last == wanted)
        #expect(bench.transport.sent.suffix(2).map { $0.body?["resources"]?.elements?.count } == [25, 5])
        // Denials are asked for anew.
        let again = await bench.client.preauthorize(["R1", "R7"])
        #expect(bench.transport.sent.last?.body == .object(["resources": .list([.text("R7")])]))
        #expect(again.resources.map(\.authorized) == [true, false] && again.failure == nil)
        #expect(again.resources.last?.code == "denied" && again.resources.last?.message == "No")
        let asked = bench.transport.calls.count
        bench.time.advance(by: 29 * 60_000)
        _ = await bench.client.preauthorize(["R1"])
        #expect(bench.transport.calls.count == asked)
        bench.time.advance(by: 2 * 60_000)
        _ = await bench.client.preauthorize(["R1"])
        _ = await bench.client.preauthorize(["R2"], cache: false)
        #expect(bench.transport.calls.count == asked + 2)
        // The gateway remembers permits, too.
        #expect(
            bench.transport.sent.last?.body
                == .object(["resources": .list([.text("R2")]), "cache": .boolean(false)]))
        #expect(await bench.client.preauthorize([]).resources.isEmpty)
        #expect(bench.transport.calls.count == asked + 2)
    }

    @Test func `What the broker leaves out of a preauthorization is not denied`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/preauthorizations",
            .ok(#"{"code":"preauthorized","permitted":["R1"],"denied":[],"notMentioned":["R2"]}"#))
        let answer = await bench.client.preauthorize(["R1", "R2", "R3"])
        #expect(answer.resources.map(\.authorized) == [true, false, false])
        #expect(answer.resources.map(\.isNotMentioned) == [false, true, false])
    }

    @Test(
        arguments: [
            (.refused(401, "not_authenticated", "sign_in"), "N000 info", "authentication_session_missing"),
            (.refused(429, "throttled", "retry", retryAfter: "60"), "P100 error", "throttled"),
            (.refused(401, "bad_device_token", "sign_in"), "R401 error", "access_token_unavailable"),
            (.fails(.interrupted), "P100 error", "network_error"),
            (.json(200, "<html>"), "P100 error", "server_response_format_unknown"),
        ] as [(ScriptedTransport.Reply, String, String)])
    func `A preauthorization that fails permits nothing`(
        reply: ScriptedTransport.Reply, told: String, code: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/preauthorizations", reply)
        bench.client.checkPreauthorizedResources(["R"])
        #expect(try await bench.recorder.until("status") == ["preauthorizedResources ", "status \(told)"])
        let response = await bench.client.preauthorize(["R"])
        #expect(response.resources.isEmpty && response.failureCode == code)
    }
}
