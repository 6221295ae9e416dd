#if Service
import EntitlementValues
import Foundation
import NIOCore
import TVEService
import Testing

/// Clients that break the rules of HTTP, and clients that keep connections open.
@Suite struct ConnectionTests {
    @Test func requestsMayBePipelined() async throws {
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
    @Test func ofManyRequestsAtOnceSixteenAreTaken() async throws {
        try await RunningService.with { service in
            let one = request("GET", "/v1/authz", closes: false)
            let sixteen = Array((0..<15).map { _ in one }.joined()) + request("GET", "/v1/authz")
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, sixteen))
            #expect(answers.count == 16)
            let many = Array((0..<5000).map { _ in one }.joined())
            let bytes = try? await RawConnection.exchange(service.publicPort, many, within: .seconds(10))
            #expect(Answer.all(in: bytes ?? []).count <= 16)
            // Those of both connections, and not one more.
            let metrics = try await service.metrics()
            let counted = metrics.split(separator: "\n").filter {
                $0.hasPrefix(#"tve_requests_total{endpoint="authz""#)
            }
            .compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
            #expect(counted == 32, "\(counted)")
        }
    }

    @Test func http10IsAnswered() async throws {
        try await RunningService.with { service in
            let fields = ["X-Original-URI: /live/1", "X-Media-Token: \(try RunningService.token())"]
            let answer = try await service.ask(request("GET", "/v1/authz", fields: fields, version: "1.0"))
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [
        "BREW /v1/authz HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/authz HTTP/1.1\r\nHost: x\r\nX-Media-Token: a\u{1}b\r\n\r\n",
        "GET /v1/authz HTTP/1.1\r\nHost: x\r\nX-Media-Token : a\r\n\r\n", "GET /v1/authz HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}", "GET /v1/authz HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\n{",
    ])
    func malformedRequestsNeverPass(_ text: String) async throws {
        try await RunningService.with { service in
            let bytes = try await RawConnection.exchange(service.publicPort, Array(text.utf8), within: .seconds(2))
            for answer in Answer.all(in: bytes) { #expect((400..<600).contains(answer.status)) }
            #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 200)
        }
    }

    @Test func aHeadThatIsTooLongIsRefused() async throws {
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

    @Test func aCutRequestSpendsNothing() async throws {
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

    @Test(arguments: [
        ("/v1/media-tokens/verify", []), ("/v1/media-tokens/verify-batchX", [404]),
        ("/v1/media-tokens/verify-batch?redeem=perhaps", [400]),
    ])
    func aSlowBodyEndsItsConnection(_ target: String, _ statuses: [Int]) async throws {
        try await RunningService.with(["limits.requestSeconds": "1"]) { service in
            let answers = try await Self.send(
                [0x20], every: .milliseconds(100), to: target, of: service.publicPort)
            #expect(answers.map(\.status) == statuses)
        }
    }

    @Test func theInternalListenerTakesNoBatches() async throws {
        try await RunningService.with(["limits.requestSeconds": "1"]) { service in
            let answers = try await Self.send(
                [0x20], every: .milliseconds(100), to: "/v1/media-tokens/verify-batch", of: service.internalPort)
            #expect(answers.map(\.status) == [404])
        }
    }

    @Test func aSlowBatchIsClosed() async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.idleSeconds": "2"]) { service in
            let answers = try await Self.send(
                [0x20], every: .milliseconds(100), to: "/v1/media-tokens/verify-batch", of: service.publicPort)
            #expect(answers.isEmpty)
        }
    }

    @Test func aBatchThatIsFastEnoughGoesOn() async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.idleSeconds": "2"]) { service in
            let line = [UInt8](repeating: 0x20, count: 999) + [UInt8(ascii: "\n")]
            let answers = try await Self.send(
                line, every: .milliseconds(100), times: 60, to: "/v1/media-tokens/verify-batch",
                of: service.publicPort)
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.objects.count == 60)
        }
    }

    /// Sends a body piece by piece, and returns the responses until the server closes the connection, which it must do.
    private static func send(
        _ bytes: [UInt8],
        every pause: Duration,
        times: Int = 1_000_000,
        to target: String,
        of port: Int
    ) async throws -> [Answer] {
        let head = request(
            "POST", target, fields: ["Content-Length: \(times * bytes.count)"], closes: times < 1_000_000)
        let start = ContinuousClock.now
        let received = try await RawConnection.to(port) { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: head))
            return await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<times where (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil {
                        guard (try? await Task.sleep(for: pause)) != nil else { return }
                    }
                }
                defer { group.cancelAll() }
                return await RawConnection.read(inbound, within: .seconds(30))
            }
        }
        #expect(start.duration(to: .now) < .seconds(20))
        return Answer.all(in: received)
    }

    @Test func aSilentConnectionIsClosed() async throws {
        try await RunningService.with(["limits.idleSeconds": "1"]) { service in
            for beginning in [
                "", "GET /v1/authz HT",
                "POST /v1/media-tokens/verify-batch HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
            ] {
                let start = ContinuousClock.now
                _ = try await RawConnection.exchange(
                    service.publicPort, Array(beginning.utf8), within: .seconds(15))
                #expect(start.duration(to: .now) < .seconds(10), "\(beginning)")
            }
        }
    }

    @Test func aClientThatAsksNoMoreIsClosed() async throws {
        try await RunningService.with(["limits.idleSeconds": "1"]) { service in
            let start = ContinuousClock.now
            let bytes = try await RawConnection.exchange(
                service.publicPort, request("GET", "/v1/authz", closes: false))
            #expect(Answer.all(in: bytes).map(\.status) == [403])
            #expect(start.duration(to: .now) < .seconds(10))
        }
    }

    @Test func connectionsAreLimited() async throws {
        try await RunningService.with(["limits.connections": "2"]) { service in
            let one = ByteBuffer(bytes: request("GET", "/v1/authz", closes: false))
            let third = try await RawConnection.to(service.publicPort) { _, first in
                try await first.write(one)
                return try await RawConnection.to(service.publicPort) { _, second in
                    try await second.write(one)
                    try await service.until {
                        try await $0.metrics().contains(#"tve_requests_total{endpoint="authz",status="403"} 2"#)
                    }
                    // The system accepts the connection, but the service does not answer.
                    return try await RawConnection.exchange(
                        service.publicPort, request("GET", "/v1/authz"), within: .seconds(1))
                }
            }
            #expect(third.isEmpty)
            #expect(try await service.authorize([]).status == 401)
        }
    }

    @Test func aClientThatDoesNotReadIsClosed() async throws {
        try await RunningService.with(["limits.requestSeconds": "1", "limits.batches": "1"]) { service in
            let head = request(
                "POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: 1000000000"], closes: false)
            let start = ContinuousClock.now
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head))
                // The answer to each line is a hundred times as long, and is not read.
                let lines = ByteBuffer(bytes: [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 16))
                while (try? await outbound.write(lines)) != nil, start.duration(to: .now) < .seconds(15) {}
            }
            #expect(start.duration(to: .now) < .seconds(12))
            var status = 0
            for _ in 0..<100 where status != 200 {
                status = try await service.post("/v1/media-tokens/verify-batch", "x").status
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(status == 200)
        }
    }

    @Test func silentConnectionsDelayNoRequest() async throws {
        try await RunningService.with { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await RawConnection.to(service.publicPort) { _, outbound in
                            try await outbound.write(ByteBuffer(string: "GET /v1/authz HTTP/1.1\r\nX"))
                            try? await Task.sleep(for: .seconds(60))
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(200))
                #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 200)
                group.cancelAll()
            }
        }
    }
}
#endif
