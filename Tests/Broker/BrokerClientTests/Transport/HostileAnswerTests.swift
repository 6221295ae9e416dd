#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import SealedRecords
import ServiceResponses
import Testing

/// A server that answers wrongly, and what must come of it.
struct HostileAnswer: CustomTestStringConvertible {
    let testDescription: String
    let reason: TransportFailure.Reason
    let script: @Sendable (Peer) async throws -> Void

    init(
        _ name: String,
        _ reason: TransportFailure.Reason,
        _ script: @escaping @Sendable (Peer) async throws -> Void
    ) {
        (testDescription, self.reason, self.script) = (name, reason, script)
    }

    /// A server that reads a request, sends some text, and waits.
    init(_ name: String, _ reason: TransportFailure.Reason, sends text: String) {
        self.init(name, reason) { peer in
            _ = await peer.request()
            try await peer.send(text)
            await peer.waitForEnd()
        }
    }

    static let all = brokenConnections + notHTTP + tooLong + badCodings

    static let brokenConnections = [
        Self("closes without an answer", .reset) { _ = await $0.request() },
        Self("resets without an answer", .reset) { peer in
            _ = await peer.request()
            try await peer.reset()
        },
        Self("resets after the head", .reset) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            // So that the head is mostly read before the reset throws it away; the failure is the same if it is not.
            try await Task.sleep(for: .milliseconds(50))
            try await peer.reset()
        },
        Self("closes in the head", .reset) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Le")
        },
        Self("closes in the body", .reset) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"decisions\":[")
        },
        Self("closes in a chunk", .reset) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"decisions\":[")
        },
        Self("closes before the last chunk", .reset) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
        },
    ]

    static let notHTTP = [
        Self("sends HTTP/0.9", .malformed, sends: "<html>hello</html>\r\n"),
        Self("sends another protocol", .malformed, sends: "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        Self("sends zeros", .malformed, sends: String(repeating: "\0", count: 5000)),
        Self("sends HTTP/2", .malformed, sends: "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        Self("sends a status of four digits", .malformed, sends: "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}"),
        Self(
            "sends two lengths", .malformed,
            sends: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        Self("sends a negative length", .malformed, sends: "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}"),
        Self(
            "sends a length and chunks", .malformed,
            sends: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        Self(
            "sends a chunk without a size", .malformed,
            sends: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
        Self(
            "sends a field without a name", .malformed, sends: "HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 2\r\n\r\n{}"),
        Self("switches protocols", .malformed, sends: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
        Self(
            "sends two answers at once", .malformed,
            sends: String(repeating: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", count: 2)),
        Self(
            "sends an answer and more", .malformed, sends: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{}\r\n\r\n"),
        Self("sends interim answers without end", .malformed) { peer in
            _ = await peer.request()
            while true { try await peer.send("HTTP/1.1 100 Continue\r\n\r\n") }
        },
    ]

    static let tooLong = [
        Self("says that 100 MB come", .tooLong, sends: "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{"),
        Self("sends 100 MB in chunks", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
            for _ in 0..<100 { try await peer.send(chunk) }
        },
        Self("sends 100 MB until it closes", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 0..<100 { try await peer.send([UInt8](repeating: 0x20, count: 1 << 20)) }
        },
        Self("sends a byte more than the limit", .tooLong) { peer in
            _ = await peer.request()
            try await peer.answer([UInt8](repeating: 0x20, count: (1 << 20) + 1))
            await peer.waitForEnd()
        },
        Self("sends one long field", .tooLong) { peer in
            _ = await peer.request()
            try await peer.answer(fields: "X-Long: \(String(repeating: "a", count: 100_000))\r\n")
            await peer.waitForEnd()
        },
        Self("sends fields of more than 64 KiB", .tooLong) { peer in
            _ = await peer.request()
            try await peer.answer(
                fields: (0..<20).map { "X-\($0): \(String(repeating: "a", count: 4000))\r\n" }.joined())
            await peer.waitForEnd()
        },
        Self("sends fields without end", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\n")
            while true { try await peer.send("X-More: \(String(repeating: "a", count: 1000))\r\n") }
        },
        Self("sends trailers without end", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
            while true { try await peer.send("X-More: \(String(repeating: "a", count: 1000))\r\n") }
        },
        Self("sends an extension of a chunk without end", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;")
            while true { try await peer.send(String(repeating: "a", count: 1000)) }
        },
        Self("sends a chunk's size without end", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try await peer.send(String(repeating: "0", count: 1000)) }
        },
        Self("sends 100,000 chunks of a byte", .tooLong) { peer in
            _ = await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunks = String(repeating: "1\r\n \r\n", count: 1000)
            for _ in 0..<100 { try await peer.send(chunks) }
            try await peer.send("0\r\n\r\n")
            await peer.waitForEnd()
        },
        Self("sends a gzip bomb", .tooLong) { peer in
            _ = await peer.request()
            try await peer.answer(await Gzip.bomb, fields: "Content-Encoding: gzip\r\n")
            await peer.waitForEnd()
        },
    ]

    static let badCodings = [
        Self("says gzip and sends text", .malformed) { peer in
            _ = await peer.request()
            try await peer.answer(fields: "Content-Encoding: gzip\r\n")
            await peer.waitForEnd()
        },
        Self("sends a part of gzip", .malformed) { peer in
            _ = await peer.request()
            try await peer.answer(Array(await Gzip.small.dropLast(10)), fields: "Content-Encoding: gzip\r\n")
            await peer.waitForEnd()
        },
        Self("sends gzip with a wrong checksum", .malformed) { peer in
            _ = await peer.request()
            var bytes = await Gzip.small
            bytes[bytes.count - 8] ^= 1
            try await peer.answer(bytes, fields: "Content-Encoding: gzip\r\n")
            await peer.waitForEnd()
        },
        Self("sends a coding that was not asked for", .malformed) { peer in
            _ = await peer.request()
            try await peer.answer(fields: "Content-Encoding: br\r\n")
            await peer.waitForEnd()
        },
        Self("sends two codings", .malformed) { peer in
            _ = await peer.request()
            try await peer.answer(await Gzip.small, fields: "Content-Encoding: gzip, gzip\r\n")
            await peer.waitForEnd()
        },
    ]
}

extension TransportTests {
    @Suite("A hostile server")
    struct HostileAnswerTests {
        @Test(arguments: HostileAnswer.all)
        func `Ends in the right failure, in time, and the next call is not disturbed`(of hostile: HostileAnswer)
            async throws
        {
            let server = try await RawServer { peer in
                // The second connection is a good one.
                try await hostile.script(peer)
            }
            let good = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer("good") }
            }
            try await withTransport { transport in
                let (result, time) = await transport.outcome(of: .get(from: server))
                #expect(result.failure?.bare == TransportFailure(hostile.reason, mayHaveBeenSent: true))
                noteTime(time, of: .seconds(10))
                let (next, _) = await transport.outcome(of: .get(from: good))
                #expect(next.answer?.text == "good", "\(next)")
            }
            await server.stop()
            await good.stop()
        }

        @Test(arguments: HostileAnswer.all)
        func `Is told by a call of the broker, which is not made twice`(of hostile: HostileAnswer) async throws {
            let server = try await RawServer { try await hostile.script($0) }
            try await withTransport { transport in
                let origin = try BrokerOrigin(parsing: "http://127.0.0.1:\(server.port)")
                var settings = BrokerSettings()
                settings.timeLimit = .seconds(60)
                let broker = Broker(
                    at: BrokerEnvironment(of: origin),
                    application: Broker.Application(try SoftwareStatement(Bench.statement)),
                    records: DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed), over: transport,
                    settings: settings)
                let caller = try await Self.registeredCaller(of: broker)
                let outcome = await result { () throws(BrokerError) in
                    try await caller.startSession(SessionRequest(mvpd: "TestMVPD"), requestor: "REF30")
                }
                guard case .transport(let failure)? = outcome.error else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(failure.bare == TransportFailure(hostile.reason, mayHaveBeenSent: true))
                #expect(server.connectionCount == 1)
            }
            await server.stop()
        }

        /// A device that is registered and has an access token, so that its next call is the first request.
        private static func registeredCaller(of broker: Broker) async throws -> Caller {
            let device = Device(
                key: "device", identifier: try DeviceIdentifier("device-identifier"),
                info: try DeviceInfo([.model: "TV 1", .osName: "Example OS"]))
            let credentials = try ClientCredentials(parsing: HTTPAnswer.credentials(1).body)
            let token = try AccessToken(parsing: HTTPAnswer.token(1, createdAt: .now).body)
            try await broker.records.change(device.key) { [scope = broker.scope] record in
                record.adopt(credentials, for: scope)
                _ = record.adopt(token, madeWith: credentials, for: scope)
            }
            return broker.caller(device, from: nil)
        }
    }
}
#endif
