#if Service
import BrokerSimulation
import EntitlementValues
import Foundation
import NIOCore
import Synchronization
import Testing
import TestVectors

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
            bench.time.holdWaits()
            #expect(try await bench.status(token, wait: 20).code == "not_authenticated")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `It ends with the proof, here and at another replica`() async throws {
        try await GatewayBench.withReplicas { replicas in
            let token = try await replicas.first.register()
            let back = try replicas.first.logIn(at: try await replicas.first.begin(token))
            // Whatever the machine does until then, the waits have some time left.
            replicas.first.time.holdWaits(after: .seconds(14))
            async let here = replicas.first.status(token, wait: 20)
            async let there = replicas.second.status(token, wait: 20)
            try await eventually {
                replicas.first.waitingRequests == 1 && replicas.second.waitingRequests == 1
            }
            let code = try replicas.first.code(handedOverBy: try await Browser(of: replicas.second).open(back))
            #expect(try await replicas.first.prove(token, code).code == "authenticated")
            // Another replica looks from time to time, and not at the end of the wait only.
            replicas.first.time.holdWaits(after: .seconds(5))
            #expect(try await here.code == "authenticated")
            #expect(try await there.code == "authenticated")
            replicas.first.time.releaseWaits()
        }
    }

    @Test func `A quarter of the connections may wait, and all others are answered at once`() async throws {
        try await GatewayBench.spread(["limits.connections": "16"]) { bench in
            var tokens: [String] = []
            for _ in 0..<8 { tokens.append(try await waitingDevice(bench)) }
            try await expectWaits(4, of: tokens, bench) { () async throws in
                // Players are served in the meantime as ever.
                #expect(try await bench.service.authorize([], uri: "/live/TestChannel/1.ts").status == 401)
            }
        }
    }

    @Test func `One device does not take the places of others`() async throws {
        try await GatewayBench.spread(["limits.connections": "64"]) { bench in
            let (greedy, other) = (try await waitingDevice(bench), try await waitingDevice(bench))
            try await expectWaits(4, of: Array(repeating: greedy, count: 8), bench) { () async throws in
                async let own = bench.status(other, wait: 3)
                try await eventually { bench.waitingRequests == 5 }
                bench.time.releaseWaits()
                #expect(try await own.code == "pending")
            }
        }
    }

    /// Counts answers.
    private final class Count: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    /// Registers a device, and begins a sign-in that a request can wait for.
    private func waitingDevice(_ bench: GatewayBench) async throws -> String {
        let token = try await bench.register()
        _ = try await bench.begin(token)
        return token
    }

    /// The request of a new device that waits for its sign-in as long as it may, and whose connection stays open.
    private func longWait(_ bench: GatewayBench, _ fields: String...) async throws -> [UInt8] {
        let token = try await waitingDevice(bench)
        return request(
            "GET", "/v1/authentication?wait=25",
            fields: ["Authorization: Bearer \(token)", "X-Test-Address: 10.0.0.1"] + fields, closes: false)
    }

    /// Waits with all tokens at the same time, and checks how many requests do wait, and are not answered at once.
    ///
    /// - Parameters:
    ///   - count: How many wait.
    ///   - tokens: The tokens.
    ///   - bench: The gateway.
    ///   - meanwhile: What is done while they wait.
    /// - Throws: What `meanwhile` throws; an error of the connections.
    private func expectWaits(
        _ count: Int,
        of tokens: [String],
        _ bench: GatewayBench,
        meanwhile: () async throws -> Void
    ) async throws {
        let answered = Count()
        // No wait is over before all others are answered.
        bench.time.holdWaits()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for token in tokens {
                group.addTask {
                    let answer = try await bench.status(token, wait: 3)
                    #expect(answer.code == "pending")
                    answered.add()
                }
            }
            try await eventually {
                answered.value == tokens.count - count && bench.waitingRequests == count
            }
            try await meanwhile()
            bench.time.releaseWaits()
            try await group.waitForAll()
        }
    }

    @Test func `It is the last request of its connection, whatever comes after it`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            _ = try await bench.begin(token)
            let wait = request(
                "GET", "/v1/authentication?wait=2",
                fields: ["Authorization: Bearer \(token)", "X-Test-Address: 10.0.0.1"], closes: false)
            bench.time.holdWaits()
            async let answer = bench.service.ask(wait + Array("GET /v1".utf8))
            try await eventually { bench.waitingRequests == 1 }
            bench.time.releaseWaits()
            let found = try await answer
            #expect(found.status == 200 && found["Connection"] == "close")
        }
    }

    @Test func `A client that goes gives its place up`() async throws {
        try await GatewayBench.spread(["limits.connections": "4"]) { bench in
            let token = try await bench.register()
            _ = try await bench.begin(token)
            let wait = request(
                "GET", "/v1/authentication?wait=25",
                fields: ["Authorization: Bearer \(token)", "X-Test-Address: 10.0.0.1"])
            // Long before the 25 seconds are over.
            bench.time.holdWaits(after: .seconds(10))
            try await RawConnection.to(bench.service.publicPort) { _, outbound in
                try await outbound.write(ByteBuffer(bytes: wait))
                try await eventually { bench.waitingRequests == 1 }
            }
            try await eventually { bench.waitingRequests == 0 }
            _ = try await bench.service.metrics()
            // The one place is free again.
            bench.time.holdWaits()
            async let next = bench.status(token, wait: 2)
            try await eventually { bench.waitingRequests == 1 }
            bench.time.releaseWaits()
            #expect(try await next.code == "pending")
        }
    }

    /// For the service it looks as if the client had gone.
    @Test func `A client that closes only its own side is answered as if the wait were over`() async throws {
        try await GatewayBench.spread { bench in
            let wait = try await longWait(bench)
            // Long before the 25 seconds are over.
            bench.time.holdWaits(after: .seconds(10))
            let received = try await RawConnection.to(bench.service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: wait))
                try await eventually { bench.waitingRequests == 1 }
                outbound.finish()
                return await RawConnection.read(inbound)
            }
            let answers = Answer.all(in: received)
            #expect(answers.map(\.status) == [200] && answers.first?.code == "pending")
            #expect(bench.waitingRequests == 0)
            bench.time.releaseWaits()
        }
    }

    /// Its pieces would hold the reader of the connection, which notices that the client goes.
    @Test func `A body that is not asked for keeps no place`() async throws {
        try await GatewayBench.spread { bench in
            let wait = try await longWait(bench, "Transfer-Encoding: chunked")
            let pieces = String(repeating: "1\r\na\r\n", count: 40) + "0\r\n\r\n"
            bench.time.holdWaits(after: .seconds(10))
            let received = try await RawConnection.to(bench.service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: wait + Array(pieces.utf8)))
                try await eventually { bench.waitingRequests == 1 }
                outbound.finish()
                return await RawConnection.read(inbound)
            }
            #expect(Answer.all(in: received).map(\.status) == [200])
            try await eventually { bench.waitingRequests == 0 }
            bench.time.releaseWaits()
        }
    }

    /// No answer may take bytes without end, and this one waits for none.
    @Test func `A body that is too long ends the wait`() async throws {
        try await GatewayBench.spread(["limits.bodyBytes": "1024"]) { bench in
            let wait = try await longWait(bench, "Transfer-Encoding: chunked")
            let piece = "100\r\n" + String(repeating: "a", count: 256) + "\r\n"
            bench.time.holdWaits(after: .seconds(10))
            let received = try await RawConnection.to(bench.service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: wait + Array(String(repeating: piece, count: 5).utf8)))
                return await RawConnection.read(inbound)
            }
            #expect(Answer.all(in: received).map(\.status) == [200])
            try await eventually { bench.waitingRequests == 0 }
            bench.time.releaseWaits()
        }
    }

    @Test func `A service that stops answers all who wait`() async throws {
        try await GatewayBench.spread(["drain.waitSeconds": "3", "drain.limitSeconds": "20"]) { bench in
            let token = try await bench.register()
            _ = try await bench.begin(token)
            bench.time.holdWaits()
            async let waiting = bench.status(token, wait: 25)
            try await eventually { bench.waitingRequests == 1 }
            await bench.service.stop()
            try await bench.service.until { $0.log.events("stopping").count == 1 }
            bench.time.holdWaits(after: .seconds(10))
            #expect(try await waiting.code == "pending")
            bench.time.releaseWaits()
        }
    }
}
#endif
