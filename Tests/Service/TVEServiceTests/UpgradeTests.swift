#if Service
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import TestVectors
import Testing

/// Clients that ask for another protocol are answered in HTTP/1.1, and their connection goes on.
@Suite struct UpgradeTests {
    /// What Java's client and curl send with every request.
    private static let http2 = [
        "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA",
    ]
    private static let webSocket = [
        "upgrade:websocket", "Sec-WebSocket-Version: 13", "connection: keep-alive", "CONNECTION:x , uPgRaDe ,y",
    ]
    /// A body that looks like the ends of heads and chunks, and like other requests.
    private static let body =
        "\n\r\nUpgrade: h2c\r\n\r\n0\r\n\r\n\n\r\rGET /inside HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"

    private static func text(_ line: String, with fields: [String], body: String = "") -> String {
        let lines = [line, "Host: a"] + fields + ["", body]
        return lines.joined(separator: "\r\n")
    }

    private static func chunks(_ bodies: String..., trailers: [String] = []) -> String {
        var lines: [String] = []
        for body in bodies { lines += [String(body.utf8.count, radix: 16), body] }
        lines += ["0"] + trailers + ["", ""]
        return lines.joined(separator: "\r\n")
    }

    /// Requests of one connection, one immediately after the other, and what is to be read of each.
    private static let requests: [(text: String, wanted: String)] = [
        (text("GET /java HTTP/1.1", with: http2), "GET /java ."),
        (
            text("POST /length HTTP/1.1", with: webSocket + ["Content-Length: \(body.utf8.count)"], body: body),
            "POST /length \(body)."
        ),
        (
            text(
                "POST /chunks HTTP/1.1", with: ["Transfer-Encoding: chunked"] + http2,
                body: chunks("\n", body, "\r\n\n", body)),
            "POST /chunks \n\(body)\r\n\n\(body)."
        ),
        (
            text(
                "PUT /trailers HTTP/1.1", with: webSocket + ["Transfer-Encoding: chunked"],
                body: chunks("x", trailers: ["Upgrade: h2c", "Connection: Upgrade"])),
            "PUT /trailers x."
        ),
        ("\r\n\n" + text("HEAD /lines HTTP/1.1", with: http2), "HEAD /lines ."),
        (text("POST /nothing HTTP/1.1", with: ["Content-Length: 0 "] + http2), "POST /nothing ."),
        (text("GET /twice HTTP/1.1", with: http2 + webSocket), "GET /twice ."),
        (text("GET /old HTTP/1.0", with: ["Connection: keep-alive, Upgrade", "Upgrade: h2c"]), "GET /old ."),
        (text("GET /plain HTTP/1.1", with: ["Upgrade-Insecure-Requests: 1", "Up: x"]), "GET /plain ."),
    ]

