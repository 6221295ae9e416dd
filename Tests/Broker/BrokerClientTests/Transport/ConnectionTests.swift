#if Client
import BrokerBench
import BrokerClient
import HTTPTypes
import NIOCore
import Synchronization
import Testing
import TestVectors

/// Asks a server which port the request came from.
private func port(_ transport: AsyncHTTPTransport, _ server: RawServer) async throws -> String {
    try await transport.send(.get(from: server), body: [], within: .seconds(60)).text
}

private func portServer() async throws -> RawServer {
    try await RawServer { peer in
        while await peer.request() != nil { try await peer.answer("\(peer.clientPort)") }
    }
}

extension TransportTests {
    @Suite("Connections")
    struct ConnectionTests {
        /// A clock that a test moves.
        private final class AgeClock: Sendable {
            private let time = Mutex(NIODeadline.uptimeNanoseconds(1_000_000_000))

            var now: NIODeadline { time.withLock { $0 } }

            func advance(by amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
        }

        @Test func `Are used again while they are young, and not when they are older than the age`() async throws {
            let server = try await portServer()
            var settings = AsyncHTTPTransport.Settings.patient
            // By the test's clock; an unused connection closes by a real one, after half an hour.
            (settings.connectionAge, settings.idleTime) = (.seconds(3600), .seconds(1800))
            let clock = AgeClock()
            try await using(try AsyncHTTPTransport(settings, agingBy: { clock.now })) { transport in
                let first = try await port(transport, server)
                for _ in 0..<3 {
                    clock.advance(by: .minutes(9))
                    #expect(try await port(transport, server) == first)
                }
                // Unused for half an hour from here on, it would be older than an hour when it is used next. So it closes.
                clock.advance(by: .minutes(3))
                #expect(try await port(transport, server) == first)
                try await eventually { server.openConnections == 0 }
                let second = try await port(transport, server)
                #expect(second != first)
                #expect(try await port(transport, server) == second)
                #expect(server.connectionCount == 2)
            }
            await server.stop()
        }

        @Test func `Are used again after answers that together are longer than one may be`() async throws {
            let body = [UInt8](repeating: 0x20, count: 1 << 20)
            let server = try await RawServer { peer in
                while await peer.request() != nil {
                    try await peer.send("HTTP/1.1 100 Continue\r\n\r\n")
                    try await peer.answer(body)
                }
            }
            var settings = AsyncHTTPTransport.Settings.patient
            (settings.connectionAge, settings.idleTime) = (.seconds(3600), .seconds(1800))
            try await withTransport(settings) { transport in
                for _ in 0..<4 {
                    let answer = try await transport.send(.get(from: server), body: [], within: .seconds(60))
                    #expect(answer.body.count == body.count)
                }
            }
            #expect(server.connectionCount == 1)
            await server.stop()
        }

        @Test(
            .enabled(if: DeepRun.isAsked, "a connection seems older than it is if the machine is busy while it opens"))
        func `Are used until they have the age, by the machine's clock`() async throws {
            let server = try await portServer()
            var settings = AsyncHTTPTransport.Settings()
            settings.connectionAge = .seconds(2)
            try await withTransport(settings) { transport in
                let start = ContinuousClock.now
                var first: [String: ContinuousClock.Instant] = [:]
                var uses: [String: Int] = [:]
                var oldest = Duration.zero
                // Busy all the time: without the age, one connection would do.
                while ContinuousClock.now - start < .seconds(5) {
                    let begun = ContinuousClock.now
                    let port = try await port(transport, server)
                    let opened = first[port] ?? begun
                    first[port] = opened
                    if begun - opened > oldest { oldest = begun - opened }
                    uses[port, default: 0] += 1
                    try await Task.sleep(for: .milliseconds(5))
                }
                noteTime(oldest, of: .seconds(2))
                #expect(uses.count > 1)
                #expect(uses.values.max() ?? 0 > 1)
            }
            await server.stop()
        }

        @Test func `Close when they were not used for a while`() async throws {
            let server = try await portServer()
            var settings = AsyncHTTPTransport.Settings.patient
            settings.idleTime = .milliseconds(200)
            try await withTransport(settings) { transport in
                _ = try await port(transport, server)
                #expect(server.connectionCount == 1)
                try await eventually { server.openConnections == 0 }
            }
            await server.stop()
        }

        @Test(arguments: ["", "close"])
        func `That the server closes between requests are replaced, also if it does not say so`(announced: String)
            async throws
        {
            let server = try await RawServer { peer in
                _ = await peer.request()
                try await peer.answer(
                    "\(peer.clientPort)", fields: announced.isEmpty ? "" : "Connection: \(announced)\r\n")
                try await peer.closeOutput()
            }
            try await withTransport { transport in
                var ports: Set<String> = []
                for _ in 0..<5 {
                    ports.insert(try await port(transport, server))
                    // Until the end of the connection has come to the client, which has closed its side.
                    try await eventually { server.openConnections == 0 }
                    try await eventLoopsHaveTurned()
                }
                #expect(ports.count == 5)
            }
            await server.stop()
        }

