import AppEntitlements
import Foundation
import Testing

/// Signing in, on this screen and on another one.
@MainActor @Suite struct AuthenticationTests {
    nonisolated static let open = #"""
        {"code":"open","url":"https://login.example.com/x","purpose":"login","systemBrowser":true,"until":1900000000000}
        """#
    nonisolated static let code = #"""
        {"code":"code","activationCode":"ABC123","activationURL":"https://tv.example.com/activate",
         "activationURLComplete":"https://tv.example.com/activate?code=ABC123","until":1800001800000}
        """#
    nonisolated static let choose = #"""
        {"code":"choose","providers":[{"id":"SampleCable","name":"Sample Cable"},{"id":7},"x",
         {"id":"SampleFiber","name":"Sample Fiber","logo":"https://logos.example.com/f.png"}],"remembered":"SampleFiber"}
        """#
    nonisolated static let pending = #"{"code":"pending","until":1800001800000}"#

    @Test func `On this screen: picker, browser, the address that comes back`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.choose), .ok(Self.open))
        bench.transport.on("PUT /v1/authentication", .ok(Bench.signedIn))
        bench.client.getAuthentication()
        // The provider of the last time comes first; what is not a provider is left out.
        try await bench.recorder.until("displayProviderDialog SampleFiber SampleCable")
        bench.client.setSelectedProvider("SampleCable")
        try await bench.recorder.until("navigateToUrl https://login.example.com/x")
        bench.client.handleExternalURL("other://done?returned=x")
        bench.client.handleExternalURL("exampletv://done?a=b&returned=one-time#f")
        let lines = try await bench.recorder.until("sendTrackingData 0")
        #expect(
            lines.suffix(2) == [
                "setAuthenticationStatus 1 ", "sendTrackingData 0 true SampleCable - false mobile ios iOS",
            ])
        let bodies = bench.transport.sent.filter { $0.call.hasSuffix("/v1/authentication") }.map(\.body)
        #expect(bodies[0] == .object(["returnTo": .text(Bench.returnTo)]))
        #expect(bodies[1] == .object(["returnTo": .text(Bench.returnTo), "mvpd": .text("SampleCable")]))
        #expect(bodies[2] == .object(["returned": .text("one-time")]))
        #expect(bodies.count == 3)
        bench.client.getSelectedProvider()
        try await bench.recorder.until("selectedProvider SampleCable Sample Cable")
    }

    @Test func `With handleSVC the app is told to take the system's browser`() async throws {
        let bench = try Bench()
        try bench.client.setOptions(["handleSVC": .boolean(true)])
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.open))
        bench.client.setSelectedProvider("SampleCable")
        try await bench.recorder.until("navigateToUrl https://login.example.com/x useSVC true")
    }

    @Test(arguments: [SignInPlace.otherScreen, .otherScreenWithPicker])
    func `On another screen: a code, and long polls until the viewer is done`(place: SignInPlace) async throws {
        let bench = try Bench(place: place)
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.code))
        bench.transport.on("GET /v1/authentication?wait=25", .ok(Self.pending), .ok(Self.pending), .ok(Bench.signedIn))
        if place == .otherScreen {
            bench.client.setSelectedProvider("SampleCable")
        } else {
            bench.client.getAuthentication()
        }
        try await bench.recorder.until("status REGCODE success")
        #expect(bench.recorder.codes.last?["message"] == "ABC123")
        #expect(bench.recorder.codes.last?["activationURLComplete"]?.hasSuffix("?code=ABC123") == true)
        try await bench.recorder.until("setAuthenticationStatus 1")
        // Both answers came at once, as if there was no place to wait: without a pause that would be a flood.
        #expect(bench.time.slept == [.seconds(5), .seconds(5)])
        let body = bench.transport.sent.first { $0.call == "POST /v1/authentication" }?.body
        #expect(body?["secondScreen"]?.boolean == true && body?["returnTo"] == nil)
    }

    @Test func `A poll that was cut is made again, after growing pauses`() async throws {
        let bench = try Bench(place: .otherScreenWithPicker)
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.code))
        bench.transport.on(
            "GET /v1/authentication?wait=25", .fails(.interrupted), .fails(.timedOut), .json(502, "<html>"),
            .fails(.interrupted), .fails(.interrupted), .fails(.notConnected),
            .refused(503, "store_unavailable", "retry", retryAfter: "20"), .ok(Bench.signedIn))
        bench.client.getAuthentication()
        let lines = try await bench.recorder.until("setAuthenticationStatus")
        #expect(lines.last == "setAuthenticationStatus 1 ")
        // Twice one second within a request, then the pause between two polls; the gateway's own if it is longer.
        #expect(bench.time.slept == [1, 1, 1, 1, 1, 2, 20].map { .seconds($0) })
    }

    @Test(arguments: [
        (#"{"code":"not_authenticated","reason":"code_ended"}"#, "N130 error"),
        (#"{"code":"not_authenticated","reason":"not_signed_in"}"#, "N500 error"),
        (#"{"code":"not_authenticated","reason":"return_not_proved"}"#, "N500 error"),
    ])
    func `A sign-in that ends otherwise is told with its code`(answer: String, code: String) async throws {
        let bench = try Bench(place: .otherScreenWithPicker)
        try await bench.start()
        bench.transport.on("POST /v1/plays", .refused(401, "not_authenticated", "sign_in"))
        bench.transport.on("POST /v1/authentication", .ok(Self.code))
        bench.transport.on("GET /v1/authentication?wait=25", .ok(answer))
        bench.client.getAuthorization("R")
        let lines = try await bench.recorder.until("tokenRequestFailed R|User Not Authenticated Error|")
        #expect(lines.contains("setAuthenticationStatus 0 Generic Authentication Error"))
        #expect(lines.contains("status \(code)"))
    }

    @Test func `A code that has ended by this device's clock ends the wait`() async throws {
        let bench = try Bench(place: .otherScreenWithPicker)
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.code))
        bench.transport.on("GET /v1/authentication?wait=25", .ok(Self.pending))
        bench.client.getAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 0 Generic Authentication Error")
        try await bench.recorder.until("status N130 error")
        let polls = bench.transport.calls.count
        // Half an hour in steps of five seconds.
        #expect((355...365).contains(polls))
        _ = try await bench.recorder.rest()
        #expect(bench.transport.calls.count == polls)
    }

    @Test func `Giving up ends the wait at once, and its later answer is dropped`() async throws {
        let (bench, gate) = (try Bench(place: .otherScreenWithPicker), Gate())
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.code))
        bench.transport.on("GET /v1/authentication?wait=25", .waits(gate, then: Bench.signedIn))
        bench.transport.on("DELETE /v1/authentication", .ok(#"{"code":"cancelled"}"#))
        bench.client.getAuthentication()
        try await bench.recorder.until("status REGCODE")
        bench.client.setSelectedProvider(nil)
        try await bench.recorder.until("setAuthenticationStatus 0 Provider not Selected Error")
        #expect(try await bench.recorder.until("status") == ["status N005 info"])
        gate.open()
        // A cancel is no choice of a provider.
        #expect(try await bench.recorder.rest().isEmpty)
    }

    @Test func `An answer to a sign-in that was given up meanwhile is dropped`() async throws {
        let (bench, gate) = (try Bench(), Gate())
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .waits(gate, then: Self.open))
        bench.transport.on("DELETE /v1/authentication", .fails(.interrupted))
        bench.client.setSelectedProvider("SampleCable")
        while bench.transport.calls.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        bench.client.setSelectedProvider(nil)
        gate.open()
        let lines = try await bench.recorder.until("setAuthenticationStatus 0 Provider not Selected Error")
        #expect(!lines.contains { $0.hasPrefix("navigateToUrl") })
    }

    @Test func `The same address may come twice, also if the first answer got lost`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("PUT /v1/authentication", .fails(.interrupted))
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.client.handleExternalURL("exampletv://done?returned=c")
        try await bench.recorder.until("setAuthenticationStatus 1")
        _ = try await bench.recorder.rest()
        bench.transport.on("PUT /v1/authentication", .refused(403, "return_not_proved", "sign_in"))
        bench.client.handleExternalURL("exampletv://done?returned=c")
        #expect(try await bench.recorder.rest().isEmpty)
        bench.transport.on("GET /v1/authentication", .ok(#"{"code":"not_authenticated"}"#))
        bench.client.handleExternalURL("exampletv://done?returned=of-another-device")
        try await bench.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
    }

    @Test(
        arguments: [
            (.fails(.notConnected), "CFG404"), (.json(503, "<html>", retryAfter: "60"), "N500"),
            (.refused(502, "broker_unreadable", "retry", retryAfter: "60"), "N500"),
        ] as [(ScriptedTransport.Reply, String)])
    func `A return that the gateway does not take is a general error, and may be told once more`(
        reply: ScriptedTransport.Reply, code: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("PUT /v1/authentication", reply)
        bench.transport.on("GET /v1/authentication", .ok(Self.pending))
        bench.client.handleExternalURL("exampletv://done?returned=c")
        #expect(
            try await bench.recorder.until("status") == [
                "setAuthenticationStatus 0 Generic Authentication Error", "status \(code) error",
            ])
        bench.transport.on("PUT /v1/authentication", .ok(Bench.signedIn))
        bench.client.handleExternalURL("exampletv://done?returned=c")
        try await bench.recorder.until("setAuthenticationStatus 1")
    }

    @Test func `The address of a viewer who has cancelled has no code, and the gateway tells the end`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "GET /v1/authentication?wait=25", .ok(Self.pending),
            .ok(#"{"code":"not_authenticated","reason":"not_signed_in"}"#))
        bench.client.handleExternalURL("exampletv://done")
        try await bench.recorder.until("setAuthenticationStatus 0 Generic Authentication Error")
    }

    @Test func `An address that starts the app waits for setRequestor`() async throws {
        let bench = try Bench()
        bench.transport.on("PUT /v1/authentication", .ok(Bench.signedIn))
        bench.client.setRequestor("tv")
        bench.client.handleExternalURL("exampletv://done?returned=c")
        try await bench.recorder.until("setRequestorComplete 1")
        try await bench.recorder.until("setAuthenticationStatus 1")
    }

    @Test(
        arguments: [
            (.refused(409, "unknown_provider", "choose_provider"), "Provider not Available Error", "N500 error"),
            (.refused(400, "return_address_not_allowed", "none"), "Generic Authentication Error", "SEC403 error"),
            (
                .refused(502, "broker_unreadable", "retry", retryAfter: "10"), "Internal Authentication Error",
                "N500 error"
            ),
            (.refused(500, "internal", "none"), "Internal Authentication Error", "N500 error"),
            (.refused(400, "bad_request", "none"), "Internal Error", "500 error"),
            (
                .refused(503, "broker_unreachable", "retry", retryAfter: "10"), "Generic Authentication Error",
                "N500 error"
            ),
            (.fails(.notConnected), "Generic Authentication Error", "CFG404 error"),
            (.fails(.notTrusted), "Generic Authentication Error", "SEC420 error"),
            (.json(200, #"{"code":"a_step_of_later"}"#), "Internal Authentication Error", "N500 error"),
            (.json(200, #"{"code":"open"}"#), "Internal Authentication Error", "N500 error"),
        ] as [(ScriptedTransport.Reply, String, String)])
    func `A sign-in that the gateway refuses is told in the old words`(
        reply: ScriptedTransport.Reply, original: String, status: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/authentication", reply)
        bench.client.setSelectedProvider("SampleCable")
        let lines = try await bench.recorder.until("status")
        #expect(lines == ["setAuthenticationStatus 0 \(original)", "status \(status)"])
    }

    @Test func `Statuses and analytics of the gateway count more than those that are made here`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/authentication",
            .ok(
                #"""
                {"code":"authenticated","mvpd":"TempPass","events":[{"event":"status","status":"N011","level":"Info"},
                 {"event":"tracking","kind":"TRACKING_AUTHENTICATION","array":["true","TempPass","guid",null]},
                 {"event":"tracking","kind":"TRACKING_OF_LATER","array":[]},{"event":"tracking"},{"event":7},"x"]}
                """#))
        bench.client.setSelectedProvider("TempPass")
        try await bench.recorder.until("setAuthenticationStatus 1")
        #expect(try await bench.recorder.rest() == ["status N011 info", "sendTrackingData 0 true TempPass guid -"])
    }

    @Test func `Promotional access needs an identity, which goes with the next choice`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/authentication", .ok(#"{"code":"identity","mvpd":"PromoPass"}"#),
            .ok(#"{"code":"authenticated","mvpd":"PromoPass"}"#))
        bench.client.setSelectedProvider("PromoPass")
        try await bench.recorder.until("setAuthenticationStatus 0 Generic Authentication Error")
        bench.client.getAuthentication(withData: ["email": "a@example.org"])
        try await bench.recorder.until("setAuthenticationStatus 1")
        #expect(
            bench.transport.sent.last { $0.call == "POST /v1/authentication" }?.body?["identity"]?.text
                == "a@example.org")
    }

    @Test func `Data and filters that have no place are refused, and nothing is sent`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.client.getAuthentication(withData: ["generic_data": "x"])
        try await bench.recorder.until("setAuthenticationStatus 0 Internal Error")
        bench.client.getAuthentication(andFilter: ["PROVIDERS": []])
        try await bench.recorder.until("setAuthenticationStatus 0 Internal Error")
        bench.client.getAuthentication(andFilter: ["TV_PROVIDERS": ["a"], "FEATURED_TV_PROVIDERS": ["b"]])
        try await bench.recorder.until("setAuthenticationStatus 0 Internal Error")
        #expect(bench.transport.calls.isEmpty)
    }

    @Test func `A forced sign-in is a logout, page by page, and then a login`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/authentication",
            .ok(
                #"""
                {"code":"open","url":"https://out.example.com/1","purpose":"logout",
                 "further":[{"code":"open","url":"https://out.example.com/2","purpose":"logout"}]}
                """#), .ok(Self.open))
        bench.client.getAuthentication(true)
        for page in 1...2 {
            try await bench.recorder.until("navigateToUrl https://out.example.com/\(page)")
            #expect(bench.transport.calls.count { $0 == "POST /v1/authentication" } == 1)
            bench.client.handleExternalURL(Bench.returnTo)
        }
        try await bench.recorder.until("navigateToUrl https://login.example.com/x")
        let bodies = bench.transport.sent.filter { $0.call == "POST /v1/authentication" }.map(\.body)
        #expect(bodies.first??["force"]?.boolean == true && bodies.last??["force"] == nil && bodies.count == 2)
    }

    @Test func `Without a connection, checkAuthentication says what was known last`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 1")
        bench.transport.on("GET /v1/authentication", .fails(.notConnected))
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 1")
        bench.time.advance(by: 200_000_000_000)
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
        let new = try Bench()
        try await new.start()
        new.transport.on("GET /v1/authentication", .fails(.notConnected))
        new.client.checkAuthentication()
        try await new.recorder.until("setAuthenticationStatus 0 Generic Authentication Error")
    }

    @Test(arguments: [
        ScriptedTransport.Reply.fails(.notConnected), .fails(.timedOut), .json(502, "<html>"),
        .refused(503, "store_unavailable", "retry", retryAfter: "60"),
    ])
    func `So it does after a new start of the app, until the sign-in ends`(
        reply: ScriptedTransport.Reply
    ) async throws {
        let store = InMemoryDeviceStateStore()
        let bench = try Bench(store: store)
        try await bench.start()
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 1")
        let later = try Bench(store: store)
        try await later.start()
        for call in ["GET /v1/authentication", "GET /v1/profile", "POST /v1/plays"] { later.transport.on(call, reply) }
        later.client.checkAuthentication()
        try await later.recorder.until("setAuthenticationStatus 1")
        try await later.recorder.until("sendTrackingData 0 true SampleCable - true")
        later.client.getMetadata(["METADATA_OPCODE_KEY": "METADATA_AUTHENTICATION"])
        try await later.recorder.until("setMetadataStatus 2030/03/17 17:46:40 GMT +0000 false 0")
        later.client.checkAuthorization("R")
        try await later.recorder.until("setAuthenticationStatus 1")
        try await later.recorder.until("sendTrackingData 1 false - - - ")
        later.time.advance(by: 200_000_000_000)
        later.client.checkAuthentication()
        try await later.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
    }

    @Test func `A viewer who was signed out is so after a new start, too`() async throws {
        let store = InMemoryDeviceStateStore()
        let bench = try Bench(store: store)
        try await bench.start()
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.transport.on("POST /v1/logout", .ok(#"{"code":"logged_out"}"#))
        bench.client.checkAuthentication()
        bench.client.logout()
        try await bench.recorder.until("setAuthenticationStatus 0")
        let later = try Bench(store: store)
        try await later.start()
        later.transport.on("GET /v1/authentication", .fails(.notConnected))
        later.client.checkAuthentication()
        try await later.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
    }

    @Test func `Statuses and analytics come before or after a callback as the gateway's events do`() async throws {
        let bench = try Bench()
        try await bench.start()
        let chosen = #"{"event":"tracking","kind":"TRACKING_GET_SELECTED_PROVIDER","array":["SampleCable"]}"#
        let open = #"{"code":"open","url":"https://login.example.com/x","purpose":"login","events":"#
        bench.transport.on("POST /v1/authentication", .ok(open + #"[\#(chosen),{"event":"open_user_agent"}]}"#))
        bench.client.setSelectedProvider("SampleCable")
        #expect(
            try await bench.recorder.until("navigateToUrl") == [
                "sendTrackingData 2 SampleCable", "navigateToUrl https://login.example.com/x",
            ])
    }

    @Test func `A viewer who is signed in already is told as known`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Bench.signedIn))
        bench.client.getAuthentication()
        try await bench.recorder.until("sendTrackingData 0 true SampleCable - true")
    }
}