    /// What is read of bytes that arrive in some pieces: of each request method, path, body, and a full stop at its end.
    private static func read(_ pieces: some Sequence<ArraySlice<UInt8>>) throws -> [String] {
        let channel = try EmbeddedChannel.guarded()
        // A channel that is not closed stays in memory.
        defer { _ = try? channel.finish() }
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        var found: [String] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            switch part {
            case .head(let head): found.append("\(head.method.rawValue) \(head.path ?? "") ")
            case .body(let bytes): found.append((found.popLast() ?? "") + String(buffer: bytes))
            case .end: found.append((found.popLast() ?? "") + ".")
            }
        }
        return found
    }

    @Test func `Requests for another protocol are read like all others, wherever their bytes are cut`() throws {
        let next = Self.text("GET /next HTTP/1.1", with: Self.http2)
        for (text, wanted) in Self.requests {
            let bytes = Array((text + next).utf8)
            for cut in 0...bytes.count {
                let found = try Self.read([bytes[..<cut], bytes[cut...]])
                try #require(found == [wanted, "GET /next ."], "cut at \(cut)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 7, 8, 9, 64, 1000, 10_000])
    func `Requests for another protocol are read like all others, in pieces of any size`(_ size: Int) throws {
        let bytes = Array(Self.requests.map(\.text).joined().utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        #expect(try Self.read(pieces) == Self.requests.map(\.wanted))
    }

    @Test func `Only the name of the field is another one`() throws {
        let channel = try EmbeddedChannel.guarded()
        let fields = [
            "X-Upgrade: a", "uPGRADE: h2c", "Upgraded: b", "Upgrade-Insecure-Requests: 1", "Connection: Upgrade",
        ]
        try channel.writeInbound(ByteBuffer(string: Self.text("GET / HTTP/1.1", with: fields)))
        guard case .head(let head) = try channel.readInbound(as: HTTPRequestPart.self) else {
            throw HTTPParserError.unknown
        }
        let found = head.headerFields.map { "\($0.name.rawName): \($0.value)" }
        #expect(found == fields.map { $0 == "uPGRADE: h2c" ? "ignored: h2c" : $0 })
    }

    /// Another name makes none of them a good one.
    @Test(arguments: [
        "Upgrade : h2c", "Upgrade\t: h2c", "Upgrade: h2c\r\n websocket", "Upgrade:\r\n h2c", "Upgrade\u{1A} h2c",
        "Upgrade", " Upgrade: h2c", "\rUpgrade: h2c", "Upgrade: h\u{0}2c",
    ])
    func `A field that cannot be read in one way is refused as before`(_ field: String) throws {
        let bytes = Array(Self.text("GET / HTTP/1.1", with: [field, "Connection: Upgrade"]).utf8)
        #expect(throws: HTTPParserError.self) { try Self.read([bytes[...]]) }
        #expect(throws: HTTPParserError.self) { try Self.read(bytes.indices.map { bytes[$0...$0] }) }
    }

    /// The decoder reads some of them like requests of HTTP, and says nothing of it.
    @Test(arguments: [
        "OPTIONS / RTSP/1.0", "OPTIONS / RTSP/1.1", "DESCRIBE / RTSP/1.0", "GET / ICE/1.0", "POST / ICE/1.1",
        "SOURCE / ICE/1.0", "SOURCE /HTTP/1.1 ICE/1.1",
    ])
    func `Requests of other protocols are refused`(_ line: String) throws {
        let bytes = Array(Self.text(line, with: []).utf8)
        for cut in 0...bytes.count {
            #expect(throws: HTTPParserError.self) { try Self.read([bytes[..<cut], bytes[cut...]]) }
        }
        #expect(throws: HTTPParserError.self) { try Self.read(bytes.indices.map { bytes[$0...$0] }) }
    }

    @Test func `The field counts for the limit of a head`() throws {
        let field = "Upgrade: \(String(repeating: "h", count: 90_000))"
        let bytes = Array(Self.text("GET / HTTP/1.1", with: [field, "Connection: Upgrade"]).utf8)
        #expect(throws: HTTPParserError.self) { try Self.read([bytes[..<20], bytes[20...]]) }
    }

    @Test func `A request that ends within a name is refused`() throws {
        let channel = try EmbeddedChannel.guarded()
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\nUpg"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
    }

    // MARK: Over sockets

    private static let asked = [
        request("GET", "/", fields: http2, closes: false),
        request("POST", "/", fields: webSocket, body: Array("x".utf8), closes: false),
        request("GET", "/", fields: http2, closes: false),
        request("GET", "/", closes: false),
    ]

    /// The statuses of requests that are sent on one connection, each after the answer to the one before.
    private static func statuses(of requests: [[UInt8]], at port: Int) async throws -> [Int] {
        try await limited {
            try await RawConnection.to(port) { inbound, outbound in
                var received: [UInt8] = []
                var sent = 0
                try await outbound.write(ByteBuffer(bytes: requests[0]))
                for try await buffer in inbound {
                    received += Array(buffer.readableBytesView)
                    guard Answer.all(in: received).count > sent else { continue }
                    sent += 1
                    if sent == requests.count { break }
                    try await outbound.write(ByteBuffer(bytes: requests[sent]))
                }
                return Answer.all(in: received).map(\.status)
            }
        }
    }

    /// Checks that requests for another protocol are answered as without that, on one connection.
    private static func expectUsualAnswers(at port: Int) async throws {
        let get = try await RunningService.ask(port, request("GET", "/")).status
        let post = try await RunningService.ask(port, request("POST", "/", body: Array("x".utf8))).status
        #expect(try await statuses(of: asked, at: port) == [get, post, get, get])
    }

    @Test func `Every listener goes on after a request for another protocol`() async throws {
        let settings = [
            "decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem"), "decryption.port": "0",
        ]
        try await RunningService.with(settings) { service in
            try await Self.expectUsualAnswers(at: service.publicPort)
            try await Self.expectUsualAnswers(at: service.internalPort)
            try await Self.expectUsualAnswers(at: try #require(service.decryptionPort))
        }
    }

    @Test func `The simulated broker goes on after a request for another protocol`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        try await Self.expectUsualAnswers(at: run.port)
        // It runs for as long as the object is used.
        #expect(try await run.ask("GET", "/sim/health").status == 200)
    }

    @Test func `Requests for another protocol may be pipelined`() async throws {
        try await RunningService.with { service in
            let one = request("POST", "/v1/authz", fields: Self.http2, body: Array("x".utf8), closes: false)
            let bytes = one + one + request("GET", "/v1/authz", fields: ["Upgrade: h2c"])
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, bytes))
            #expect(answers.map(\.status) == [403, 403, 403])
        }
    }
}
#endif
