import AppEntitlements
import Foundation
import Testing

/// `setRequestor`, `setOptions`, and what waits for them.
@MainActor @Suite struct RequestorTests {
    @Test func `A device that is registered asks nothing at its start`() async throws {
        let store = InMemoryDeviceStateStore()
        let first = try Bench(store: store)
        try await first.start()
        #expect(first.transport.sent.map(\.call) == ["POST /v1/devices"])
        let second = try Bench(store: store)
        try await second.start()
        #expect(second.transport.sent.isEmpty)
    }

    @Test(
        arguments: [
            (.refused(400, "bad_request", "none"), "CFG400"), (.refused(403, "not_attested", "none"), "R400"),
            (.refused(429, "too_many_requests", "retry", retryAfter: "6"), "CFG429"),
            (.json(429, "<html>", retryAfter: "60"), "CFG429"), (.json(502, "<html>"), "CFG502"),
            (.json(200, "<html>"), "CFG500"), (.refused(503, "store_unavailable", "retry", retryAfter: "9"), "CFG503"),
            (.fails(.notConnected), "CFG404"), (.fails(.timedOut), "CFG404"), (.fails(.notTrusted), "SEC420"),
        ] as [(ScriptedTransport.Reply, String)])
    func `If it fails, its code is told, and the calls that wait fail in their own words`(
        reply: ScriptedTransport.Reply, code: String
    ) async throws {
        let bench = try Bench()
        bench.transport.on("POST /v1/devices", reply)
        bench.client.setRequestor("tv")
        bench.client.checkAuthentication()
        bench.client.checkAuthorization("R")
        bench.client.checkPreauthorizedResources(["R"])
        bench.client.getMetadata(["METADATA_OPCODE_KEY": "0"])
        #expect(try await bench.recorder.until("status") == ["setRequestorComplete 0", "status \(code) error"])
        try await bench.recorder.until("setAuthenticationStatus 0 ")
        try await bench.recorder.until("tokenRequestFailed R|")
        try await bench.recorder.until("preauthorizedResources ")
        try await bench.recorder.until("setMetadataStatus none false 0")
        #expect(bench.transport.calls.isEmpty)
        // The next one starts afresh.
        bench.transport.on("POST /v1/devices", .json(201, ScriptedTransport.registered))
        try await bench.start()
    }

    @Test func `Calls that are made before it is done wait for it, and keep their order`() async throws {
        let (bench, gate) = (try Bench(), Gate())
        bench.transport.on("POST /v1/devices", .waits(gate, then: ScriptedTransport.registered))
        bench.transport.on("POST /v1/plays", .ok(Bench.playing))
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        bench.client.setRequestor("tv")
        bench.client.checkAuthentication()
        bench.client.checkAuthorization("R")
        #expect(try await bench.recorder.rest().isEmpty)
        gate.open()
        try await bench.recorder.until("setRequestorComplete 1")
        try await bench.recorder.until("setAuthenticationStatus 1")
        try await bench.recorder.until("setToken R")
        #expect(bench.transport.calls == ["GET /v1/authentication", "GET /v1/providers", "POST /v1/plays"])
    }

    @Test func `Without it, calls fail with CFG400`() async throws {
        let bench = try Bench()
        bench.client.getAuthentication()
        let lines = try await bench.recorder.until("status")
        #expect(lines == ["setAuthenticationStatus 0 Generic Authentication Error", "status CFG400 error"])
        #expect(await bench.client.preauthorize(["R"]).failureCode == "requestor_not_configured")
        #expect(bench.transport.sent.isEmpty)
    }

