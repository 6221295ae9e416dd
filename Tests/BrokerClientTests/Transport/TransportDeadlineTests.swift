#if Client
import HTTPTypes
import Testing

@testable import BrokerClient

/// A server that takes longer than it may.
struct SlowServer: CustomTestStringConvertible {
    let testDescription: String
    let script: @Sendable (Peer) async throws -> Void

    init(_ name: String, _ script: @escaping @Sendable (Peer) async throws -> Void) {
        (testDescription, self.script) = (name, script)
    }

    static let all = [
        Self("never answers") { await $0.waitForEnd() },
        Self("drips the head") { peer in
            _ = await peer.request()
            try await drip("HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: b\r\n", count: 1000), to: peer)
        },
        Self("drips interim answers") { peer in
            _ = await peer.request()
            for _ in 0..<16 {
                try await peer.send("HTTP/1.1 100 Continue\r\n\r\n")
                try await Task.sleep(for: .milliseconds(100))
            }
            await peer.waitForEnd()
        },
        Self("drips the body") { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            try await drip(String(repeating: "a", count: 1000), to: peer)
        },
        Self("drips chunks") { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await drip(String(repeating: "1\r\na\r\n", count: 1000), to: peer)
        },
        Self("stops in the body") { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            await peer.waitForEnd()
        },
        Self("stops in compressed bytes") { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n")
            try await peer.send(Array(Gzip.small.prefix(12)))
            await peer.waitForEnd()
        },
    ]

    private static func drip(_ text: String, to peer: Peer) async throws {
        for byte in text.utf8 {
            try await peer.send([byte])
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// How late a loaded machine may be.
private let slack = Duration.seconds(3)

extension TransportTests {
    @Suite("The time limit")
    struct DeadlineTests {
        @Test("holds for the whole call", arguments: SlowServer.all)
        func wholeCall(of slow: SlowServer) async throws {
            let server = try await RawServer(slow.script)
            try await withTransport { transport in
                let limit = Duration.milliseconds(300)
                let (result, time) = await transport.outcome(of: .get(from: server), within: limit)
                #expect(result.failure == TransportFailure(.timeout, mayHaveBeenSent: true))
                #expect(time >= limit && time < limit + slack)
                // The connection is closed: the server's script ends.
                try await waitUntil { server.openConnections == 0 }
            }
            await server.stop()
        }

        @Test("of nothing or less sends nothing", arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
        func zero(limit: Duration) async throws {
            let (result, _) = await AsyncHTTPTransport.shared.outcome(of: .get("/", "127.0.0.1:1"), within: limit)
            #expect(result.failure == TransportFailure(.timeout, mayHaveBeenSent: false))
        }

        @Test("may be longer than a clock counts")
        func endless() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer() }
            }
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get(from: server), within: .seconds(Int64.max))
                #expect(result.answer?.head.status == .ok, "\(result)")
            }
            await server.stop()
        }

        @Test("ends a call that waits for a free connection")
        func waiting() async throws {
            let server = try await RawServer { await $0.waitForEnd() }
            var settings = AsyncHTTPTransport.Settings()
            settings.connectionsPerHost = 1
            try await withTransport(settings) { transport in
                async let first = transport.outcome(of: .get(from: server), within: .seconds(2))
                try await waitUntil { server.openConnections == 1 }
                let (second, time) = await transport.outcome(of: .get(from: server), within: .milliseconds(200))
                #expect(second.failure?.reason == .timeout)
                #expect(time < .milliseconds(200) + slack)
                #expect(await first.0.failure?.reason == .timeout)
            }
            await server.stop()
        }

        @Test("Cancelling ends a call at once", arguments: SlowServer.all)
        func cancelling(_ slow: SlowServer) async throws {
            let server = try await RawServer(slow.script)
            try await withTransport { transport in
                let call = Task { await transport.outcome(of: .get(from: server), within: .seconds(60)) }
                try await waitUntil { server.openConnections == 1 }
                try await Task.sleep(for: .milliseconds(50))
                let start = ContinuousClock.now
                call.cancel()
                let (result, _) = await call.value
                #expect(result.failure == TransportFailure(.cancelled, mayHaveBeenSent: true))
                #expect(ContinuousClock.now - start < slack)
                try await waitUntil { server.openConnections == 0 }
            }
            await server.stop()
        }

        @Test("A task that is cancelled before sends nothing")
        func cancelledBefore() async throws {
            let call = Task {
                // Until the task is cancelled.
                try? await Task.sleep(for: .seconds(60))
                return await AsyncHTTPTransport.shared.outcome(of: .get("/", "127.0.0.1:1"))
            }
            call.cancel()
            #expect(await call.value.0.failure == TransportFailure(.cancelled, mayHaveBeenSent: false))
        }

        @Test("Cancelling one call disturbs no other on the same transport")
        func cancellingOne() async throws {
            let server = try await RawServer { peer in
                while let request = await peer.request() {
                    if request.hasPrefix("GET /slow") { try await Task.sleep(for: .milliseconds(300)) }
                    try await peer.answer()
                }
            }
            try await withTransport { transport in
                let calls = (0..<40).map { index in
                    Task { await transport.outcome(of: .get("/slow/\(index)", from: server)).0 }
                }
                for call in calls.prefix(20) { call.cancel() }
                for call in calls.prefix(20) { #expect(await call.value.failure?.reason == .cancelled) }
                for call in calls.suffix(20) { #expect(await call.value.answer?.head.status == .ok) }
            }
            await server.stop()
        }
    }
}

/// Waits until something holds; throws if it does not within 10 seconds.
func waitUntil(_ condition: () -> Bool) async throws {
    for _ in 0..<1000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw WaitedTooLong()
}

struct WaitedTooLong: Error {}
#endif
