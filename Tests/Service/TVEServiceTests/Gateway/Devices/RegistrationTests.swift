#if Service
import EntitlementValues
import BrokerSimulation
import Foundation
import RecordChecks
import SealedRecords
import TVEService
import Testing

/// How devices come: `POST /v1/devices`, the limits on it, and what it leaves behind.
@Suite struct RegistrationTests {
    @Test func `A registered device has a token, and the answer says until when it is good`() async throws {
        try await GatewayBench.with { bench in
            let answer = try await bench.ask("POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(GatewayBench.info)}"#)
            #expect(answer.status == 201)
            #expect(Set(answer.object.keys) == ["code", "deviceToken", "expires"])
            #expect(answer.code == "registered")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer["Set-Cookie"] == nil)
            let expires = try #require(answer.object["expires"] as? Int64)
            let days = Double(expires - bench.time.now.milliseconds) / 86_400_000
            #expect((29.9...30).contains(days))
        }
    }

    @Test func `A device that only registers and renews costs no call of the store and none of the broker`()
        async throws
    {
        try await GatewayBench.with { bench in
            let (calls, writes) = (bench.store.calls, bench.store.writes)
            for _ in 0..<20 {
                let token = try await bench.register("tv", #","identifier":"known","lastProvider":"SampleCable""#)
                #expect(!token.isEmpty)
            }
            #expect(bench.store.calls == calls)
            #expect(bench.brokerCalls.isEmpty)
            let token = try await bench.register()
            let renewed = try await bench.ask("POST", "/v1/devices/renew", token: token)
            #expect(renewed.status == 200 && renewed.code == "renewed")
            #expect(renewed.object["deviceToken"] as? String != token)
            #expect(bench.store.writes == writes)
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `A token that would be too long to be opened is not made`() async throws {
        try await GatewayBench.with { bench in
            func register(_ count: Int) async throws -> Answer {
                let controls = String(repeating: #"\u0001"#, count: count)
                return try await bench.ask("POST", "/v1/devices", #"{"app":"tv","lastProvider":"\#(controls)"}"#)
            }
            let refused = try await register(4096)
            #expect(refused.status == 400 && refused.code == "bad_request", "\(refused.text)")
            #expect((refused.object["detail"] as? String)?.contains("too long") == true)
            var longest: Answer?
            for count in (1900...2048).reversed() where longest == nil {
                let answer = try await register(count)
                if answer.status == 201 { longest = answer }
            }
            var token = try #require(longest?.object["deviceToken"] as? String)
            for _ in 0..<12 {
                let renewed = try await bench.ask("POST", "/v1/devices/renew", token: token)
                #expect(renewed.status == 200, "\(renewed.text)")
                token = try #require(renewed.object["deviceToken"] as? String)
            }
        }
    }

    @Test(arguments: [
        ("", "bad_request"), ("[]", "bad_request"), (#"{"app":7}"#, "bad_request"), ("{}", "bad_request"),
        (#"{"app":"nobody"}"#, "bad_request"), (#"{"app":"tv","more":1}"#, "bad_request"),
        (#"{"app":"tv","deviceInfo":"TV"}"#, "bad_request"),
        (#"{"app":"tv","deviceInfo":{"model":"\u0001"}}"#, "bad_request"),
        (#"{"app":"tv","identifier":""}"#, "bad_request"), (#"{"app":"tv","identifier":"a\u0000b"}"#, "bad_request"),
        (#"{"app":"tv","visitorId":"a b\n"}"#, "bad_request"), (#"{"app":"tv","cookie":"yes"}"#, "bad_request"),
        (#"{"app":"tv","app":"web"}"#, "bad_request"),
    ])
    func `A body of another form is refused`(body: String, code: String) async throws {
        try await GatewayBench.with { bench in
            let answer = try await bench.ask("POST", "/v1/devices", body)
            #expect(answer.status == 400 && answer.code == code, "\(answer.text)")
            #expect(answer.object["action"] as? String == "none")
            #expect((answer.object["detail"] as? String)?.isEmpty == false)
        }
    }

    @Test(arguments: [
        #"{"displayHeight":"1080"}"#, #"{"displayHeight":{}}"#, #"{"displayWidth":1.5}"#, #"{"displayWidth":null}"#,
        #"{"displayWidth":true}"#, #"{"model":1000}"#, #"{"osName":["tvOS"]}"#, #"{"manufacturer":false}"#,
        #"{"somethingElse":{}}"#, #"{"somethingElse":[1]}"#, #"{"somethingElse":true}"#, #"{"somethingElse":null}"#,
    ])
    func `Information on the device with a member of another type is refused, at first and later`(
        info: String
    ) async throws {
        try await GatewayBench.with { bench in
            let new = try await bench.ask("POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(info)}"#)
            #expect(new.status == 400 && new.code == "bad_request", "\(new.text)")
            #expect(!new.text.contains("somethingElse"))
            let token = try await bench.register()
            let changed = try await bench.ask("PATCH", "/v1/devices", #"{"deviceInfo":\#(info)}"#, token: token)
            #expect(changed.status == 400 && changed.code == "bad_request", "\(changed.text)")
        }
    }

    @Test func `Sizes that are whole numbers are taken, and what an app says of its connection is not looked at`()
        async throws
    {
        try await GatewayBench.with { bench in
            let info =
                #"{"model":"TV-1000","displayWidth":1920,"displayHeight":1080,"displayPpi":40.5,"userAgent":"TV/1","#
                + #""connectionIp":{},"connectionPort":[],"connectionSecure":true}"#
            let answer = try await bench.ask("POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(info)}"#)
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test func `Methods, paths and bodies beyond the limits are refused in the form of the gateway`() async throws {
        try await GatewayBench.with(["limits.bodyBytes": "2048"]) { bench in
            let method = try await bench.ask("PUT", "/v1/devices", "{}")
            #expect(method.status == 405 && method.code == "method_not_allowed")
            #expect(method["Allow"] == "DELETE, PATCH, POST")
            #expect(method.object["action"] as? String == "none")
            let long = try await bench.ask("POST", "/v1/devices", #"{"app":"\#(String(repeating: "a", count: 3000))"}"#)
            #expect(long.status == 413 && long.code == "too_large")
            #expect(long.object["action"] as? String == "none")
            for path in ["/v1/devices/", "/v1/devices/1", "/v1/return/", "/v1/return/a/b", "/v1/activations/"] {
                #expect(try await bench.ask("GET", path).status == 404, "\(path)")
            }
        }
    }

    @Test func `Without a section broker no path of the gateway is there`() async throws {
        try await RunningService.with { service async throws in
            for path in ["/v1/devices", "/v1/plays", "/activate", "/v1/return/x"] {
                #expect(try await service.post(path, "{}").status == 404)
            }
        }
    }

    @Test func `An address registers ten devices at once and then one every six seconds, others are not held up`()
        async throws
    {
        let changes = ["broker.devicesPerMinute": "10", "broker.clientAddressHeader": "X-Forwarded-For"]
        try await GatewayBench.with(changes, time: ShiftedTime(standing: true)) { bench in
            func register(from address: String) async throws -> Answer {
                try await bench.ask(
                    "POST", "/v1/devices", #"{"app":"tv"}"#, fields: ["X-Forwarded-For: \(address)"])
            }
            for _ in 0..<10 { #expect(try await register(from: "203.0.113.7").status == 201) }
            let refused = try await register(from: "203.0.113.7")
            #expect(refused.status == 429 && refused.code == "too_many_requests")
            #expect(refused.object["action"] as? String == "retry")
            let wait = try #require(refused["Retry-After"].flatMap { Int($0) })
            #expect((1...6).contains(wait))
            #expect(try await register(from: "203.0.113.8").status == 201)
            bench.time.advance(by: .seconds(6))
            #expect(try await register(from: "203.0.113.7").status == 201)
            #expect(try await register(from: "203.0.113.7").status == 429)
            bench.time.advance(by: .seconds(61))
            for _ in 0..<10 { #expect(try await register(from: "203.0.113.7").status == 201) }
            #expect(try await register(from: "203.0.113.7").status == 429)
            // A flood does not get by with another address for each request, before the one that the proxy added.
            #expect(try await register(from: "198.51.100.1, 203.0.113.7").status == 429)
        }
    }

    @Test func `All addresses of a network of IPv6 count as one`() async throws {
        let changes = ["broker.devicesPerMinute": "10", "broker.clientAddressHeader": "X-Forwarded-For"]
        try await GatewayBench.with(changes, time: ShiftedTime(standing: true)) { bench async throws in
            func status(_ address: String) async throws -> Int {
                try await bench.ask(
                    "POST", "/v1/devices", #"{"app":"tv"}"#, fields: ["X-Forwarded-For: \(address)"]
                ).status
            }
            for host in 1...10 { #expect(try await status("2001:db8:1:2::\(host)") == 201) }
            #expect(try await status("2001:db8:1:2:ffff:1:2:3") == 429)
            #expect(try await status("2001:db8:1:3::1") == 201)
        }
    }
}
#endif
