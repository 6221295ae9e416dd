import Foundation
import Testing

@testable import AppEntitlements

/// Registering, renewing, repeating.
@Suite struct GatewayTests {
    let transport = ScriptedTransport()
    let time = TestTime()

    private func gateway(_ store: any DeviceStateStore = InMemoryDeviceStateStore()) throws -> Gateway {
        try Gateway(
            at: try #require(URL(string: Bench.address)), for: "tv", device: .phone, visitorID: "visitor",
            lastProvider: "SampleCable", store: store, transport: transport, time: time.time)
    }

    @Test func `The first request registers the device, and the next ones use its token`() async throws {
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let gateway = try gateway()
        _ = try await gateway.send(.profile())
        _ = try await gateway.send(.profile())
        #expect(transport.sent.map(\.call) == ["POST /v1/devices", "GET /v1/profile", "GET /v1/profile"])
        #expect(transport.sent.map(\.token) == [nil, ScriptedTransport.token, ScriptedTransport.token])
        let body = try #require(transport.sent.first?.body)
        #expect(body["app"]?.text == "tv" && body["visitorId"]?.text == "visitor")
        #expect(body["lastProvider"]?.text == "SampleCable" && body["deviceInfo"]?["osName"]?.text == "iOS")
    }

    @Test func `Many requests at the same time register the device once`() async throws {
        let gate = Gate()
        transport.on("POST /v1/devices", .waits(gate, then: ScriptedTransport.registered))
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let gateway = try gateway()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await gateway.send(.profile()) } }
            gate.open()
            try await group.waitForAll()
        }
        #expect(transport.sent.count { $0.call == "POST /v1/devices" } == 1)
        #expect(transport.calls.count == 20)
    }

    @Test func `One request that is cancelled does not end the registration of the others`() async throws {
        let gate = Gate()
        transport.on("POST /v1/devices", .waits(gate, then: ScriptedTransport.registered))
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let gateway = try gateway()
        let first = Task { try await gateway.send(.profile()) }
        let second = Task { try await gateway.send(.profile()) }
        while transport.sent.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        first.cancel()
        gate.open()
        #expect(try await second.value.code == "profile")
        #expect(transport.sent.count { $0.call == "POST /v1/devices" } == 1)
    }

    @Test func `A token that ends within a week is renewed, and the new one is used`() async throws {
        let store = InMemoryDeviceStateStore()
        let soon = time.time.now() + 6 * 24 * 3_600_000
        transport.on(
            "POST /v1/devices", .json(201, #"{"code":"registered","deviceToken":"old","expires":\#(soon)}"#))
        transport.on(
            "POST /v1/devices/renew", .ok(#"{"code":"renewed","deviceToken":"new","expires":9000000000000}"#))
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let first = try gateway(store)
        try await first.register()
        _ = try await first.send(.profile())
        #expect(transport.sent.map(\.call) == ["POST /v1/devices", "POST /v1/devices/renew", "GET /v1/profile"])
        #expect(transport.sent.map(\.token) == [nil, "old", "new"])
        // The next start of the app has the new one.
        _ = try await gateway(store).send(.profile())
        #expect(transport.sent.last?.token == "new" && transport.sent.count == 4)
    }

    @Test(arguments: [
        ScriptedTransport.Reply.fails(.interrupted), .refused(503, "store_unavailable", "retry"), .ok("<html>"),
        .ok(#"{"code":"renewed"}"#),
    ])
    func `A renewal that fails holds no request up, and is tried again after an hour`(
        reply: ScriptedTransport.Reply
    ) async throws {
        let soon = time.time.now() + 6 * 24 * 3_600_000
        transport.on(
            "POST /v1/devices", .json(201, #"{"code":"registered","deviceToken":"old","expires":\#(soon)}"#))
        transport.on("POST /v1/devices/renew", reply)
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let gateway = try gateway()
        try await gateway.register()
        for _ in 0..<3 { _ = try await gateway.send(.profile()) }
        #expect(transport.sent.count { $0.call == "POST /v1/devices/renew" } == 1)
        #expect(transport.sent.last?.token == "old")
        time.advance(by: 3_600_000)
        _ = try await gateway.send(.profile())
        #expect(transport.sent.count { $0.call == "POST /v1/devices/renew" } == 2)
    }

    @Test(arguments: ["no_device_token", "bad_device_token", "device_token_expired", "device_token_revoked"])
    func `A device that the gateway does not know anymore registers anew, and asks once more`(
        code: String
    ) async throws {
        transport.on("POST /v1/plays", .refused(401, code, "sign_in"), .ok(Bench.playing))
        let gateway = try gateway()
        #expect(try await gateway.send(.play("R")).code == "playing")
        #expect(transport.sent.count { $0.call == "POST /v1/devices" } == 2)
        #expect(transport.calls.count == 2)
    }

    @Test func `A device that is refused again and again does not register for ever`() async throws {
        transport.on("POST /v1/plays", .refused(401, "bad_device_token", "sign_in"))
        let gateway = try gateway()
        let error = await #expect(throws: GatewayError.self) { try await gateway.send(.play("R")) }
        #expect(error?.code == "bad_device_token" && error?.asksForSignIn == true)
        #expect(transport.sent.count { $0.call == "POST /v1/devices" } == 2)
    }

    // MARK: Repeating

    @Test(arguments: [(nil, 1), ("0", 0), ("3", 3), ("5", 5)] as [(String?, Int)])
    func `What is refused with retry is asked again, after the pause that the gateway names`(
        retryAfter: String?, seconds: Int
    ) async throws {
        transport.on(
            "POST /v1/plays", .refused(429, "throttled", "retry", retryAfter: retryAfter),
            .refused(409, "token_replayed", "retry", retryAfter: retryAfter), .ok(Bench.playing))
        #expect(try await gateway().send(.play("R")).code == "playing")
        #expect(transport.calls.count == 3)
        #expect(time.slept == [.seconds(seconds), .seconds(seconds)])
    }

    @Test func `A long pause is left to the app, and after three times the refusal is told`() async throws {
        let gateway = try gateway()
        transport.on("POST /v1/plays", .refused(503, "broker_unreachable", "retry", retryAfter: "10"))
        let error = await #expect(throws: GatewayError.self) { try await gateway.send(.play("R")) }
        #expect(error?.retryAfter == .seconds(10) && error?.action == .retry)
        #expect(transport.calls.count == 1 && time.slept.isEmpty)
        transport.on("POST /v1/plays", .refused(429, "throttled", "retry", retryAfter: "2"))
        await #expect(throws: GatewayError.self) { try await gateway.send(.play("R")) }
        #expect(transport.calls.count == 4 && time.slept == [.seconds(2), .seconds(2)])
    }

    @Test(arguments: ["", "-1", "soon", "1.5", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT"])
    func `A pause that is not a number of seconds counts as none`(text: String) async throws {
        transport.on(
            "POST /v1/plays", .refused(429, "throttled", "retry", retryAfter: text), .ok(Bench.playing))
        _ = try await gateway().send(.play("R"))
        #expect(time.slept == [.seconds(1)])
    }

    @Test(arguments: ["sign_in", "choose_provider", "show_message", "none", "an_action_of_later"])
    func `What is refused with another action is not asked again`(action: String) async throws {
        let more = #","message":"Call us","links":["https://example.com","http://example.com",7]"#
        transport.on("POST /v1/plays", .refused(403, "denied", action, more: more))
        let gateway = try gateway()
        let error = await #expect(throws: GatewayError.self) { try await gateway.send(.play("R")) }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.action == GatewayAction(rawValue: action) ?? GatewayAction.none)
        #expect(refusal.message == "Call us" && refusal.links == ["https://example.com"] && refusal.status == 403)
        #expect(transport.calls.count == 1 && time.slept.isEmpty)
    }

    @Test(arguments: TransportFailure.allCases)
    func `A request that got lost is asked again only if that does no harm`(failure: TransportFailure) async throws {
        for call in [GatewayCall.profile(), .play("R"), .prove(returned: "c")] {
            let (transport, time) = (ScriptedTransport(), TestTime())
            transport.on(call.description, .fails(failure), .ok(#"{"code":"done"}"#))
            let gateway = try Gateway(
                at: try #require(URL(string: Bench.address)), for: "tv", device: .phone, transport: transport,
                time: time.time)
            let isTold = failure == .notTrusted || failure == .tooLong || failure == .cancelled
            let isRepeated = !isTold && (call.isRepeatable || failure == .notConnected)
            do throws(GatewayError) {
                _ = try await gateway.send(call)
                #expect(isRepeated)
            } catch {
                #expect(!isRepeated)
                #expect(error == (failure == .cancelled ? .cancelled : .transport(failure)))
            }
            #expect(transport.calls.count == (isRepeated ? 2 : 1), "\(call)")
        }
    }

    // MARK: Bad answers

    @Test(arguments: [
        (200, ""), (200, "<html>"), (200, #"{"code":"playing""#), (200, "[]"), (200, "{}"), (200, #"{"code":7}"#),
        (200, #"{"code":"Not a code"}"#), (403, "<html>"), (403, #"{"code":"denied"}"#), (403, #"{"action":"none"}"#),
        (502, "Bad Gateway"), (302, ""), (404, "Not Found"), (401, #"{"code":"","action":"sign_in"}"#),
    ])
    func `An answer that is not the gateway's is told as such`(status: Int, body: String) async throws {
        transport.on("POST /v1/plays", .json(status, body))
        let gateway = try gateway()
        let error = await #expect(throws: GatewayError.self) { try await gateway.send(.play("R")) }
        #expect(error == .unreadable(status: status, retryAfter: nil))
        #expect(error?.action == (status >= 500 ? .retry : GatewayAction.none))
        // Whether the play has begun is not known, so it is not asked for again.
        #expect(transport.calls.count == 1)
    }

    @Test func `A page of a proxy that is too busy is waited for, whatever was asked`() async throws {
        transport.on("POST /v1/plays", .json(429, "<html>", retryAfter: "4"), .ok(Bench.playing))
        #expect(try await gateway().send(.play("R")).code == "playing")
        #expect(time.slept == [.seconds(4)])
    }

    @Test func `The faults of playback sessions have a form of their own`() async throws {
        transport.on(
            "POST /v1/playback-sessions/renew", .json(401, #"{"error":{"code":"session_expired","detail":"d"}}"#))
        let gateway = try gateway()
        let error = await #expect(throws: GatewayError.self) { try await gateway.send(.renewPlayback("s")) }
        #expect(error?.code == "session_expired" && error?.action == GatewayAction.none)
        transport.on("POST /v1/playback-sessions/end", .ok(#"{"revoked":true}"#))
        #expect(try await gateway.send(.endPlayback("s")).code == "done")
    }

    // MARK: What is kept

    @Test(arguments: [
        "http://tv.example.com", "ftp://tv.example.com", "https://", "tv.example.com", "https://tv.example.com?a=b",
        "https://tv.example.com#a", "https://user@tv.example.com", "http://127.0.0.1.example.com",
    ])
    func `An address to which a token must not go is refused before anything is sent`(text: String) throws {
        let address = try #require(URL(string: text))
        #expect(throws: GatewayError.unsafeAddress) {
            try Gateway(at: address, for: "tv", device: .phone, transport: transport)
        }
    }

    @Test func `A token is sent only to the gateway that gave it, and damaged bytes are a new device`() async throws {
        let store = InMemoryDeviceStateStore()
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        try await gateway(store).register()
        let other = try Gateway(
            at: try #require(URL(string: "https://other.example.com/prefix/")), for: "tv", device: .phone,
            store: store, transport: transport)
        transport.on("GET /prefix/v1/profile", .ok(#"{"code":"profile"}"#))
        transport.on(
            "POST /prefix/v1/devices", .json(201, #"{"code":"registered","deviceToken":"o","expires":9000000000000}"#))
        _ = try await other.send(.profile())
        #expect(transport.sent.last == .init(call: "GET /prefix/v1/profile", body: nil, token: "o"))
        store.save(Data("{".utf8), for: "tv")
        _ = try await gateway(store).send(.profile())
        #expect(transport.sent.count { $0.call == "POST /v1/devices" } == 2)
    }

    @Test func `Many requests at the same time tell once what the device says of itself`() async throws {
        let (store, gate) = (InMemoryDeviceStateStore(), Gate())
        let kept = #"{"gateway":"https://tv.example.com","token":"t","expires":9000000000000,"owesLogout":false}"#
        // It does not say what the gateway was told.
        store.save(Data(kept.utf8), for: "tv")
        transport.on("PATCH /v1/devices", .waits(gate, then: #"{"code":"changed"}"#))
        transport.on("GET /v1/profile", .ok(#"{"code":"profile"}"#))
        let gateway = try gateway(store)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await gateway.send(.profile()) } }
            while transport.sent.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            try await group.waitForAll()
        }
        #expect(transport.calls.first == "PATCH /v1/devices" && transport.calls.count == 21)
        _ = try await self.gateway(store).send(.profile())
        #expect(transport.calls.count == 22 && transport.sent.allSatisfy { $0.token == "t" })
    }

    @Test func `The digest of what a device says is the same in each start and release`() {
        #expect(DeviceDescription.phone.digest(with: nil) == "201dbf71c59e38f6")
        #expect(DeviceDescription.phone.digest(with: "v1") == "e9cba77f1feff188")
    }

    @Test func `A store that fails is told, and nothing is sent`() async throws {
        let gateway = try gateway(BrokenStore())
        await #expect(throws: GatewayError.storage) { try await gateway.send(.profile()) }
        #expect(transport.sent.isEmpty)
    }

    @Test func `A device that is forgotten is a new one the next time`() async throws {
        let store = InMemoryDeviceStateStore()
        transport.on("DELETE /v1/devices", .ok(#"{"code":"forgotten"}"#))
        let gateway = try gateway(store)
        try await gateway.forget()
        #expect(transport.sent.isEmpty)
        try await gateway.register()
        #expect(store.load(for: "tv") != nil)
        try await gateway.forget()
        #expect(store.load(for: "tv") == nil && transport.calls == ["DELETE /v1/devices"])
    }

    @Test func `Files are for their owner alone, and one app does not read another's`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-sdk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileDeviceStateStore(in: folder)
        #expect(try store.load(for: "../tv") == nil)
        for text in ["one", "two"] { try store.save(Data(text.utf8), for: "../tv") }
        #expect(try store.load(for: "../tv") == Data("two".utf8) && (try store.load(for: "tv")) == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 1)
        let file = folder.appendingPathComponent(try #require(names.first))
        for (path, rights) in [(folder.path, 0o700), (file.path, 0o600)] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == rights)
        }
        try store.save(nil, for: "../tv")
        try store.save(nil, for: "../tv")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `No description shows a token, a code, an address of a login or a text of the provider`() throws {
        let secret = "secret-7f3a"
        let open = try #require(GatewayAnswer(["code": .text("open"), "url": .text(secret), "session": .text(secret)]))
        let code = try #require(
            GatewayAnswer([
                "code": .text("code"), "activationCode": .text(secret), "activationURL": .text(secret),
                "until": .integer(1),
            ]))
        let refusal = try #require(
            GatewayRefusal(
                ["code": .text("denied"), "action": .text("none"), "detail": .text(secret), "message": .text(secret)],
                status: 403, retryAfter: nil))
        let shown: [Any] = [
            open, code, refusal, GatewayError.refused(refusal), JSONValue.text(secret),
            GatewayCall.prove(returned: secret),
            GatewayCall.play(secret), try #require(SignInStep(open)), try #require(SignInStep(code)),
            DeviceState(gateway: "g", token: secret, expires: 1), PartnerStatus(.granted, provider: secret),
            PartnerReply.answer(PartnerStatus(.granted), response: secret),
        ]
        for value in shown {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains(secret), "\(type(of: value))")
        }
    }
}
