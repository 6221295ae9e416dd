#if Service
import BrokerMessages
import BrokerSimulation
import Foundation
import TVEService
import Testing

/// The identifier that an app brings along from the operator's library: it fills a header of a new device, and finds none.
@Suite struct IdentifierTests {
    private static let known = #","identifier":"known-identifier""#

    private static func ask(_ bench: GatewayBench, _ token: String) async throws -> Answer {
        try await bench.ask("POST", "/v1/authentication", #"{"mvpd":"SampleCable","secondScreen":true}"#, token: token)
    }

    @Test func `A known identifier finds no record, registers anew, and sees nothing of the other device`() async throws
    {
        try await GatewayBench.with { bench in
            let victim = try await bench.register("tv", Self.known)
            #expect(try await Self.ask(bench, victim).code == "code")
            let registrations = bench.brokerCalls.count { $0 == .register }
            #expect(registrations == 1)
            // The attacker has read the identifier somewhere.
            let attacker = try await bench.register("tv", Self.known)
            #expect(try await Self.ask(bench, attacker).code == "code")
            #expect(bench.brokerCalls.count { $0 == .register } == 2)
            let tokens = Set(bench.sent.values(of: "Authorization"))
            #expect(tokens.count == 2, "each device has an access token of its own")
            let identifiers = Set(bench.sent.values(of: DeviceIdentifier.name))
            #expect(identifiers == [try DeviceIdentifier("known-identifier").headerValue])
            // What the attacker does to its device does nothing to the other one.
            #expect(try await bench.ask("DELETE", "/v1/devices", token: attacker).status == 200)
            #expect(try await bench.status(victim).code == "pending")
            #expect(bench.brokerCalls.count { $0 == .register } == 2)
        }
    }

    @Test func `Devices without an identifier get different ones, and keep them`() async throws {
        try await GatewayBench.with { bench in
            for _ in 0..<2 {
                let token = try await bench.register()
                _ = try await Self.ask(bench, token)
                let renewed = try await bench.ask("POST", "/v1/devices/renew", token: token)
                _ = try await Self.ask(bench, try #require(renewed.object["deviceToken"] as? String))
            }
            #expect(Set(bench.sent.values(of: DeviceIdentifier.name)).count == 2)
        }
    }

    @Test func `Neither token nor log nor answer shows the identifier`() async throws {
        try await GatewayBench.with { bench in
            let token = try await bench.register("tv", Self.known)
            _ = try await Self.ask(bench, token)
            let bytes = try #require(
                Data(
                    base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/")
                        + String(repeating: "=", count: (4 - token.count % 4) % 4)))
            #expect(bytes.range(of: Data("known".utf8)) == nil)
            #expect(bytes.range(of: Data("TV-1000".utf8)) == nil)
            #expect(!bench.service.log.text.contains("known-identifier"))
            #expect(!bench.service.log.text.contains(token.prefix(40)))
        }
    }
}
#endif
