#if Service
import BrokerSimulation
import EntitlementValues
import Foundation
import TVEService
import Testing

/// What becomes of a sign-in if the replica that takes the browser back is killed before it answers: a proxy repeats the
/// request at another one, and the browser has got no cookie.
@Suite struct LostAnswerTests {
    private static let header = ["broker.clientPortHeader": "X-Test-Port"]
    private static let address = "X-Test-Address: 10.1.2.3"
    private static let connection = [address, "X-Test-Port: 4711", "User-Agent: Sample"]

    @Test func `The return is repeated over the same connection: nobody has to sign in again`() async throws {
        try await GatewayBench.withReplicas(Self.header) { replicas in
            let device = try await replicas.first.register()
            let back = try replicas.first.logIn(at: try await replicas.first.begin(device))
            let lost = try await Browser(of: replicas.first).open(back, fields: Self.connection)
            let again = try await Browser(of: replicas.second).open(back, fields: Self.connection)
            let code = try replicas.second.code(handedOverBy: again)
            #expect(try replicas.first.code(handedOverBy: lost) == code)
            #expect(try await replicas.second.prove(device, code).code == "authenticated")
            try await replicas.first.expectSignedIn(device)
        }
    }

    /// The one that took the browser stops before it asks, or cannot reach the broker; it would ask again after five seconds.
    @Test func `Another replica asks the broker at once if the first one has not`() async throws {
        try await GatewayBench.withReplicas(Self.header) { replicas in
            let device = try await replicas.first.register()
            let back = try replicas.first.logIn(at: try await replicas.first.begin(device))
            replicas.first.activate(.status(503), at: .profileByCode)
            let page = try await Browser(of: replicas.first).open(back, fields: Self.connection)
            try replicas.first.simulator.deactivate(scenario: "test")
            let code = try replicas.first.code(handedOverBy: page)
            // Not as long as the first one would need to ask again.
            replicas.first.time.holdWaits(after: .seconds(3))
            #expect(try await replicas.second.prove(device, code).code == "pending")
            async let waiting = replicas.second.status(device, wait: 20)
            try await replicas.second.service.until { _ in
                try await replicas.second.status(device).code == "authenticated"
            }
            replicas.first.time.releaseWaits()
            #expect(try await waiting.code == "authenticated")
        }
    }

    @Test(arguments: [
        [address, "X-Test-Port: 4712", "User-Agent: Sample"], [address, "X-Test-Port: 4711", "User-Agent: Other"],
        [address, "X-Test-Port: 4711"], [address, "User-Agent: Sample"],
        ["X-Test-Address: 10.1.2.4", "X-Test-Port: 4711", "User-Agent: Sample"],
    ])
    func `Another connection is another browser, and the sign-in is void`(fields: [String]) async throws {
        try await GatewayBench.withReplicas(Self.header) { replicas in
            let device = try await replicas.first.register()
            let back = try replicas.first.logIn(at: try await replicas.first.begin(device))
            let first = try await Browser(of: replicas.first).open(back, fields: Self.connection)
            let code = try replicas.first.code(handedOverBy: first)
            #expect(try await Browser(of: replicas.second).open(back, fields: fields).status == 410)
            #expect(try await replicas.first.prove(device, code).status == 403)
            try await replicas.first.expectNothing(with: device, "after another browser's return")
        }
    }

    @Test func `The same connection a minute later is not a repetition`() async throws {
        let time = ShiftedTime()
        try await GatewayBench.spread(Self.header, time: time) { bench in
            let device = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(device))
            _ = try bench.code(handedOverBy: try await Browser(of: bench).open(back, fields: Self.connection))
            time.advance(by: .seconds(60))
            #expect(try await Browser(of: bench).open(back, fields: Self.connection).status == 410)
        }
    }
}
#endif
