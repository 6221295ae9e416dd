#if Service
import Foundation
import RecordChecks
import TVEService
import Testing

/// Device tokens in cookies: for web apps of the same site alone.
@Suite struct CookieTests {
    private static let own = GatewayBench.publicURL
    private static let json = "Content-Type: application/json"
    private static let body = #"{"app":"web","cookie":true}"#

    /// The fields by which a page of the gateway's own origin is known.
    private static let ownFields = ["Origin: \(own)", "Sec-Fetch-Site: same-origin"]

    private static func register(_ bench: GatewayBench, _ fields: [String] = ownFields) async throws -> Answer {
        try await bench.ask("POST", "/v1/devices", body, fields: fields)
    }

    /// The cookie as a browser sends it back.
    private static func cookie(_ answer: Answer) throws -> String {
        let set = try #require(answer["Set-Cookie"])
        return "Cookie: a=b; \(set.prefix { $0 != ";" })"
    }

    @Test func `A token in a cookie is not in the body, and scripts and other hosts cannot have it`() async throws {
        try await GatewayBench.with { bench in
            let answer = try await Self.register(bench)
            #expect(answer.status == 201)
            #expect(Set(answer.object.keys) == ["code", "expires"])
            let set = try #require(answer["Set-Cookie"])
            let attributes = set.split(separator: ";").dropFirst().map { $0.drop { $0 == " " } }
            #expect(set.hasPrefix("__Host-tve_device="))
            // A second may pass between the token and its cookie.
            let ages = ["Max-Age=2592000", "Max-Age=2591999"]
            #expect(ages.contains { Set(attributes) == ["Path=/", "Secure", "HttpOnly", "SameSite=Lax", $0[...]] })
            let cookie = try Self.cookie(answer)
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", fields: [cookie] + Self.ownFields).status == 200)
        }
    }

    @Test func `A renewed token comes in a cookie again, and forgetting the device removes the cookie`() async throws {
        try await GatewayBench.with { bench in
            let cookie = try Self.cookie(try await Self.register(bench))
            let fields = [cookie, Self.json] + Self.ownFields
            let renewed = try await bench.ask("POST", "/v1/devices/renew", fields: fields)
            #expect(renewed.status == 200 && renewed.object["deviceToken"] == nil)
            #expect(try Self.cookie(renewed) != cookie)
            let forgotten = try await bench.ask(
                "DELETE", "/v1/devices", fields: [try Self.cookie(renewed), Self.json] + Self.ownFields)
            #expect(forgotten.status == 200)
            #expect(forgotten["Set-Cookie"]?.hasPrefix("__Host-tve_device=; ") == true)
            #expect(forgotten["Set-Cookie"]?.contains("Max-Age=0") == true)
        }
    }

    @Test(arguments: [
        // A form of a foreign page, in all three types that forms have.
        ["Content-Type: text/plain", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
        ["Content-Type: application/x-www-form-urlencoded", "Origin: \(own)"],
        ["Content-Type: multipart/form-data; boundary=x", "Origin: \(own)"],
        ["Content-Type: text/plain", "Origin: \(own)", "Sec-Fetch-Site: same-origin"],
        // A script of a foreign page, of another host of the same site, and of a page without an origin.
        [json, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
        [json, "Origin: https://other.example.com", "Sec-Fetch-Site: same-site"],
        [json, "Origin: null"], [json, "Origin: http://tv.example.com"],
        [json, "Origin: https://tv.example.com.evil.example"], [json, "Origin: https://tv.example.com:8443"],
        [json, "Sec-Fetch-Site: none"], [json, "Sec-Fetch-Site: same-site"], [json, "Sec-Fetch-Site: cross-site"],
        // Browsers that send one of the two honestly cannot be told the other one.
        [json, "Origin: \(own)", "Sec-Fetch-Site: cross-site"],
        [json, "Origin: https://evil.example", "Sec-Fetch-Site: same-origin"],
        // Neither: a program, which takes the token.
        [json], ["Content-Type: application/json-patch", "Origin: \(own)"],
    ])
    func `A foreign page can neither change anything with the cookie nor plant one`(fields: [String]) async throws {
        try await GatewayBench.with { bench in
            let cookie = try Self.cookie(try await Self.register(bench))
            let writes = bench.store.writes
            for (method, path, body) in [
                ("PATCH", "/v1/devices", #"{"visitorId":"x"}"#), ("DELETE", "/v1/devices", nil),
                ("POST", "/v1/devices/renew", nil), ("POST", "/v1/plays", #"{"resource":"TestChannel"}"#),
            ] {
                let answer = try await bench.ask(method, path, body, fields: [cookie] + fields)
                #expect(answer.status == 403 && answer.code == "cross_site", "\(method) \(path) \(answer.text)")
                #expect(answer["Set-Cookie"] == nil)
            }
            #expect(bench.store.writes == writes && bench.brokerCalls.isEmpty)
            let planted = try await Self.register(bench, fields)
            #expect(planted.status == 403 && planted["Set-Cookie"] == nil)
        }
    }

    @Test(arguments: [
        ["Origin: \(own)"], ["Sec-Fetch-Site: same-origin"], ownFields,
        ["Content-Type: application/json; charset=utf-8", "Origin: \(own)"],
    ])
    func `Pages of the gateway's own origin may, in old browsers and in new ones`(fields: [String]) async throws {
        try await GatewayBench.with { bench in
            let answer = try await Self.register(bench, fields)
            #expect(answer.status == 201)
            let change = try await bench.ask(
                "PATCH", "/v1/devices", "{}", fields: [try Self.cookie(answer)] + fields)
            #expect(change.status == 200)
        }
    }

    @Test func `A token in Authorization counts before a cookie, and needs no rules for pages`() async throws {
        try await GatewayBench.with { bench in
            let cookie = try Self.cookie(try await Self.register(bench))
            let token = try await bench.register()
            let fields = [cookie, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"]
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", token: token, fields: fields).status == 200)
            let renewed = try await bench.ask("POST", "/v1/devices/renew", token: token, fields: fields)
            #expect(renewed.object["deviceToken"] is String && renewed["Set-Cookie"] == nil)
            let bad = try await bench.ask("PATCH", "/v1/devices", "{}", token: "x", fields: fields)
            #expect(bad.status == 401)
        }
    }

    @Test func `A cookie that is not good any more is removed`() async throws {
        try await GatewayBench.with { bench in
            let answer = try await bench.ask(
                "PATCH", "/v1/devices", "{}", fields: ["Cookie: __Host-tve_device=x"] + Self.ownFields)
            #expect(answer.status == 401 && answer.code == "bad_device_token")
            #expect(answer["Set-Cookie"]?.contains("Max-Age=0") == true)
        }
    }

    @Test func `Information that would not fit into a cookie is refused instead of lost`() async throws {
        try await GatewayBench.with { bench in
            let long = String(repeating: "m", count: 3500)
            let body = #"{"app":"web","cookie":true,"deviceInfo":{"model":"\#(long)"}}"#
            let answer = try await bench.ask("POST", "/v1/devices", body, fields: Self.ownFields)
            #expect(answer.status == 400 && answer["Set-Cookie"] == nil)
            #expect(
                try await bench.ask("POST", "/v1/devices", body.replacing(#""cookie":true,"#, with: "")).status == 201)
        }
    }
}
#endif
