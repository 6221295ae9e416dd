import AppEntitlements
import Foundation
import Testing

/// `logout`, `getMetadata`, `getSelectedProvider`.
@MainActor @Suite struct LogoutAndMetadataTests {
    @Test func `A logout opens what is left to open, and 0 means success`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/logout",
            .ok(
                #"""
                {"code":"open","url":"https://out.example.com/1","purpose":"logout",
                 "further":[{"code":"open","url":"https://out.example.com/2","purpose":"logout"},
                            {"code":"leave_partner_account","mvpd":"M"}]}
                """#))
        bench.client.logout()
        try await bench.recorder.until("navigateToUrl https://out.example.com/1")
        #expect(bench.transport.sent.last?.body == .object(["returnTo": .text(Bench.returnTo)]))
        bench.client.handleExternalURL(Bench.returnTo)
        try await bench.recorder.until("navigateToUrl https://out.example.com/2")
        bench.client.handleExternalURL(Bench.returnTo)
        let lines = try await bench.recorder.until("setAuthenticationStatus")
        #expect(lines == ["status VSA203 info", "setAuthenticationStatus 0 User Not Authenticated Error"])
    }

    @Test func `The account that stays is told once, if the gateway tells it, too`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "POST /v1/logout",
            .ok(
                #"""
                {"code":"leave_partner_account","mvpd":"M","events":[{"event":"status","status":"VSA203","level":"Info"},
                 {"event":"authentication_status","authenticated":false,"code":"not_authenticated"}]}
                """#))
        bench.client.logout()
        let lines = try await bench.recorder.until("setAuthenticationStatus")
        #expect(lines == ["status VSA203 info", "setAuthenticationStatus 0 User Not Authenticated Error"])
    }

    @Test func `A device without a browser opens nothing`() async throws {
        let bench = try Bench(place: .otherScreen)
        try await bench.start()
        bench.transport.on("POST /v1/logout", .ok(#"{"code":"open","url":"https://out.example.com/1"}"#))
        bench.client.logout()
        #expect(
            try await bench.recorder.until("setAuthenticationStatus")
                == ["setAuthenticationStatus 0 User Not Authenticated Error"])
    }

    @Test func `A logout without a connection does not undo itself, also after a new start`() async throws {
        let store = InMemoryDeviceStateStore()
        let bench = try Bench(store: store)
        try await bench.start()
        bench.transport.on("POST /v1/logout", .fails(.notConnected))
        bench.transport.on("GET /v1/authentication", .fails(.notConnected))
        bench.client.logout()
        try await bench.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
        #expect(!bench.transport.calls.contains("GET /v1/authentication"))
        let later = try Bench(store: store)
        try await later.start()
        later.transport.on("POST /v1/logout", .ok(#"{"code":"logged_out"}"#))
        later.transport.on("GET /v1/authentication", .ok(#"{"code":"not_authenticated"}"#))
        for _ in 0..<2 {
            later.client.checkAuthentication()
            try await later.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
        }
        #expect(later.transport.calls == ["POST /v1/logout", "GET /v1/authentication", "GET /v1/authentication"])
    }

    @Test func `A logout forgets permits and plays, and ends the request that waits`() async throws {
        let bench = try Bench(place: .otherScreen)
        try await bench.start()
        bench.transport.on("POST /v1/plays", .ok(Bench.playing), .refused(401, "not_authenticated", "sign_in"))
        bench.transport.on(
            "POST /v1/preauthorizations", .ok(#"{"code":"preauthorized","permitted":["R"],"denied":[]}"#))
        bench.transport.on("POST /v1/authentication", .ok(AuthenticationTests.choose))
        bench.transport.on("POST /v1/logout", .ok(#"{"code":"logged_out","unconfirmed":["M"]}"#))
        bench.client.checkAuthorization("R")
        bench.client.checkPreauthorizedResources(["R"])
        bench.client.getAuthorization("Q")
        try await bench.recorder.until("displayProviderDialog")
        bench.client.logout()
        try await bench.recorder.until("tokenRequestFailed Q|User Not Authenticated Error|")
        try await bench.recorder.until("setAuthenticationStatus 0 User Not Authenticated Error")
        #expect(bench.client.playback(of: "R") == nil)
        _ = await bench.client.preauthorize(["R"])
        #expect(bench.transport.calls.count { $0 == "POST /v1/preauthorizations" } == 2)
    }

    @Test(arguments: [
        (["METADATA_OPCODE_KEY": "METADATA_AUTHENTICATION"], "2026/11/22 21:15:00 GMT +0000 false 0"),
        (["METADATA_OPCODE_KEY": "0"], "2026/11/22 21:15:00 GMT +0000 false 0"),
        (["METADATA_OPCODE_KEY": "1", "METADATA_RESOURCE_ID_KEY": "R"], "none false 1"),
        (["METADATA_OPCODE_KEY": "METADATA_DEVICE_ID"], "none false 2"),
        (["METADATA_OPCODE_KEY": "3", "METADATA_USER_META_KEY": "zip"], "a list of 1 false 3"),
        (["METADATA_OPCODE_KEY": "3", "METADATA_USER_META_KEY": "userID"], "u-1 false 3"),
        (["METADATA_OPCODE_KEY": "3", "METADATA_USER_META_KEY": "secret"], "none true 3"),
        (["METADATA_OPCODE_KEY": "3", "METADATA_USER_META_KEY": "other"], "none false 3"),
        (["METADATA_OPCODE_KEY": "METADATA_USER_META"], "an object of 3 false 3"),
    ])
    func `Metadata comes from the profile, as far as the gateway tells it`(
        arguments: [String: String], wanted: String
    ) async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "GET /v1/profile",
            .ok(
                #"""
                {"code":"profile","mvpd":"M","until":1795382100000,"attributes":{"zip":["77754"],"userID":"u-1"},
                 "unreadable":["secret"]}
                """#))
        bench.client.getMetadata(arguments)
        #expect(try await bench.recorder.until("setMetadataStatus") == ["setMetadataStatus \(wanted)"])
    }

    @Test func `All metadata is the old object, and what cannot be had is nothing`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on(
            "GET /v1/profile",
            .ok(#"{"code":"profile","mvpd":"M","until":1,"attributes":{"a":1.5},"unreadable":["b"]}"#),
            .refused(401, "not_authenticated", "sign_in"), .json(200, "<html>"))
        for _ in 0..<3 { bench.client.getMetadata(["METADATA_OPCODE_KEY": "3"]) }
        bench.client.getMetadata(["METADATA_OPCODE_KEY": "9"])
        bench.client.getMetadata([:])
        for _ in 0..<3 { try await bench.recorder.until("setMetadataStatus") }
        // An operation that is not known has an answer, too.
        for _ in 0..<2 { try await bench.recorder.until("setMetadataStatus none false -1") }
        let all = JSONValue.object([
            "updated": .integer(1_800_000_000), "encrypted": .list([.text("b")]), "data": .object(["a": .decimal(1.5)]),
        ])
        #expect(bench.recorder.metadata == [all, nil, nil, nil, nil])
    }

    @Test func `The provider of the last time is known after a new start without a request`() async throws {
        let store = InMemoryDeviceStateStore()
        let bench = try Bench(store: store)
        bench.client.getSelectedProvider()
        try await bench.recorder.until("selectedProvider none")
        try await bench.start()
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 1")
        let later = try Bench(store: store)
        try await later.start()
        later.client.getSelectedProvider()
        try await later.recorder.until("selectedProvider SampleCable Sample Cable")
        #expect(later.transport.sent.isEmpty)
    }
}
