#if Service
import Foundation
import NIOCore
import TestVectors
import Testing

/// Clients that send the head of a request, and wait for `100 Continue` before they send its body, as curl does with more than
/// a megabyte.
@Suite struct ContinueTests {
    private static func head(_ version: String = "1.1", length: Int, expecting: String = "100-continue") -> String {
        "POST /v1/media-tokens/verify HTTP/\(version)\r\nHost: a\r\nConnection: close\r\n"
            + "Expect: \(expecting)\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Sends a head, waits for some bytes of the server, then sends the body; all that was received.
    private static func exchange(_ head: String, _ body: String, waitingFor awaited: String, at port: Int) async throws
        -> String
    {
        try await limited {
            try await RawConnection.to(port) { inbound, outbound in
                var received = ""
                var hasSent = false
                try await outbound.write(ByteBuffer(string: head))
                for try await buffer in inbound {
                    received += String(buffer: buffer)
                    if !hasSent, received.contains(awaited) {
                        hasSent = true
                        try await outbound.write(ByteBuffer(string: body))
                    }
                }
                return received
            }
        }
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func `A client that waits is told to go on, and gets its answer`(_ expected: String) async throws {
        try await RunningService.with { service in
            let continued = "HTTP/1.1 100 Continue\r\n\r\n"
            let received = try await Self.exchange(
                Self.head(length: 2, expecting: expected), "{}", waitingFor: continued, at: service.publicPort)
            #expect(received.hasPrefix(continued))
            let answer = received.dropFirst(continued.count)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("bad_request"), "\(received)")
        }
    }

    @Test func `So is one that sends its body in chunks`() async throws {
        try await RunningService.with { service in
            let head =
                "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
            let received = try await Self.exchange(
                head, "2\r\n{}\r\n0\r\n\r\n", waitingFor: "100 Continue\r\n\r\n", at: service.publicPort)
            #expect(received.contains("\r\n\r\nHTTP/1.1 400 "), "\(received)")
        }
    }

    @Test(arguments: [
        head("1.0", length: 2) + "{}", head(length: 0), head(length: 2, expecting: "something") + "{}",
    ])
    func `Nobody else is told so`(_ request: String) async throws {
        try await RunningService.with { service in
            let bytes = try await RawConnection.exchange(service.publicPort, Array(request.utf8))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("100 Continue") && text.contains(" 400 "), "\(text)")
        }
    }

    /// Such a client may or may not send its body after another answer, so nothing more is read.
    @Test(arguments: [
        ("/v1/media-tokens/verify-not", 2, 404), ("/v1/media-tokens/verify", 1_000_000_000, 413), ("/v1/authz", 2, 403),
        ("/v1/media-tokens/verify-batch?redeem=perhaps", 2, 400),
    ])
    func `An answer that needs no body comes at once`(_ target: String, _ length: Int, _ status: Int) async throws {
        try await RunningService.with { service in
            let fields = ["Expect: 100-continue", "Content-Length: \(length)"]
            let bytes = try await RawConnection.exchange(
                service.publicPort, request("POST", target, fields: fields, closes: false))
            let answers = Answer.all(in: bytes)
            #expect(answers.map(\.status) == [status])
            #expect(answers.first?["Connection"] == "close")
        }
    }

    /// Its answer begins before its body is read.
    @Test func `A batch is told to go on`() async throws {
        try await RunningService.with { service in
            let head = request(
                "POST", "/v1/media-tokens/verify-batch", fields: ["Expect: 100-continue", "Content-Length: 2"])
            let continued = "HTTP/1.1 100 Continue\r\n\r\n"
            let received = try await Self.exchange(
                String(decoding: head, as: UTF8.self), "x\n", waitingFor: continued, at: service.publicPort)
            #expect(received.hasPrefix(continued))
            let answers = Answer.all(in: Array(received.dropFirst(continued.count).utf8))
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.objects.count == 1)
        }
    }

    @Test func `A client that waits after other requests is told to go on after their answers`() async throws {
        try await RunningService.with { service in
            let first = request("GET", "/v1/authz", closes: false)
            let continued = "HTTP/1.1 100 Continue\r\n\r\n"
            let received = try await Self.exchange(
                String(decoding: first + first, as: UTF8.self) + Self.head(length: 2), "{}", waitingFor: continued,
                at: service.publicPort)
            let parts = received.components(separatedBy: continued)
            #expect(parts.map { Answer.all(in: Array($0.utf8)).map(\.status) } == [[403, 403], [400]])
        }
    }

    /// What is written between two answers would be taken for a part of them.
    @Test func `Answers before it are not broken up`() async throws {
        try await RunningService.with { service in
            let first = request("POST", "/v1/authz", body: Array("x".utf8), closes: false)
            let all = first + first + Array((Self.head(length: 2) + "{}").utf8)
            let bytes = try await RawConnection.exchange(service.publicPort, all)
            let text = String(decoding: bytes, as: UTF8.self).replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
            #expect(Answer.all(in: Array(text.utf8)).map(\.status) == [403, 403, 400])
        }
    }
}
#endif
