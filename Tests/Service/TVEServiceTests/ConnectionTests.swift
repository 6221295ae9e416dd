#if Service
import EntitlementValues
import Foundation
import NIOCore
import TestVectors
import TVEService
import Testing

/// Clients that break the rules of HTTP, and clients that keep connections open.
@Suite struct ConnectionTests {
    @Test func `Requests may be pipelined`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let fields = ["X-Original-URI: /live/1", "X-Media-Token: \(token)"]
            let one = request("GET", "/v1/authz", fields: fields, closes: false)
            let last = request("GET", "/v1/authz", fields: fields)
            let bytes = try await RawConnection.exchange(service.publicPort, one + one + last)
            #expect(Answer.all(in: bytes).map(\.status) == [200, 403, 403])
        }
    }

    /// A read of the socket may hold thousands of requests, and each takes memory until it is answered.
    @Test func `Of many requests at once sixteen are taken`() async throws {
        try await RunningService.with { service in
            let one = request("GET", "/v1/authz", closes: false)
            let sixteen = Array((0..<15).map { _ in one }.joined()) + request("GET", "/v1/authz")
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, sixteen))
            #expect(answers.count == 16)
            let many = Array((0..<5000).map { _ in one }.joined())
            let bytes = try? await RawConnection.exchange(service.publicPort, many)
            #expect(Answer.all(in: bytes ?? []).count <= 16)
            // Those of both connections, and not one more.
            let counted = try await polled {
                let found = try await service.requests(to: "authz")
                return found < 32 ? nil : found
            }
            #expect(counted == 32)
        }
    }

    @Test func `The first version of HTTP is answered`() async throws {
        try await RunningService.with { service in
            let fields = ["X-Original-URI: /live/1", "X-Media-Token: \(try RunningService.token())"]
            let answer = try await service.ask(request("GET", "/v1/authz", fields: fields, version: "1.0"))
            #expect(answer.status == 200)
        }
    }

    /// A body would stand where the client expects its next answer.
    @Test func `To HEAD no listener sends a body, also if it refuses`() async throws {
        let status = { @Sendable (target: String, port: Int) in
            try await RawConnection.statusOfHeadAndGet(target, at: port)
        }
        let decryption = [
            "decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem"), "decryption.port": "0",
        ]
        try await RunningService.with(decryption) { service in
            let own = try #require(service.decryptionPort)
            for port in [service.publicPort, service.internalPort, own] {
                #expect(try await status("/nowhere", port) == 404)
            }
            #expect(try await status("/v1/media-tokens/verify", service.publicPort) == 405)
            #expect(try await status("/v1/media-tokens/verify-batch", service.publicPort) == 405)
            #expect(try await status("/v1/playback-sessions", service.publicPort) == 405)
            #expect(try await status("/.well-known/jwks.json", service.publicPort) == 404)
            #expect(try await status("/v1/playback-sessions/revoke", service.internalPort) == 405)
            #expect(try await status("/readyz", service.internalPort) == 200)
            #expect(try await status("/readyz?store=later", service.internalPort) == 400)
            #expect(try await status("/v1/user-metadata/decrypt", own) == 405)
        }
        try await GatewayBench.with { bench in
            let unproved = try await status("/v1/profile", bench.service.publicPort)
            let refused = try await status("/v1/logout", bench.service.publicPort)
            #expect(unproved == 401 && refused == 405)
        }
    }

    /// Of two values, programs do not agree which one counts.
    @Test func `What stands twice in a query is refused, whatever it is`() async throws {
        try await RunningService.with { service in
            for (target, name) in [
                ("/v1/media-tokens/verify-batch?redeem=false&redeem=true", "redeem"),
                ("/v1/media-tokens/verify-batch?redeem=false&%72edee%6D=true", "redeem"),
                ("/v1/decisions/verify?requestor=REF30&requestor=REF30", "requestor"),
            ] {
                let answer = try await service.post(target, "{}")
                #expect(answer.status == 400 && answer.text.contains("\(name) is in the query more than once"))
            }
            for (target, name) in [("/readyz?store=now&store=now", "store"), ("/?reload=off&reload=on", "reload")] {
                let answer = try await service.askInternal(request("GET", target))
                #expect(answer.status == 400 && answer.text.contains("\(name) is in the query more than once"))
            }
        }
    }

    /// The paths of the listeners, but for those of the gateway, and the methods that they take; `/v1/authz` takes any.
    private static let (publicPaths, internalPaths, decryptionPaths) = (
        [
            "/v1/media-tokens/verify": "POST", "/v1/media-tokens/verify-batch": "POST", "/v1/decisions/verify": "POST",
            "/v1/playback-sessions": "POST", "/v1/playback-sessions/renew": "POST",
            "/v1/playback-sessions/end": "POST", "/.well-known/jwks.json": "GET, HEAD",
        ],
        [
            "/": "GET, HEAD", "/healthz": "GET, HEAD", "/readyz": "GET, HEAD", "/metrics": "GET, HEAD",
            "/version": "GET, HEAD", "/openapi.json": "GET, HEAD", "/openapi.yaml": "GET, HEAD",
            "/v1/playback-sessions/revoke": "POST",
        ], ["/v1/user-metadata/decrypt": "POST"]
    )

    /// Sends all other methods to the paths of a listener, without anything else that they need.
    private static func expectAllow(_ paths: [String: String], at port: Int) async throws {
        let query = "?store=x&redeem=perhaps&reload=a&reload=b&requestor=a&requestor=b&events=2"
        for (path, allowed) in paths {
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
                if allowed.split(separator: ", ").contains(method[...]) { continue }
                for target in [path, path + query] {
                    let answer = try await RunningService.ask(port, request(method, target))
                    #expect(answer.status == 405 && answer["Allow"] == allowed, "\(method) \(target)")
                }
            }
        }
    }

    @Test func `A method that a path does not take is refused before anything else`() async throws {
        // Neither sessions nor decryption.
        try await RunningService.with { service in
            try await Self.expectAllow(Self.publicPaths, at: service.publicPort)
            try await Self.expectAllow(Self.internalPaths, at: service.internalPort)
            try await Self.expectAllow(Self.decryptionPaths, at: service.internalPort)
        }
        // Sessions whose key was taken away, and a listener for decryption.
        let (folder, key) = (try Folder(), String(repeating: "a-5ec2e7", count: 8))
        let changes = [
            "sessions.keyFiles": try folder.write(key, to: "key"), "decryption.port": "0",
            "decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem"),
        ]
        try await RunningService.with(changes) { service in
            try FileManager.default.removeItem(atPath: folder.path("key"))
            await service.service.reload()
            #expect(try await service.ask(request("GET", "/.well-known/jwks.json")).code == "no_keys")
            try await Self.expectAllow(Self.publicPaths, at: service.publicPort)
            try await Self.expectAllow(Self.internalPaths, at: service.internalPort)
            try await Self.expectAllow(Self.decryptionPaths, at: try #require(service.decryptionPort))
        }
    }

    @Test(arguments: [
        "BREW /v1/authz HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/authz HTTP/1.1\r\nHost: x\r\nX-Media-Token: a\u{1}b\r\n\r\n",
        "GET /v1/authz HTTP/1.1\r\nHost: x\r\nX-Media-Token : a\r\n\r\n", "GET /v1/authz HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}", "GET /v1/authz HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\n{",
    ])
    func `Malformed requests never pass`(_ text: String) async throws {
        try await RunningService.with { service in
            let bytes = try await RawConnection.exchange(service.publicPort, Array(text.utf8)) {
                !Answer.all(in: $0).isEmpty
            }
            for answer in Answer.all(in: bytes) {
                #expect((400..<600).contains(answer.status))
                #expect(answer["X-Request-ID"]?.count == 32)
            }
            #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 200)
        }
    }

    @Test func `A head that is too long is refused`() async throws {
        try await RunningService.with(["limits.headerBytes": "8192"]) { service in
            let long = request("GET", "/v1/authz", fields: ["X-Media-Token: \(String(repeating: "A", count: 20_000))"])
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, long))
            #expect(answers.allSatisfy { (400..<500).contains($0.status) })
            let many = request("GET", "/v1/authz", fields: (0..<200).map { "X-\($0): 1" })
            #expect(
                Answer.all(in: try await RawConnection.exchange(service.publicPort, many)).allSatisfy {
                    $0.status == 400
                })
        }
    }

    @Test func `A cut request spends nothing`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let body = Array(#"{"token":"\#(token)","requestor":null,"resource":null,"redeem":true}"#.utf8)
            let whole = request("POST", "/v1/media-tokens/verify", body: body)
            for cut in [whole.count - 1, whole.count - body.count, 30] {
                try await RawConnection.to(service.publicPort) { _, outbound in
                    try await outbound.write(ByteBuffer(bytes: whole.prefix(cut)))
                }
            }
            #expect(try await service.ask(whole).code == "valid")
        }
    }

    // MARK: Slow clients

    /// The times are those of `ConnectionGuardTests`: here a connection only has to come to its end.
    @Test(arguments: ["/v1/media-tokens/verify", "/v1/media-tokens/verify-batch"])
    func `A slow body ends its connection`(_ target: String) async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.idleSeconds": "2"]) { service in
            let answers = try await Self.trickle([0x20], to: target, of: service.publicPort)
            #expect(answers.isEmpty)
        }
    }

    @Test(arguments: [
        ("/v1/media-tokens/verify-batchX", 404), ("/v1/media-tokens/verify-batch?redeem=perhaps", 400),
    ])
    func `A refusal does not wait for the body`(_ target: String, _ status: Int) async throws {
        try await RunningService.with { service in
            try await Self.expectRefusal(status, of: target, at: service.publicPort)
        }
        try await RunningService.with(["limits.requestSeconds": "1"]) { service in
            // The connection may end before the answer is written.
            let answers = try await Self.trickle([0x20], to: target, of: service.publicPort)
            #expect(answers.allSatisfy { $0.status == status } && answers.count < 2)
        }
    }

    @Test func `The internal listener takes no batches`() async throws {
        let target = "/v1/media-tokens/verify-batch"
        try await RunningService.with { service in
            try await Self.expectRefusal(404, of: target, at: service.internalPort)
        }
        try await RunningService.with(["limits.requestSeconds": "1"]) { service in
            let answers = try await Self.trickle([0x20], to: target, of: service.internalPort)
            #expect(answers.allSatisfy { $0.status == 404 } && answers.count < 2)
        }
    }

    /// Checks that a request is refused although its body has not come.
    private static func expectRefusal(_ status: Int, of target: String, at port: Int) async throws {
        let head = request("POST", target, fields: ["Content-Length: 1000000"], closes: false)
        let bytes = try await RawConnection.exchange(port, head) { !Answer.all(in: $0).isEmpty }
        #expect(Answer.all(in: bytes).map(\.status) == [status])
    }

    @Test(.enabled(if: DeepRun.isAsked, "a client that is held up for two seconds is too slow"))
    func `A batch that is fast enough goes on`() async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.idleSeconds": "2"]) { service in
            let line = [UInt8](repeating: 0x20, count: 999) + [UInt8(ascii: "\n")]
            let answers = try await Self.trickle(
                line, times: 60, to: "/v1/media-tokens/verify-batch", of: service.publicPort)
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.objects.count == 60)
        }
    }

    /// Sends a body piece by piece, and returns the responses until the server closes the connection, which it must do.
    private static func trickle(
        _ bytes: [UInt8],
        times: Int = 1_000_000,
        to target: String,
        of port: Int
    ) async throws -> [Answer] {
        let head = request(
            "POST", target, fields: ["Content-Length: \(times * bytes.count)"], closes: times < 1_000_000)
        return try await RawConnection.trickle(head, then: bytes, times: times, to: port)
    }

    @Test func `A silent connection is closed`() async throws {
        try await RunningService.with(["limits.idleSeconds": "1"]) { service in
            for beginning in [
                "", "GET /v1/authz HT",
                "POST /v1/media-tokens/verify-batch HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
            ] {
                let bytes = try await RawConnection.exchange(service.publicPort, Array(beginning.utf8))
                #expect(Answer.all(in: bytes).isEmpty, "\(beginning)")
            }
        }
    }

    @Test func `A client that asks no more is closed`() async throws {
        try await RunningService.with(["limits.idleSeconds": "1"]) { service in
            let statuses = try await polled {
                let bytes = try await RawConnection.exchange(
                    service.publicPort, request("GET", "/v1/authz", closes: false))
                let statuses = Answer.all(in: bytes).map(\.status)
                // Unless the client was held up before it could ask.
                return statuses.isEmpty ? nil : statuses
            }
            #expect(statuses == [403])
        }
    }

    @Test func `Connections are limited`() async throws {
        try await RunningService.with(["limits.connections": "2"]) { service in
            let others = try await Clients.connect(2, to: service.publicPort)
            try await service.untilConnections(2)
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                // The system accepts the connection, but the service does not answer.
                try await outbound.write(ByteBuffer(bytes: request("GET", "/v1/authz")))
                for _ in 0..<50 { #expect(try await service.requests(to: "authz") == 0) }
                try await others.close(1)
                let bytes = await RawConnection.read(inbound)
                #expect(Answer.all(in: bytes).map(\.status) == [403])
            }
            try await others.close(1)
            #expect(try await service.authorize([]).status == 401)
        }
    }

    @Test func `A client that does not read is closed`() async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.batches": "1"]) { service in
            let head = request(
                "POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: 1000000000"], closes: false)
            let isClosed = try await limited {
                try await RawConnection.to(service.publicPort) { inbound, outbound in
                    try await outbound.write(ByteBuffer(bytes: head))
                    // The answer to each line is several times as long, and is not read.
                    let row = #"{"token":"x","requestor":null,"resource":null}"# + "\n"
                    let lines = ByteBuffer(string: String(repeating: row, count: 1400))
                    for _ in 0..<15_000 where (try? await outbound.write(lines)) == nil { return true }
                    return false
                }
            }
            #expect(isClosed)
            try await service.until { try await $0.post("/v1/media-tokens/verify-batch", "x").status == 200 }
        }
    }

    @Test func `Silent connections delay no request`() async throws {
        try await RunningService.with(["limits.idleSeconds": "3600"]) { service in
            let others = try await Clients.connect(
                200, to: service.publicPort, saying: "GET /v1/authz HTTP/1.1\r\nX")
            try await service.untilConnections(200)
            #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 200)
            try await others.close(200)
        }
    }
}

extension RunningService {
    /// How many requests to an endpoint were answered, with whatever status.
    fileprivate func requests(to endpoint: String) async throws -> Int {
        try await metrics().split(separator: "\n").filter {
            $0.hasPrefix("tve_requests_total{endpoint=\"\(endpoint)\"")
        }
        .compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
    }
}
#endif
