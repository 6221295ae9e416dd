#if Service
import Foundation
import TVEService
import Testing

/// Pages of other origins: they may ask with a token if the settings name them, and never with a cookie.
@Suite struct CrossOriginTests {
    private static let partner = "https://app.example.net"

    @Test func `A page of a named origin may ask with a token, and is never allowed credentials`() async throws {
        try await GatewayBench.with(["broker.corsOrigins": Self.partner]) { bench in
            let preflight = try await bench.ask(
                "OPTIONS", "/v1/devices",
                fields: [
                    "Origin: \(Self.partner)", "Access-Control-Request-Method: DELETE",
                    "Access-Control-Request-Headers: authorization",
                ])
            #expect(preflight.status == 204)
            #expect(preflight["Access-Control-Allow-Origin"] == Self.partner)
            #expect(preflight["Access-Control-Allow-Methods"] == "DELETE, PATCH, POST")
            #expect(preflight["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
            #expect(preflight["Access-Control-Allow-Credentials"] == nil)
            let answer = try await bench.ask(
                "POST", "/v1/devices", #"{"app":"web"}"#, fields: ["Origin: \(Self.partner)"])
            #expect(answer.status == 201)
            #expect(answer["Access-Control-Allow-Origin"] == Self.partner && answer["Vary"] == "Origin")
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
            // Refusals can be read as well.
            let refusal = try await bench.ask("POST", "/v1/devices", "{}", fields: ["Origin: \(Self.partner)"])
            #expect(refusal.status == 400 && refusal["Access-Control-Allow-Origin"] == Self.partner)
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "https://app.example.net.evil.example", "http://app.example.net",
        "https://APP.example.net", "https://app.example.net:443",
    ])
    func `A page of any other origin reads nothing`(origin: String) async throws {
        try await GatewayBench.with(["broker.corsOrigins": Self.partner]) { bench in
            for method in ["OPTIONS", "POST"] {
                let answer = try await bench.ask(method, "/v1/devices", "{}", fields: ["Origin: \(origin)"])
                #expect(answer["Access-Control-Allow-Origin"] == nil)
                #expect(answer["Vary"] == "Origin")
            }
        }
    }

    @Test func `A named origin gets no cookie, and without the setting no origin may ask`() async throws {
        try await GatewayBench.with(["broker.corsOrigins": Self.partner]) { bench in
            let body = #"{"app":"web","cookie":true}"#
            let answer = try await bench.ask("POST", "/v1/devices", body, fields: ["Origin: \(Self.partner)"])
            #expect(answer.status == 403 && answer.code == "cross_site" && answer["Set-Cookie"] == nil)
        }
        try await GatewayBench.with { bench in
            let answer = try await bench.ask("OPTIONS", "/v1/devices", fields: ["Origin: \(Self.partner)"])
            #expect(answer.status == 405)
            #expect(answer["Access-Control-Allow-Origin"] == nil)
        }
    }
}
#endif