        @Test func `That bring a second answer are not used again`() async throws {
            let (called, answered) = (Counter(), Counter())
            let server = try await RawServer { peer in
                _ = await peer.request()
                try await peer.answer("first")
                // The call has ended, so that its connection is free when the second answer comes.
                try await eventually { called.count > answered.count }
                try await peer.answer("second")
                answered.add()
                while await peer.request() != nil { try await peer.answer("third") }
            }
            try await withTransport { transport in
                for round in 1...5 {
                    let (result, _) = await transport.outcome(of: .get(from: server))
                    #expect(result.answer?.text == "first", "\(result)")
                    called.add()
                    try await eventually { answered.count == round && server.openConnections == 0 }
                    try await eventLoopsHaveTurned()
                }
            }
            await server.stop()
        }

        @Test func `That bring an answer before there is a request bring no second one`() async throws {
            let server = try await RawServer { peer in
                try await peer.answer("early")
                _ = await peer.request()
            }
            try await withTransport { transport in
                for _ in 0..<20 {
                    // If the request was written when the early answer is read, it is an answer; else, the connection closes.
                    let (result, time) = await transport.outcome(of: .get(from: server), within: .seconds(2))
                    #expect(result.answer?.text == "early" || result.failure?.mayHaveBeenSent == true, "\(result)")
                    noteTime(time, of: .seconds(5))
                }
            }
            await server.stop()
        }

        @Test func `An answer that comes before the whole request was sent is an answer`() async throws {
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
                    // Whichever it is, the call has not waited for its limit.
                    #expect(result.failure?.reason != .timeout)
                    noteTime(time, of: .seconds(5))
                }
            }
            await server.stop()
        }

        @Test func `To one host are limited, and calls wait for a free one`() async throws {
            let requests = Counter()
            let server = try await RawServer { peer in
                while await peer.request() != nil {
                    requests.add()
                    // The first answers come when all connections that there may be have a request.
                    try await eventually { requests.count >= 3 }
                    try await peer.answer("\(peer.clientPort)")
                }
            }
            var settings = AsyncHTTPTransport.Settings.patient
            settings.connectionsPerHost = 3
            try await withTransport(settings) { transport in
                let ports = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<30 { group.addTask { try await port(transport, server) } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(ports.count == 3 && server.connectionCount == 3)
            }
            await server.stop()
        }

        @Test(arguments: ["127.0.0.1", "localhost"])
        func `That are refused fail at once, and nothing was sent`(host: String) async throws {
            let port = try HeldPort()
            try await withTransport { transport in
                // Another attempt at connecting would make it a timeout.
                let (result, time) = await transport.outcome(of: .get("/", "\(host):\(port.number)"))
                #expect(result.failure?.bare == TransportFailure(.connecting, mayHaveBeenSent: false))
                #expect(result.failure?.server == "\(host):\(port.number)")
                // The name has an address of IPv6, too, which a machine may not have.
                #expect(result.failure?.detail?.contains("connection refused") == true, "\(result)")
                if host == "127.0.0.1" {
                    #expect(
                        result.failure.map { "\($0)" }
                            == "no connection to 127.0.0.1:\(port.number) could be opened: connection refused "
                            + "(the request was not sent)")
                }
                noteTime(time, of: .seconds(3))
            }
            withExtendedLifetime(port) {}
        }

        @Test func `To a name that does not exist fail, and nothing was sent`() async throws {
            // The usual settings: a resolver that does not answer runs into the limit of connecting.
            try await withTransport(.init()) { transport in
                let (result, _) = await transport.outcome(of: .get("/", "no-such-host.invalid", scheme: "https"))
                #expect(result.failure?.bare == TransportFailure(.connecting, mayHaveBeenSent: false), "\(result)")
                let words = [
                    "its name is not known", "no name server has answered", "it did not answer in time",
                    "none was free, and none could be opened in time",
                ]
                let texts = words.map {
                    "no connection to no-such-host.invalid:443 could be opened: \($0) (the request was not sent)"
                }
                #expect(texts.contains(result.failure.map { "\($0)" } ?? ""), "\(result)")
            }
        }

        @Test func `That do not come in time fail, and nothing was sent`() async throws {
            // A socket whose queue of connections is full answers no SYN; here the TLS handshake is not answered.
            let server = try await RawServer { await $0.waitForEnd() }
            var settings = AsyncHTTPTransport.Settings()
            settings.connectTimeLimit = .milliseconds(300)
            try await withTransport(settings) { transport in
                let request = HTTPRequest.get("/", "localhost:\(server.port)", scheme: "https")
                let (result, time) = await transport.outcome(of: request)
                #expect(result.failure?.mayHaveBeenSent == false, "\(result)")
                // The limit of the call would make it a timeout.
                #expect(result.failure?.reason == .tls || result.failure?.reason == .connecting, "\(result)")
                noteTime(time, of: .seconds(3))
            }
            await server.stop()
        }
    }
}
#endif
