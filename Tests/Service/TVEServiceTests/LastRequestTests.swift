#if Service
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import TestVectors
import Testing

/// After some requests the decoder reads no other: their answers say so, and their connections end.
@Suite struct LastRequestTests {
    private static let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func get(_ fields: String..., version: String = "1.1") -> String {
        (["GET / HTTP/\(version)", "Host: a"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    private static func post(trailer: String) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\(trailer)\r\n\r\n"
    }

    private static let options = [
        "close", "ClOsE", "close, keep-alive", "keep-alive,\tclose", "close ,x", "x,close,y", ",close", "close,",
        "close,\u{301}", "keep-alive", "Keep-Alive , x", "upgrade", "closed", "x close", "close x", "not-close", "",
    ]

    /// Requests with each option in each field that the decoder looks at, and in some others.
    private static let requests: [String] =
        ["Connection", "cOnnection", "Proxy-Connection", "Keep-Alive", "X-Connection", "Connections"]
        .flatMap { name in
            options.flatMap { option in
                let field = "\(name): \(option)"
                return [get(field), get(field, version: "1.0"), post(trailer: field)]
            }
        } + [
            get(), get(version: "1.0"), get("Connection: keep-alive", "Connection: close"),
            get("Connection: close", "Connection: keep-alive"),
            get("Connection: close", "Proxy-Connection: keep-alive"),
            get("Connection: keep-alive", "Proxy-Connection: close"),
            get("Proxy-Connection: keep-alive", version: "1.0"), get("Connection: Upgrade, close", "Upgrade: h2c"),
        ]

    /// Whether the decoder by itself refuses what comes after a request.
    private static func endsDecoder(_ request: String) throws -> Bool {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        do {
            try channel.writeInbound(ByteBuffer(string: request + next))
            return false
        } catch HTTPParserError.closedConnection {
            return true
        }
    }

    private static func answer(_ status: HTTPResponse.Status = .ok, on channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// Takes what was written to a channel.
    private static func written(to channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = data { text += String(buffer: buffer) }
        }
        return text.lowercased()
    }

    /// Takes the paths of the requests that were read.
    private static func paths(on channel: EmbeddedChannel) throws -> [String] {
        var paths: [String] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { paths.append(head.path ?? "") }
        }
        return paths
    }

    /// Whether the answer to a request, which another one follows, says that it is the last one; checks that it is, then, and
    /// that else the other one is answered.
    private static func isLast(_ request: String) throws -> Bool {
        let channel = try EmbeddedChannel.guarded()
        defer { _ = try? channel.finish() }
        try channel.writeInbound(ByteBuffer(string: request + next))
        let paths = try paths(on: channel)
        try answer(on: channel)
        let isLast = try written(to: channel).contains("\r\nconnection: close\r\n")
        #expect(paths == (isLast ? ["/"] : ["/", "/next"]), "\(request)")
        #expect(channel.isActive != isLast, "\(request)")
        if !isLast {
            try answer(on: channel)
            #expect(channel.isActive, "\(request)")
        }
        return isLast
    }

    @Test func `What the decoder takes for the last request is answered as that`() throws {
        var count = 0
        for request in Self.requests {
            let endsDecoder = try Self.endsDecoder(request)
            count += endsDecoder ? 1 : 0
            let isLast = try Self.isLast(request)
            #expect(isLast || !endsDecoder, "\(request)")
            // Of the others only those that ask for it.
            #expect(!isLast || endsDecoder || request.contains("close"), "\(request)")
        }
        #expect(0 < count && count < Self.requests.count)
    }

    @Test(arguments: [
        get("Connection: close\t"), get("Connection: close, keep-alive", version: "1.0"), get("Connection: x, close\t"),
    ])
    func `A client may ask for it in a form that the decoder does not know`(_ request: String) throws {
        #expect(try !Self.endsDecoder(request))
        #expect(try Self.isLast(request))
    }

    @Test(arguments: [
        get("X: y"), get("Connection: keep-alive"), get("Connection: Upgrade", "Upgrade: close"), get("close: close"),
        get("Connection: keep-alive", version: "1.0"), post(trailer: "X: close"), post(trailer: "Connection: x"),
    ])
    func `Other requests keep their connection`(_ request: String) throws {
        #expect(try !Self.isLast(request))
    }

    @Test func `Of requests that come at once only the last one says so`() throws {
        let channel = try EmbeddedChannel.guarded()
        let last = Self.get("Proxy-Connection: close")
        try channel.writeInbound(ByteBuffer(string: Self.next + Self.next + last + Self.next))
        #expect(try Self.paths(on: channel) == ["/next", "/next", "/"])
        for isLast in [false, false, true] {
            #expect(channel.isActive)
            try Self.answer(on: channel)
            #expect(try Self.written(to: channel).contains("connection: close") == isLast)
        }
        #expect(!channel.isActive)
    }

    @Test func `What comes after the last request is not read, also while it is answered`() throws {
        let channel = try EmbeddedChannel.guarded()
        try channel.writeInbound(ByteBuffer(string: Self.get("Proxy-Connection: close")))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeInbound(ByteBuffer(string: Self.next))
        try channel.writeInbound(ByteBuffer(string: "\u{16}\u{3}\u{1}"))
        #expect(channel.isActive)
        #expect(try Self.paths(on: channel) == ["/"])
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(!channel.isActive)
    }

    @Test func `A trailer that comes after the answer ends the connection`() throws {
        let channel = try EmbeddedChannel.guarded()
        let request = Self.post(trailer: "Proxy-Connection: close")
        try channel.writeInbound(ByteBuffer(string: String(request.prefix(70))))
        try Self.answer(.notFound, on: channel)
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(string: request.dropFirst(70) + Self.next))
        #expect(!channel.isActive)
        #expect(try Self.paths(on: channel) == ["/"])
    }

