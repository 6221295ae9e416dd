#if Client
import HTTPTypes
import Synchronization
import Testing

@testable import BrokerClient

/// Asks a server which port the request came from.
private func port(_ transport: AsyncHTTPTransport, _ server: RawServer) async throws -> String {
    try await transport.send(.get(from: server), body: [], within: .seconds(10)).text
}

private func portServer() async throws -> RawServer {
    try await RawServer { peer in
        while await peer.request() != nil { try await peer.answer("\(peer.clientPort)") }
    }
}

extension TransportTests {
    @Suite("Connections")
    struct ConnectionTests {
        @Test("are used again while they are young, and not when they are older than the age")
        func age() async throws {
            let server = try await portServer()
            var settings = AsyncHTTPTransport.Settings()
            settings.connectionAge = .seconds(2)
            try await withTransport(settings) { transport in
                let start = ContinuousClock.now
                var first: [String: ContinuousClock.Instant] = [:]
                var uses: [String: Int] = [:]
                // Busy all the time: without the age, one connection would do.
                while ContinuousClock.now - start < .seconds(5) {
                    let begun = ContinuousClock.now
                    let port = try await port(transport, server)
                    #expect(begun - first[port, default: begun] <= .seconds(2))
                    first[port] = first[port] ?? begun
                    uses[port, default: 0] += 1
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(uses.count >= 3)
                #expect(uses.values.max() ?? 0 > 1)
            }
            await server.stop()
        }

        @Test("close when they were not used for a while")
        func idle() async throws {
            let server = try await portServer()
            var settings = AsyncHTTPTransport.Settings()
            settings.idleTime = .milliseconds(200)
            try await withTransport(settings) { transport in
                _ = try await port(transport, server)
                #expect(server.openConnections == 1)
                try await waitUntil { server.openConnections == 0 }
            }
            await server.stop()
        }

        @Test(
            "that the server closes between requests are replaced, also if it does not say so",
            arguments: ["", "close"])
        func closedBetween(announced: String) async throws {
            let server = try await RawServer { peer in
                _ = await peer.request()
                try await peer.answer(
                    "\(peer.clientPort)", fields: announced.isEmpty ? "" : "Connection: \(announced)\r\n")
            }
            try await withTransport { transport in
                var ports: Set<String> = []
                for _ in 0..<5 {
                    ports.insert(try await port(transport, server))
                    // Until the end of the connection has come.
                    try await waitUntil { server.openConnections == 0 }
                    try await Task.sleep(for: .milliseconds(200))
                }
                #expect(ports.count == 5)
            }
            await server.stop()
        }

        @Test("that bring a second answer are not used again")
        func secondAnswer() async throws {
            let answered = Atomic(0)
            let server = try await RawServer { peer in
                _ = await peer.request()
                try await peer.answer("first")
                try await Task.sleep(for: .milliseconds(20))
                try await peer.answer("second")
                answered.add(1, ordering: .sequentiallyConsistent)
                while await peer.request() != nil { try await peer.answer("third") }
            }
            try await withTransport { transport in
                for round in 1...5 {
                    let (result, _) = await transport.outcome(of: .get(from: server))
                    #expect(result.answer?.text == "first")
                    try await waitUntil { answered.load(ordering: .sequentiallyConsistent) == round }
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
            await server.stop()
        }

        @Test("that bring an answer before there is a request bring no second one")
        func answerBeforeRequest() async throws {
            let server = try await RawServer { peer in
                try await peer.answer("early")
                _ = await peer.request()
            }
            try await withTransport { transport in
                for _ in 0..<20 {
                    // If the request was written when the early answer is read, it is an answer; else, the connection closes.
                    let (result, time) = await transport.outcome(of: .get(from: server), within: .seconds(2))
                    #expect(result.answer?.text == "early" || result.failure?.mayHaveBeenSent == true, "\(result)")
                    #expect(time < .seconds(5))
                }
            }
            await server.stop()
        }

        @Test("An answer that comes before the whole request was sent is an answer")
        func earlyAnswer() async throws {
            let server = try await RawServer { peer in
                await peer.begin()
                try await peer.answer("no", status: "413 Content Too Large", fields: "Connection: close\r\n")
                await peer.waitForEnd()
            }
            try await withTransport { transport in
                let request = HTTPRequest(
                    method: .post, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/")
                for _ in 0..<20 {
                    let (result, time) = await transport.outcome(
                        of: request, body: [UInt8](repeating: 1, count: 5_000_000))
                    #expect(
                        result.answer?.head.status.code == 413 || result.failure?.mayHaveBeenSent == true, "\(result)")
                    #expect(time < .seconds(5))
                }
            }
            await server.stop()
        }

        @Test("to one host are limited, and calls wait for a free one")
        func limit() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil {
                    try await Task.sleep(for: .milliseconds(20))
                    try await peer.answer("\(peer.clientPort)")
                }
            }
            var settings = AsyncHTTPTransport.Settings()
            settings.connectionsPerHost = 3
            try await withTransport(settings) { transport in
                let ports = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<30 { group.addTask { try await port(transport, server) } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect((1...3).contains(ports.count))
            }
            await server.stop()
        }

        @Test("that are refused fail at once, and nothing was sent", arguments: ["127.0.0.1", "localhost"])
        func refused(host: String) async throws {
            let server = try await RawServer { _ in }
            await server.stop()
            try await withTransport { transport in
                let (result, time) = await transport.outcome(of: .get("/", "\(host):\(server.port)"))
                #expect(result.failure == TransportFailure(.connecting, mayHaveBeenSent: false))
                #expect(time < .seconds(3))
            }
        }

        @Test("to a name that does not exist fail, and nothing was sent")
        func unknownName() async throws {
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get("/", "no-such-host.invalid", scheme: "https"))
                #expect(result.failure == TransportFailure(.connecting, mayHaveBeenSent: false), "\(result)")
            }
        }

        @Test("that do not come in time fail, and nothing was sent")
        func connectTimeLimit() async throws {
            // A socket whose queue of connections is full answers no SYN; here the TLS handshake is not answered.
            let server = try await RawServer { try await Task.sleep(for: .seconds($0.clientPort > 0 ? 10 : 0)) }
            var settings = AsyncHTTPTransport.Settings()
            settings.connectTimeLimit = .milliseconds(300)
            try await withTransport(settings) { transport in
                let request = HTTPRequest.get("/", "localhost:\(server.port)", scheme: "https")
                let (result, time) = await transport.outcome(of: request)
                #expect(result.failure?.mayHaveBeenSent == false, "\(result)")
                #expect(result.failure?.reason == .tls || result.failure?.reason == .connecting, "\(result)")
                #expect(time < .seconds(3))
            }
            await server.stop()
        }
    }
}
#endif
