#if Client
import BrokerClient
import HTTPTypes
import Testing

/// An answer that must come back as it was sent.
struct GoodAnswer: CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let body: String
    let fields: [String: String]
    let sent: String

    init(_ name: String, _ status: Int, _ body: String, _ fields: [String: String] = [:], sent: String) {
        (testDescription, self.status, self.body, self.fields, self.sent) = (name, status, body, fields, sent)
    }

    static let html = "<html><body>Too many requests</body></html>"

    static let all = [
        Self(
            "JSON", 200, "{\"a\":1}", ["content-type": "application/json;charset=UTF-8"],
            sent:
                "HTTP/1.1 200 OK\r\ncontent-type: application/json;charset=UTF-8\r\nContent-Length: 7\r\n\r\n{\"a\":1}"),
        Self("an empty body", 200, "", sent: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Self("a created object", 201, "{}", sent: "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"),
        Self("no content", 204, "", sent: "HTTP/1.1 204 No Content\r\n\r\n"),
        Self("no reason", 200, "{}", sent: "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n{}"),
        Self(
            "chunks", 200, "{}",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"),
        Self(
            "a body of the wrong type", 200, "hello", ["content-type": "text/plain"],
            sent: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"),
        Self(
            "interim answers before the answer", 200, "{}",
            sent: String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 16)
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        Self(
            "a redirect to elsewhere", 302, "", ["location": "https://elsewhere.example/"],
            sent: "HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"),
        Self(
            "a permanent redirect", 308, "", ["location": "/other"],
            sent: "HTTP/1.1 308 Permanent Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"),
        Self(
            "a refusal in HTML", 429, html, ["content-type": "text/html"],
            sent:
                "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/html\r\nContent-Length: \(html.utf8.count)\r\n\r\n"
                + html),
        Self(
            "a refusal in HTML with a delay", 429, html, ["retry-after": "7", "content-type": "text/html"],
            sent: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Type: text/html\r\n"
                + "Content-Length: \(html.utf8.count)\r\n\r\n\(html)"),
        Self("a server's error", 503, "", sent: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"),
    ]
}

extension TransportTests {
    @Suite("Answers")
    struct AnswerTests {
        @Test(arguments: GoodAnswer.all)
        func `Come back as they were sent`(_ good: GoodAnswer) async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.send(good.sent) }
            }
            try await withTransport { transport in
                // Twice: an answer leaves its connection in order.
                for _ in 0..<2 {
                    let answer = try await transport.send(.get(from: server), body: [], within: .seconds(60))
                    #expect(answer.head.status.code == good.status)
                    #expect(answer.text == good.body)
                    for (name, value) in good.fields {
                        #expect(HTTPField.Name(name).flatMap { answer.head.headerFields[$0] } == value)
                    }
                }
            }
            await server.stop()
        }

        @Test func `End with the connection if they name no length`() async throws {
            let server = try await RawServer { peer in
                _ = await peer.request()
                try await peer.send("HTTP/1.0 200 OK\r\n\r\n{\"a\":1}")
            }
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get(from: server))
                #expect(result.answer?.text == "{\"a\":1}")
            }
            await server.stop()
        }

        @Test(arguments: ["gzip", "GZIP", "deflate"])
        func `Are decompressed`(coding: String) async throws {
            let server = try await RawServer { peer in
                let request = await peer.request()
                #expect(request?.lowercased().contains("accept-encoding: deflate, gzip") == true)
                // Zlib finds out which of its two forms it is.
                try await peer.answer(await Gzip.small, fields: "Content-Encoding: \(coding)\r\n")
                await peer.waitForEnd()
            }
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get(from: server))
                #expect(result.answer?.text == "{\"compressed\":true}", "\(result)")
            }
            await server.stop()
        }

        @Test func `May be as long as the limit`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer([UInt8](repeating: 0x20, count: 1 << 20)) }
            }
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get(from: server))
                #expect(result.answer?.body.count == 1 << 20)
            }
            await server.stop()
        }

        @Test func `To HEAD name the length of a body that does not come`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil {
                    try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n")
                }
            }
            try await withTransport { transport in
                let request = HTTPRequest(
                    method: .head, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/")
                let (result, _) = await transport.outcome(of: request)
                #expect(result.answer?.head.status == .ok)
            }
            await server.stop()
        }
    }
}
#endif
