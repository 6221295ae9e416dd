#if Client
import BrokerClient
import HTTPTypes
import Testing

extension TransportTests {
    @Suite("Requests")
    struct RequestTests {
        @Test(arguments: [
            "/", "/api/v2/REF30/profiles", "/a%2Fb%20c%25%3F/%C3%A9", "//a/../b/./c", "/a?b=c&d=%26e+f", "/?",
            "/a'()*!$,;:@~",
        ])
        func `Go out with their path as it is`(_ path: String) async throws {
            let server = try await RawServer { peer in
                while let request = await peer.request() { try await peer.answer(request) }
            }
            try await withTransport { transport in
                let answer = try await transport.send(.get(path, from: server), body: [], within: .seconds(60))
                #expect(answer.text.hasPrefix("GET \(path) HTTP/1.1\r\n"), "\(answer.text)")
            }
            await server.stop()
        }

        @Test func `Have their fields, their body with its length, and nothing that was not asked for`() async throws {
            let server = try await RawServer { peer in
                while let request = await peer.request() { try await peer.answer(request) }
            }
            var request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/x")
            request.headerFields = [.authorization: "Bearer abc", .contentType: "application/json"]
            request.headerFields.append(HTTPField(name: .cookie, value: "a=b"))
            try await withTransport { [request] transport in
                let answer = try await transport.send(request, body: Array("{\"é\":1}".utf8), within: .seconds(60))
                let lines = answer.text.split(separator: "\r\n").map { $0.lowercased() }
                #expect(
                    lines.sorted() == [
                        "accept-encoding: deflate, gzip", "authorization: bearer abc", "content-length: 8",
                        "content-type: application/json", "cookie: a=b", "host: 127.0.0.1:\(server.port)",
                        "post /x http/1.1", "{\"é\":1}",
                    ])
            }
            await server.stop()
        }

        @Test
        func `To one address keep nothing of the one before, and more addresses than are remembered go out right`()
            async throws
        {
            let server = try await RawServer { peer in
                while let request = await peer.request() { try await peer.answer(request) }
            }
            try await withTransport { transport in
                for round in 0..<2 {
                    for number in 0..<100 {
                        var request = HTTPRequest.get("/K\(number)", from: server)
                        request.method = number % 2 == 0 ? .post : .put
                        if round == 0 { request.headerFields[.authorization] = "Bearer abc" }
                        let body = round == 0 ? Array("first".utf8) : []
                        let answer = try await transport.send(request, body: body, within: .seconds(60))
                        #expect(answer.text.hasPrefix("\(request.method) /K\(number) HTTP/1.1\r\n"))
                        #expect(answer.text.contains("Bearer abc") == (round == 0))
                        #expect(answer.text.hasSuffix("first") == (round == 0))
                    }
                }
                // The sign for kelvin is equal to the letter, but it has other bytes.
                await #expect(throws: TransportFailure.self) {
                    var request = HTTPRequest.get("/\u{212A}99", from: server)
                    request.method = .put
                    _ = try await transport.send(request, body: [], within: .seconds(60))
                }
            }
            await server.stop()
        }

        @Test func `Bring no cookie back`() async throws {
            let server = try await RawServer { peer in
                while let request = await peer.request() {
                    try await peer.answer(request, fields: "Set-Cookie: session=1; Path=/\r\n")
                }
            }
            try await withTransport { transport in
                for _ in 0..<2 {
                    let answer = try await transport.send(.get(from: server), body: [], within: .seconds(60))
                    #expect(!answer.text.lowercased().contains("cookie"))
                }
            }
            await server.stop()
        }

        static let unusableRequests: [HTTPRequest] = [
            HTTPRequest(method: .get, scheme: nil, authority: "127.0.0.1:1", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: nil),
            .get("/", "127.0.0.1:1", scheme: "ftp"), .get("/", "127.0.0.1:1", scheme: "http+unix"),
            .get("/", ""), .get("/", "user@127.0.0.1:1"), .get("/", "user:password@127.0.0.1:1"), .get("/", "a/b"),
            .get("/", "127.0.0.1:99999"), .get("/", "[::1"), .get("", "127.0.0.1:1"), .get("/", "192.0.2.1:80"),
            .get("a", "127.0.0.1:1"),
            .get("/a b", "127.0.0.1:1"), .get("/a\r\nX: y", "127.0.0.1:1"), .get("/é", "127.0.0.1:1"),
            .get("/a#b", "127.0.0.1:1"), .get("/a\"b", "127.0.0.1:1"), .get("/a{b}", "127.0.0.1:1"),
            .get("/" + String(repeating: "a", count: 50_000), "127.0.0.1:1"),
        ]

        @Test(arguments: RequestTests.unusableRequests)
        func `That cannot be sent are refused before a connection is opened`(_ request: HTTPRequest) async throws {
            let (result, _) = await AsyncHTTPTransport.shared.outcome(of: request)
            #expect(result.failure == TransportFailure(.request, mayHaveBeenSent: false), "\(result)")
        }

        @Test func `With too many fields are refused`() async throws {
            var request = HTTPRequest.get("/", "127.0.0.1:1")
            for _ in 0..<50 {
                request.headerFields.append(HTTPField(name: .accept, value: String(repeating: "a", count: 1000)))
            }
            let (result, _) = await AsyncHTTPTransport.shared.outcome(of: request)
            #expect(result.failure == TransportFailure(.request, mayHaveBeenSent: false))
        }
    }
}
#endif
