#if Client
import BrokerBench
import BrokerClient
import HTTPTypes
import Synchronization
import Testing
import TestVectors

/// A server that takes longer than it may.
struct SlowServer: CustomTestStringConvertible {
    let testDescription: String
    /// How many parts of the answer it sends before it is slow.
    let parts: Int
    let script: @Sendable (Peer) async throws -> Void

    init(_ name: String, after parts: Int, _ script: @escaping @Sendable (Peer) async throws -> Void) {
        (testDescription, self.parts, self.script) = (name, parts, script)
    }

    /// Whether a server has got so far that it is slow.
    func isSlow(_ server: RawServer) -> Bool { server.requestCount > 0 && server.sendCount >= parts }

    static let all = [
        Self("never answers", after: 0) { await $0.waitForEnd() },
        Self("drips the head", after: 10) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\n")
            try await drip("X-A: b\r\n", to: peer)
        },
        Self("drips interim answers", after: 2) { peer in
            _ = await peer.request()
            for _ in 0..<16 {
                try await peer.send("HTTP/1.1 100 Continue\r\n\r\n")
                try await Task.sleep(for: .milliseconds(100))
            }
            await peer.waitForEnd()
        },
        Self("drips the body", after: 10) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try await drip("a", to: peer)
        },
        Self("drips chunks", after: 10) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await drip("1\r\na\r\n", to: peer)
        },
        Self("stops in the body", after: 1) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            await peer.waitForEnd()
        },
        Self("stops in compressed bytes", after: 2) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n")
            try await peer.send(Array(await Gzip.small.prefix(12)))
            await peer.waitForEnd()
        },
    ]

    /// Sends a text again and again, byte by byte, until the client has gone; so slowly that it would take minutes to
    /// reach a limit of length.
    private static func drip(_ text: String, to peer: Peer) async throws {
        for byte in (0..<1_000_000).lazy.flatMap({ _ in text.utf8 }) {
            try await peer.send([byte])
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// How late a quiet machine may be.
private let slack = Duration.seconds(3)

extension TransportTests {
    @Suite("The time limit")
    struct DeadlineTests {
        @Test(arguments: SlowServer.all)
        func `Holds for the whole call`(of slow: SlowServer) async throws {
            // The server never ends by itself, so that nothing but the limit ends the call. On a busy machine it may not
            // get so far within the shortest one.
            let server = try await RawServer(slow.script)
            try await withTransport { transport in
                for limit in [0.3, 3, 30].map({ Duration.seconds($0) }) where !slow.isSlow(server) {
                    let (result, time) = await transport.outcome(of: .get(from: server), within: limit)
                    #expect(result.failure?.bare == TransportFailure(.timeout, mayHaveBeenSent: true))
                    noteTime(time - limit, of: slack)
                    // The connection is closed: the server's script ends.
                    try await eventually { server.openConnections == 0 }
                }
                #expect(slow.isSlow(server))
            }
            await server.stop()
        }

        @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
        func `Of nothing or less sends nothing`(limit: Duration) async throws {
            let (result, _) = await AsyncHTTPTransport.shared.outcome(of: .get("/", "127.0.0.1:1"), within: limit)
            #expect(result.failure == TransportFailure(.timeout, mayHaveBeenSent: false))
        }

        @Test func `May be longer than a clock counts`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer() }
            }
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get(from: server), within: .seconds(Int64.max))
                #expect(result.answer?.head.status == .ok, "\(result)")
            }
            await server.stop()
        }

        @Test func `Ends a call that waits for a free connection`() async throws {
            let server = try await RawServer { await $0.waitForEnd() }
            var settings = AsyncHTTPTransport.Settings.patient
            settings.connectionsPerHost = 1
            try await withTransport(settings) { transport in
                let first = Task { await transport.outcome(of: .get(from: server), within: .seconds(600)) }
                try await eventually { server.requestCount == 1 }
                let (second, time) = await transport.outcome(of: .get(from: server), within: .milliseconds(200))
                #expect(second.failure?.reason == .timeout)
                noteTime(time - .milliseconds(200), of: slack)
                // It has waited indeed, and the first call goes on.
                #expect(server.connectionCount == 1 && server.openConnections == 1)
                first.cancel()
                #expect(await first.value.0.failure?.reason == .cancelled)
            }
            await server.stop()
        }

        @Test(arguments: SlowServer.all)
        func `Cancelling ends a call at once`(_ slow: SlowServer) async throws {
            let server = try await RawServer(slow.script)
            try await withTransport { transport in
                let call = Task { await transport.outcome(of: .get(from: server), within: .seconds(600)) }
                try await eventually { slow.isSlow(server) }
                let start = ContinuousClock.now
                call.cancel()
                let (result, _) = await call.value
                #expect(result.failure == TransportFailure(.cancelled, mayHaveBeenSent: true))
                noteTime(ContinuousClock.now - start, of: slack)
                try await eventually { server.openConnections == 0 }
            }
            await server.stop()
        }

        @Test func `A task that is cancelled before sends nothing`() async throws {
            let call = Task {
                // Until the task is cancelled.
                try? await Task.sleep(for: .seconds(60))
                return await AsyncHTTPTransport.shared.outcome(of: .get("/", "127.0.0.1:1"))
            }
            call.cancel()
            #expect(await call.value.0.failure == TransportFailure(.cancelled, mayHaveBeenSent: false))
        }

        @Test func `Cancelling one call disturbs no other on the same transport`() async throws {
            let areCancelled = Atomic(false)
            let server = try await RawServer { peer in
                while await peer.request() != nil {
                    try await eventually { areCancelled.load(ordering: .acquiring) }
                    try await peer.answer()
                }
            }
            try await withTransport { transport in
                let calls = (0..<40).map { index in
                    Task { await transport.outcome(of: .get("/\(index)", from: server)).0 }
                }
                for call in calls.prefix(20) { call.cancel() }
                for call in calls.prefix(20) { #expect(await call.value.failure?.reason == .cancelled) }
                areCancelled.store(true, ordering: .releasing)
                for call in calls.suffix(20) { #expect(await call.value.answer?.head.status == .ok) }
            }
            await server.stop()
        }
    }
}
#endif
