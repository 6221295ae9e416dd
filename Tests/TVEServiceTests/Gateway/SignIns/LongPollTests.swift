#if Service
import BrokerSimulation
import EntitlementValues
import Foundation
import NIOCore
import Testing

/// Requests that wait for the end of a sign-in.
@Suite struct LongPollTests {
    @Test(arguments: ["-1", "26", "1.5", "x", "", "01", "+1", "25 "])
    func `A wait is a whole number of seconds up to 25`(wait: String) async throws {
        try await GatewayBench.spread { bench in
            let text = wait.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let token = try await bench.register()
            let answer = try await bench.ask("GET", "/v1/authentication?wait=\(text)", token: token)
            #expect(answer.status == 400 && answer.code == "bad_request", "\(answer.text)")
        }
    }

    @Test func `Nothing to wait for is answered at once`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let start = ContinuousClock.now
            #expect(try await bench.status(token, wait: 20).code == "not_authenticated")
            #expect(start.duration(to: .now) < .seconds(10))
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `It ends with the proof, here and at another replica`() async throws {
        try await GatewayBench.withReplicas { replicas in
            let token = try await replicas.first.register()
            let back = try replicas.first.logIn(at: try await replicas.first.begin(token))
            async let here = replicas.first.status(token, wait: 20)
            async let there = replicas.second.status(token, wait: 20)
            try await Task.sleep(for: .milliseconds(300))
            let code = try replicas.first.code(handedOverBy: try await Browser(of: replicas.second).open(back))
            let start = ContinuousClock.now
            #expect(try await replicas.first.prove(token, code).code == "authenticated")
            #expect(try await here.code == "authenticated")
            #expect(try await there.code == "authenticated")
            #expect(start.duration(to: .now) < .seconds(5))
        }
    }

    @Test func `A quarter of the connections may wait, and all others are answered at once`() async throws {
        try await GatewayBench.spread(["limits.connections": "16"]) { bench in
            var tokens: [String] = []
            for _ in 0..<8 { tokens.append(try await waitingDevice(bench)) }
            let taken = try await waits(of: tokens, bench)
            #expect(taken.count { $0 >= .seconds(3) } == 4, "\(taken)")
            // Players are served in the meantime as ever.
            #expect(try await bench.service.authorize([], uri: "/live/TestChannel/1.ts").status == 401)
        }
    }

    @Test func `One device does not take the places of others`() async throws {
        try await GatewayBench.spread(["limits.connections": "64"]) { bench in
            let (greedy, other) = (try await waitingDevice(bench), try await waitingDevice(bench))
            async let own = waits(of: [other], bench)
            let taken = try await waits(of: Array(repeating: greedy, count: 8), bench)
            #expect(taken.count { $0 >= .seconds(3) } == 4, "\(taken)")
            #expect(try await own[0] >= .seconds(3))
        }
    }

    /// Registers a device, and begins a sign-in that a request can wait for.
    private func waitingDevice(_ bench: GatewayBench) async throws -> String {
        let token = try await bench.register()
        _ = try await bench.begin(token)
        return token
    }

    /// Waits with all tokens at the same time.
    ///
    /// - Returns: How long each request took.
    private func waits(of tokens: [String], _ bench: GatewayBench) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for token in tokens {
                group.addTask {
                    let start = ContinuousClock.now
                    let answer = try await bench.status(token, wait: 3)
                    #expect(answer.code == "pending")
                    return start.duration(to: .now)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `A client that goes gives its place up`() async throws {
        try await GatewayBench.spread(["limits.connections": "4"]) { bench in
            let token = try await bench.register()
            _ = try await bench.begin(token)
            let wait = request(
                "GET", "/v1/authentication?wait=25",
                fields: ["Authorization: Bearer \(token)", "X-Test-Address: 10.0.0.1"])
            _ = try await RawConnection.exchange(bench.service.publicPort, wait, within: .milliseconds(500))
            // The one place is free again long before the 25 seconds are over.
            try await bench.service.until { _ in
                let start = ContinuousClock.now
                _ = try await bench.status(token, wait: 1)
                return start.duration(to: .now) >= .seconds(1)
            }
        }
    }

    @Test func `A service that stops answers all who wait`() async throws {
        try await GatewayBench.spread(["drain.waitSeconds": "3", "drain.limitSeconds": "20"]) { bench in
            let token = try await bench.register()
            _ = try await bench.begin(token)
            async let waiting = bench.status(token, wait: 25)
            try await Task.sleep(for: .milliseconds(500))
            let start = ContinuousClock.now
            await bench.service.stop()
            #expect(try await waiting.code == "pending")
            #expect(start.duration(to: .now) < .seconds(10))
        }
    }
}
#endif