    @Test func `A body that is too large is not waited for`() throws {
        for (status, isLast) in [(HTTPResponse.Status.contentTooLarge, true), (.notFound, false)] {
            let channel = try EmbeddedChannel.guarded()
            try channel.writeInbound(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"))
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
            #expect(try Self.written(to: channel).contains("connection: close") == isLast)
            // The decoder misses the rest of the body.
            _ = try? channel.writeOutbound(HTTPResponsePart.end(nil))
            #expect(channel.isActive != isLast)
        }
    }

    @Test func `A body that was too large, and has come, keeps its connection`() throws {
        let channel = try EmbeddedChannel.guarded()
        try channel.writeInbound(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"))
        try Self.answer(.contentTooLarge, on: channel)
        #expect(channel.isActive)
        #expect(try !Self.written(to: channel).contains("connection: close"))
    }

    // MARK: Over sockets

    private static let asking = ["Proxy-Connection: close", "Connection: keep-alive, ClOsE"]

    /// Checks that the answers to last requests say so, and that the connection ends.
    private static func expectEnds(at port: Int) async throws {
        for field in asking {
            let bytes = request("GET", "/", fields: [field], closes: false) + request("GET", "/", closes: false)
            let answers = Answer.all(in: try await RawConnection.exchange(port, bytes))
            #expect(answers.map { $0["Connection"] } == ["close"], "\(field)")
        }
        let old = request("GET", "/", version: "1.0", closes: false)
        #expect(Answer.all(in: try await RawConnection.exchange(port, old)).map { $0["Connection"] } == ["close"])
    }

    @Test func `Every listener ends a connection after its last request`() async throws {
        let settings = [
            "decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem"), "decryption.port": "0",
        ]
        try await RunningService.with(settings) { service in
            try await Self.expectEnds(at: service.publicPort)
            try await Self.expectEnds(at: service.internalPort)
            try await Self.expectEnds(at: try #require(service.decryptionPort))
        }
    }

    @Test func `The simulated broker ends a connection after its last request`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        try await Self.expectEnds(at: run.port)
        // It runs for as long as the object is used.
        #expect(try await run.ask("GET", "/sim/health").status == 200)
    }

    /// Its place is free once it has its answer, although it sends no more and closes nothing.
    @Test(arguments: [true, false])
    func `A client whose body is too large holds no place`(_ closes: Bool) async throws {
        let settings = ["limits.connections": "1", "limits.requestSeconds": "600", "limits.idleSeconds": "600"]
        try await RunningService.with(settings) { service in
            let head = request(
                "POST", "/v1/media-tokens/verify", fields: ["Content-Length: 1000000000"], closes: closes)
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head + Array("{".utf8)))
                let answers = Answer.all(in: await RawConnection.read(inbound))
                #expect(answers.map(\.status) == [413])
                #expect(answers.first?["Connection"] == "close")
                #expect(try await service.authorize([]).status == 401)
            }
        }
    }
}
#endif
