#if Service
import BrokerBench
import TVEService
import Testing

/// The question to a service of the programmer's whether a new device runs the genuine app.
@Suite struct AttestationTests {
    private static let body = #"{"app":"tv","attestation":"proof-5ec2e7"}"#

    @Test(
        arguments: [
            (200, "refuse", 201, nil), (204, "refuse", 201, nil), (403, "refuse", 403, "not_attested"),
            (401, "pass", 403, "not_attested"), (500, "refuse", 503, "attestation_unavailable"),
            (500, "pass", 201, nil),
            (302, "refuse", 503, "attestation_unavailable"), (302, "pass", 201, nil),
            // What the app sent brings these about, and it must not get in by them.
            (400, "pass", 403, "not_attested"), (413, "pass", 403, "not_attested"),
            (422, "pass", 403, "not_attested"), (422, "refuse", 403, "not_attested"),
            (408, "pass", 201, nil), (429, "pass", 201, nil), (429, "refuse", 503, "attestation_unavailable"),
        ] as [(Int, String, Int, String?)])
    func `The service decides, and the setting if the service cannot`(
        answered: Int, failure: String, status: Int, code: String?
    ) async throws {
        let server = try await AnsweringServer(status: answered)
        let changes = [
            "broker.attestationURL": "http://127.0.0.1:\(server.port)/attest?a=b", "broker.attestationFailure": failure,
        ]
        try await GatewayBench.with(changes) { bench in
            let answer = try await bench.ask("POST", "/v1/devices", Self.body)
            #expect(answer.status == status)
            if let code { #expect(answer.code == code) }
            #expect((answer.object["deviceToken"] == nil) == (code != nil))
        }
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /attest?a=b HTTP/1.1\r\n"))
        #expect(request.hasSuffix(#"{"app":"tv","address":"127.0.0.1","attestation":"proof-5ec2e7"}"#))
        await server.stop()
    }

    @Test func `The service is asked through the proxy of the environment, unless it is on this machine`() async throws
    {
        let proxy = try await ConnectProxy { _ in .refusal(403) }
        let changes = ["broker.attestationURL": "https://elsewhere.example/attest?a=5ec2e7"]
        let environment = ["HTTPS_PROXY": "http://user:5ec2e7@127.0.0.1:\(proxy.port)", "NO_PROXY": "other.example"]
        try await GatewayBench.with(changes, environment: environment) { bench async throws in
            #expect(try await bench.ask("POST", "/v1/devices", Self.body).code == "attestation_unavailable")
            let log = bench.service.log.text
            #expect(log.contains("no connection to elsewhere.example:443 through the proxy 127.0.0.1:\(proxy.port)"))
            #expect(!log.contains("5ec2e7"))
        }
        let heads = proxy.heads
        #expect(heads.count == 1)
        #expect(heads.first?.hasPrefix("CONNECT elsewhere.example:443 HTTP/1.1\r\n") == true)
        await proxy.stop()
        let server = try await AnsweringServer(status: 200)
        let local = ["broker.attestationURL": "http://127.0.0.1:\(server.port)/"]
        try await GatewayBench.with(local, environment: environment) { bench async throws in
            #expect(try await bench.ask("POST", "/v1/devices", Self.body).status == 201)
        }
        await server.stop()
    }

    @Test(arguments: [("refuse", 503), ("pass", 201)])
    func `A service that is not there decides nothing`(failure: String, status: Int) async throws {
        let server = try await AnsweringServer(status: 200)
        await server.stop()
        let changes = [
            "broker.attestationURL": "http://127.0.0.1:\(server.port)/", "broker.attestationFailure": failure,
        ]
        try await GatewayBench.with(changes) { bench async throws in
            #expect(try await bench.ask("POST", "/v1/devices", Self.body).status == status)
            #expect(!bench.service.log.text.contains("5ec2e7"))
        }
    }
}
#endif