    @Test func `Called again, it tells a change alone`() async throws {
        let bench = try Bench()
        bench.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        let profile = #"{"code":"profile","mvpd":"SampleCable","until":1900000000000,"attributes":{}}"#
        bench.transport.on("GET /v1/profile?refresh=1", .ok(profile))
        try await bench.start()
        bench.client.checkAuthentication()
        try await bench.recorder.until("sendTrackingData")
        bench.client.setRequestor("tv")
        #expect(try await bench.recorder.until("setRequestorComplete") == ["setRequestorComplete 1"])
        // A broker that is away says nothing of the viewer, and the app can go on.
        bench.transport.on("GET /v1/profile?refresh=1", .refused(503, "broker_unreachable", "retry", retryAfter: "10"))
        bench.client.setRequestor("tv")
        bench.client.checkAuthentication()
        #expect(
            try await bench.recorder.until("setAuthenticationStatus") == [
                "setRequestorComplete 0", "status CFG503 error", "setAuthenticationStatus 1 ",
            ])
        try await bench.recorder.until("sendTrackingData")
        bench.transport.on("GET /v1/profile?refresh=1", .refused(401, "not_authenticated", "sign_in"))
        bench.client.setRequestor("tv")
        #expect(
            try await bench.recorder.until("setRequestorComplete").first
                == "setAuthenticationStatus 0 User Not Authenticated Error")
        bench.transport.on("GET /v1/profile?refresh=1", .ok(profile))
        bench.client.setRequestor("tv")
        #expect(try await bench.recorder.until("setRequestorComplete").first == "setAuthenticationStatus 1 ")
    }

    @Test func `Options go with the registration, and later ones to the gateway at once`() async throws {
        let bench = try Bench()
        try bench.client.setOptions(["visitorID": .text("v1"), "handleSVC": .boolean(true)])
        try await bench.start()
        #expect(bench.transport.sent.first?.body?["visitorId"]?.text == "v1")
        bench.transport.on("PATCH /v1/devices", .ok(#"{"code":"changed"}"#))
        try bench.client.setOptions(["visitorID": .text("v2")])
        var device = DeviceDescription.phone
        device.osVersion = "27"
        bench.client.setDevice(device)
        bench.client.getMetadata(["METADATA_OPCODE_KEY": "2"])
        try await bench.recorder.until("setMetadataStatus")
        let changes = bench.transport.sent.filter { $0.call == "PATCH /v1/devices" }.map(\.body)
        #expect(changes.first??["visitorId"]?.text == "v2" && changes.count == 2)
        #expect(changes.last??["deviceInfo"]?["osVersion"]?.text == "27")
    }

    @Test func `What is said of the device before a later setRequestor is told before the next question`() async throws
    {
        let store = InMemoryDeviceStateStore()
        let first = try Bench(store: store)
        try first.client.setOptions(["visitorID": .text("v1")])
        try await first.start()
        let second = try Bench(store: store)
        second.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        second.transport.on(
            "PATCH /v1/devices", .refused(503, "store_unavailable", "retry", retryAfter: "60"),
            .ok(#"{"code":"changed"}"#))
        var device = DeviceDescription.phone
        device.osVersion = "27"
        second.client.setDevice(device)
        try second.client.setOptions(["visitorID": .text("v2")])
        try await second.start()
        #expect(second.transport.sent.isEmpty)
        for _ in 0..<3 {
            second.client.checkAuthentication()
            try await second.recorder.until("setAuthenticationStatus 1")
        }
        // What could not be told is told before the next question, and then no more.
        let asked = second.transport.calls.filter { !$0.hasSuffix("/providers") }
        #expect(
            asked == [
                "PATCH /v1/devices", "GET /v1/authentication", "PATCH /v1/devices", "GET /v1/authentication",
                "GET /v1/authentication",
            ])
        let told = second.transport.sent.first?.body
        #expect(told?["visitorId"]?.text == "v2" && told?["deviceInfo"]?["osVersion"]?.text == "27")
        let third = try Bench(store: store)
        third.transport.on("GET /v1/authentication", .ok(Bench.signedIn))
        third.transport.on("PATCH /v1/devices", .refused(400, "bad_request", "none"))
        try third.client.setOptions(["visitorID": .text("v3")])
        try await third.start()
        for _ in 0..<2 {
            third.client.checkAuthentication()
            try await third.recorder.until("setAuthenticationStatus 1")
        }
        // What is refused is not told again with each question.
        #expect(third.transport.calls.count { $0 == "PATCH /v1/devices" } == 1)
    }

    @Test(arguments: [
        ["applicationProfile": JSONValue.text("p")], ["device_info": .text("e30=")], ["handleSVC": .boolean(false)],
        ["visitorID": .integer(7)], ["something": .text("else")], ["visitorID": .text("v"), "something": .null],
    ])
    func `An option that has no place is refused with the reason, and nothing changes`(
        options: [String: JSONValue]
    ) async throws {
        let bench = try Bench()
        let error = #expect(throws: UnsupportedOption.self) { try bench.client.setOptions(options) }
        #expect(error?.description.isEmpty == false)
        try await bench.start()
        #expect(bench.transport.sent.first?.body?["visitorId"] == nil)
    }
}
