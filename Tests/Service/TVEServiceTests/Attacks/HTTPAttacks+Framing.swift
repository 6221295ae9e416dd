#if Service
import Foundation
import Testing

extension HTTPAttacks {
    private static let question = "X-Original-URI: /live/1\r\nX-Media-Token: TOKEN\r\nConnection: close\r\n"
    private static let get = "GET /v1/authz HTTP/1.1\r\nHost: a\r\n\(question)"
    /// A whole request that would pass, if anything read it.
    private static let hidden = "\(get)\r\n"
    private static let post = "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\n"
    private static let body = #"{"token":"TOKEN","requestor":null,"resource":null,"redeem":true}"#

    private static let hosts = [
        HTTPAttack("no Host", "GET /v1/authz HTTP/1.1\r\n\(question)\r\n", 400),
        HTTPAttack("no Host in HTTP/1.0", "GET /v1/authz HTTP/1.0\r\n\(question)\r\n", 400),
        HTTPAttack("two Hosts", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\(question)\r\n", 400),
        HTTPAttack("one Host twice", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\(question)\r\n", 400),
        HTTPAttack("an empty Host", "GET /v1/authz HTTP/1.1\r\nHost:\r\n\(question)\r\n", 400),
        HTTPAttack("a list of Hosts", "GET /v1/authz HTTP/1.1\r\nHost: a,b\r\n\(question)\r\n", 400),
        HTTPAttack("a path as Host", "GET /v1/authz HTTP/1.1\r\nHost: a/b\r\n\(question)\r\n", 400),
        HTTPAttack("a user in Host", "GET /v1/authz HTTP/1.1\r\nHost: a@b\r\n\(question)\r\n", 400),
        HTTPAttack("a space in Host", "GET /v1/authz HTTP/1.1\r\nHost: a b\r\n\(question)\r\n", 400),
        HTTPAttack("a folded Host", "GET /v1/authz HTTP/1.1\r\nHost: a\r\n b\r\n\(question)\r\n", 400),
        HTTPAttack("another host in the target", "GET http://b/v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("a longer host in the target", "GET http://ab/v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("a user in the target", "GET http://x@a/v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("another scheme", "GET file://a/v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("CONNECT with a path", "CONNECT /v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n\(hidden)", 400),
    ]

    private static let versions = [
        HTTPAttack("HTTP/2 in clear", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\(hidden)", 400),
        HTTPAttack(
            "an upgrade with a folded coding",
            "\(post)Upgrade: h2c\r\nConnection: Upgrade\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n\(hidden)",
            400),
        HTTPAttack("HTTP/2.0 on the line", "GET /v1/authz HTTP/2.0\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("HTTP/0.9 on the line", "GET /v1/authz HTTP/0.9\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("a method in small letters", "get /v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400),
    ]

    private static let codings =
        [
            "gzip, chunked", "chunked, chunked", "chunked, identity", "identity", "xchunked", "chunked;q=1", "chunked,",
            ",chunked", "chunked\r\nTransfer-Encoding: chunked", "gzip\r\nTransfer-Encoding: chunked",
            "chunked\r\nTransfer-Encoding: identity", "\"chunked\"", "\u{b}chunked", "chunked\r\nContent-Length: 5",
        ].map {
            HTTPAttack("Transfer-Encoding: \($0)", "\(post)Transfer-Encoding: \($0)\r\n\r\n0\r\n\r\n\(hidden)", 400)
        } + [
            HTTPAttack(
                "a length before the coding",
                "\(post)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)", 400),
            HTTPAttack(
                "chunks in HTTP/1.0",
                "POST /v1/media-tokens/verify HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)", 400),
            HTTPAttack(
                "a space before the colon", "\(post)Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n\(hidden)", 400),
            HTTPAttack("a folded coding", "\(post)Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n\(hidden)", 400),
        ]

    private static let lengths = [
        "1, 1", "+1", "-1", "0x1", "1 1", "1\r\nContent-Length: 1", "1\r\nContent-Length: 2", "18446744073709551617",
        "1e0", "", "１",
    ].map { HTTPAttack("Content-Length: \($0)", "\(post)Content-Length: \($0)\r\n\r\n{\(hidden)", 400) }

    private static let chunks = [
        "+1\r\n{\r\n0\r\n\r\n", "0x1\r\n{\r\n0\r\n\r\n", "-1\r\n{\r\n0\r\n\r\n", "1 1\r\n{\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFF1\r\n{\r\n", "1\n{\n0\n\n", "1;a\nb\r\n{\r\n0\r\n\r\n", "1\r\n{X\r\n0\r\n\r\n", "\r\n",
        "1\r{\r0\r\r",
    ].map { HTTPAttack("chunk \($0.debugDescription)", "\(post)Transfer-Encoding: chunked\r\n\r\n\($0)\(hidden)", 400) }

    private static let fields = [
        HTTPAttack("a space after a name", "GET /v1/authz HTTP/1.1\r\nHost : a\r\n\(question)\r\n", 400),
        HTTPAttack("a folded field", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-A: b\r\n \(question)\r\n", 400),
        HTTPAttack("a line that ends with LF", "GET /v1/authz HTTP/1.1\nHost: a\n\(question)\n", 400),
        HTTPAttack("a CR in a value", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-A: b\r\(question)\r\n", 400),
        HTTPAttack("a NUL in a value", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-A: b\u{0}\r\n\(question)\r\n", 400),
        HTTPAttack("a NUL in a name", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-\u{0}: b\r\n\(question)\r\n", 400),
        HTTPAttack("a line without a colon", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-A\r\n\(question)\r\n", 400),
        HTTPAttack("a space before the first field", "GET /v1/authz HTTP/1.1\r\n Host: a\r\n\(question)\r\n", 400),
        HTTPAttack("a tab in the target", "GET /v1/authz\t?x HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 400),
        HTTPAttack(
            "names with underscores",
            "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX_Original_URI: /live/1\r\nX_Media_Token: TOKEN\r\n"
                + "Connection: close\r\n\r\n", 403),
        HTTPAttack(
            "the path twice",
            "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-Original-URI: /other/1\r\n\(question)\r\n", 403),
        HTTPAttack(
            "a token in a trailer",
            "POST /v1/authz HTTP/1.1\r\nHost: a\r\nX-Original-URI: /live/1\r\nConnection: close\r\n"
                + "Transfer-Encoding: chunked\r\nTrailer: X-Media-Token\r\n\r\n0\r\nX-Media-Token: TOKEN\r\n\r\n", 401),
        HTTPAttack(
            "a path in a trailer",
            "POST /v1/authz HTTP/1.1\r\nHost: a\r\nX-Media-Token: TOKEN\r\nConnection: close\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Original-URI: /live/1\r\n\r\n", 403),
    ]

    @Test(arguments: hosts + versions + codings + lengths + chunks + fields)
    func `A request that servers read differently is refused, and nothing after it is read`(_ attack: HTTPAttack)
        async throws
    {
        try await RunningService.with { try await attack.run(on: $0) }
    }

    /// The forms next to those that are refused.
    @Test(arguments: [
        HTTPAttack("HTTP/1.0", "GET /v1/authz HTTP/1.0\r\nHost: a\r\n\(question)\r\n", 200),
        HTTPAttack("a port in Host", "GET /v1/authz HTTP/1.1\r\nhOST: [::1]:80\r\n\(question)\r\n", 200),
        HTTPAttack("the host in the target", "GET http://a/v1/authz HTTP/1.1\r\nHost: a\r\n\(question)\r\n", 200),
        HTTPAttack(
            "Chunked",
            "POST /v1/authz HTTP/1.1\r\nHost: a\r\ntransfer-encoding: Chunked\r\n\(question)\r\n1;a=b\r\n{\r\n0\r\n\r\n",
            200),
    ])
    func `A request that all servers read alike is answered`(_ attack: HTTPAttack) async throws {
        try await RunningService.with { service in
            let bytes = Array(attack.text.replacing("TOKEN", with: try RunningService.token()).utf8)
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, bytes))
            #expect(answers.map(\.status) == attack.statuses)
        }
    }

    @Test func `Requests before one that is refused are answered, and those after it are not`() async throws {
        try await RunningService.with { service in
            let one = "GET /v1/authz HTTP/1.1\r\nHost: a\r\n\r\n"
            let bytes = Array((one + one + "GET / HTTP/1.1\r\n\r\n" + one).utf8)
            let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, bytes))
            #expect(answers.map(\.status) == [403, 403, 400])
        }
    }

    @Test func `Requests that cannot be decoded are counted once`() async throws {
        try await RunningService.with { service in
            let bad = #"tve_requests_total{endpoint="other",status="400"}"#
            for (text, count) in [
                ("GET / HTTP/1.1\r\n\r\n", 1), ("nonsense\r\n\r\n", 2), ("GET / HTTP/1.1\r\nX : y\r\n\r\n", 3),
            ] {
                _ = try await RawConnection.exchange(service.publicPort, Array(text.utf8))
                try await service.until { try await $0.metrics().contains("\(bad) \(count)") }
            }
            _ = try await RawConnection.exchange(
                service.publicPort, Array("\(Self.post)Transfer-Encoding: chunked\r\n\r\nx\r\n".utf8))
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_requests_total{endpoint="verify",status="400"} 1"#))
            #expect(metrics.contains("\(bad) 3"))
            #expect(metrics.contains("tve_requests_in_flight 1"))
        }
    }
}
#endif
