#if Service
import EntitlementValues
import BrokerSimulation
import Foundation
import RecordChecks
import TVEService
import Testing

/// Device tokens: which are good, for how long, and how a newer one takes the place of an older one.
@Suite struct GenerationTests {
    /// Makes a record of the device.
    private static func record(_ bench: GatewayBench, _ token: String) async throws -> Answer {
        try await bench.ask("PATCH", "/v1/devices", #"{"visitorId":"v1"}"#, token: token)
    }

    private static func renew(_ bench: GatewayBench, _ token: String) async throws -> String {
        let answer = try await bench.ask("POST", "/v1/devices/renew", token: token)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.object["deviceToken"] as? String)
    }

    private static func refusal(_ bench: GatewayBench, _ token: String) async throws -> String? {
        let answer = try await record(bench, token)
        #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer")
        #expect(answer.object["action"] as? String == "sign_in")
        return answer.code
    }

    @Test func `The generation before is good until the newer one is first used`() async throws {
        try await GatewayBench.with { bench in
            let first = try await bench.register()
            #expect(try await Self.record(bench, first).status == 200)
            let second = try await Self.renew(bench, first)
            // The answer was lost: the app goes on with the token that it has.
            #expect(try await Self.record(bench, first).status == 200)
            let again = try await Self.renew(bench, first)
            #expect(try await Self.record(bench, again).status == 200)
            #expect(try await Self.refusal(bench, first) == "device_token_revoked")
            // The lost one is of the same generation.
            #expect(try await Self.record(bench, second).status == 200)
            let third = try await Self.renew(bench, again)
            #expect(try await Self.record(bench, third).status == 200)
            #expect(try await Self.refusal(bench, second) == "device_token_revoked")
            #expect(try await Self.refusal(bench, again) == "device_token_revoked")
        }
    }

    @Test func `A token that was renewed before there was a record takes the place of the older one when it is used`()
        async throws
    {
        try await GatewayBench.with { bench in
            let first = try await bench.register()
            let second = try await Self.renew(bench, first)
            #expect(try await Self.record(bench, first).status == 200)
            #expect(try await Self.record(bench, second).status == 200)
            #expect(try await Self.refusal(bench, first) == "device_token_revoked")
        }
    }

    @Test func `A token ends, and a renewed one ends later`() async throws {
        try await GatewayBench.with(["broker.deviceTokenDays": "2"]) { bench in
            let first = try await bench.register()
            bench.time.advance(by: .hours(47))
            let second = try await Self.renew(bench, first)
            bench.time.advance(by: .hours(2))
            #expect(try await Self.refusal(bench, first) == "device_token_expired")
            #expect(try await Self.record(bench, second).status == 200)
            bench.time.advance(by: .hours(46))
            #expect(try await Self.refusal(bench, second) == "device_token_expired")
        }
    }

    @Test func `A token that was changed in any place is not good`() async throws {
        try await GatewayBench.with { bench in
            let writes = bench.store.writes
            let token = Array(try await bench.register().utf8)
            for index in stride(from: 0, to: token.count, by: max(1, token.count / 40)) {
                var changed = token
                changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let text = String(decoding: changed, as: UTF8.self)
                #expect(try await Self.refusal(bench, text) == "bad_device_token", "\(index)")
            }
            for text in [
                "", "x", "....", String(decoding: token.dropLast(4), as: UTF8.self),
                String(repeating: "A", count: 20_000),
            ] {
                let answer = try await Self.record(bench, text)
                #expect(answer.status == 401, "\(text.prefix(20))")
            }
            #expect(bench.store.writes == writes)
        }
    }

    @Test func `A token has one spelling`() async throws {
        try await GatewayBench.with { bench in
            var others = 0
            // Hundreds of random characters: some of them are spelt otherwise in the other alphabet.
            for _ in 0..<3 {
                let token = try await bench.register()
                let padding = String(repeating: "=", count: (4 - token.utf8.count % 4) % 4)
                let standard = token.replacing("-", with: "+").replacing("_", with: "/")
                for other in [token + padding, standard, standard + padding] where other != token {
                    #expect(try await Self.refusal(bench, other) == "bad_device_token")
                    others += 1
                }
                #expect(try await Self.record(bench, token).status == 200)
            }
            #expect(others > 0)
        }
    }

    @Test func `A token of another gateway, and of an app that is not served any more, is not good`() async throws {
        let token = try await GatewayBench.with { bench in try await bench.register("second") }
        try await GatewayBench.with { bench async throws in
            #expect(try await Self.refusal(bench, token) == "bad_device_token")
        }
    }

    @Test func `Without a token, and with a scheme that is not Bearer, a device is not known`() async throws {
        try await GatewayBench.with { bench in
            let none = try await bench.ask("PATCH", "/v1/devices", "{}")
            #expect(none.status == 401 && none.code == "no_device_token")
            let token = try await bench.register()
            let basic = try await bench.ask("PATCH", "/v1/devices", "{}", fields: ["Authorization: Basic \(token)"])
            #expect(basic.status == 401 && basic.code == "bad_device_token")
            let lower = try await bench.ask("PATCH", "/v1/devices", "{}", fields: ["authorization: bearer \(token)"])
            #expect(lower.status == 200)
        }
    }

    @Test func `A forgotten device is not known any more, and neither are its tokens`() async throws {
        try await GatewayBench.with { bench in
            let token = try await bench.register()
            #expect(try await Self.record(bench, token).status == 200)
            let answer = try await bench.ask("DELETE", "/v1/devices", token: token)
            #expect(answer.status == 200 && answer.code == "forgotten")
            #expect(try await Self.refusal(bench, token) == "device_token_revoked")
        }
    }

    @Test func `If the store does not answer, the device is asked to come again, and nothing is believed`() async throws
    {
        try await GatewayBench.with { bench in
            let token = try await bench.register()
            #expect(try await Self.record(bench, token).status == 200)
            bench.store.setAway(true)
            let away = try await Self.record(bench, token)
            #expect(away.status == 503 && away.code == "record_store_unavailable")
            #expect(away.object["action"] as? String == "retry" && away["Retry-After"] == "1")
            bench.store.setAway(false)
            #expect(try await Self.record(bench, token).status == 200)
        }
    }
}
#endif
