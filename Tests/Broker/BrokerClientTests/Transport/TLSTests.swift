#if Client
import BrokerClient
import HTTPTypes
import Testing
import TestVectors

/// A server that a client must not talk to.
struct UntrustedServer: CustomTestStringConvertible {
    let testDescription: String
    let certificate: String
    var host = "localhost"
    var options: [String] = []

    static let all = [
        Self(testDescription: "an unknown authority", certificate: "unknown"),
        Self(testDescription: "an expired certificate", certificate: "expired"),
        Self(testDescription: "another name", certificate: "other-name"),
        Self(testDescription: "another name, asked for by address", certificate: "other-name", host: "127.0.0.1"),
        Self(testDescription: "its address in place of its name", certificate: "address-only"),
        Self(testDescription: "its name in the subject only", certificate: "common-name-only"),
        Self(
            testDescription: "TLS 1.1 at most", certificate: "good",
            options: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]),
    ]
}

extension TransportTests {
    @Suite("TLS", .enabled(if: Program.openSSL != nil, "openssl is not installed"))
    struct TLSTests {
        let certificates: TestCertificates
        let trusting: AsyncHTTPTransport.Settings

        init() async throws {
            certificates = try await TestCertificates.shared.value
            // A refusal is by the server's certificate, then, and not by a limit.
            var settings = AsyncHTTPTransport.Settings.patient
            settings.authorities = .file(certificates.path("authority.pem"))
            trusting = settings
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func `A server that an authority of ours certified is trusted`(version: String) async throws {
            let server = try await TLSServer("good", certificates, options: [version])
            try await withTransport(trusting) { transport in
                for host in ["localhost", "LOCALHOST", "127.0.0.1"] {
                    let (result, _) = await transport.outcome(of: .get("/", "\(host):\(server.port)", scheme: "https"))
                    #expect(result.answer?.head.status == .ok, "\(result)")
                }
            }
        }

        @Test func `A server that is named by its address is trusted by that`() async throws {
            let server = try await TLSServer("address-only", certificates)
            try await withTransport(trusting) { transport in
                let (result, _) = await transport.outcome(of: .get("/", "127.0.0.1:\(server.port)", scheme: "https"))
                #expect(result.answer?.head.status == .ok, "\(result)")
            }
        }

        @Test(arguments: UntrustedServer.all)
        func `A server is refused before anything is sent if it has`(_ untrusted: UntrustedServer) async throws {
            let server = try await TLSServer(untrusted.certificate, certificates, options: untrusted.options)
            try await withTransport(trusting) { transport in
                let (result, time) = await transport.outcome(
                    of: .get("/", "\(untrusted.host):\(server.port)", scheme: "https"))
                #expect(result.failure?.bare == TransportFailure(.tls, mayHaveBeenSent: false), "\(result)")
                noteTime(time, of: .seconds(5))
            }
        }

        @Test
        func `The machine's authorities do not include a test's, and the test's do not include the machine's`()
            async throws
        {
            let server = try await TLSServer("good", certificates)
            try await withTransport { transport in
                let (result, _) = await transport.outcome(of: .get("/", "localhost:\(server.port)", scheme: "https"))
                #expect(result.failure?.bare == TransportFailure(.tls, mayHaveBeenSent: false))
            }
        }

        @Test func `A server that does not speak TLS is refused`() async throws {
            let server = try await RawServer { peer in
                try await peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                await peer.waitForEnd()
            }
            try await withTransport(trusting) { transport in
                let (result, _) = await transport.outcome(of: .get("/", "localhost:\(server.port)", scheme: "https"))
                #expect(result.failure?.bare == TransportFailure(.tls, mayHaveBeenSent: false), "\(result)")
                #expect(result.failure?.detail == "what it speaks is not TLS")
            }
            await server.stop()
        }

        @Test(arguments: [true, false])
        func `A server that closes or resets in the handshake gets no request`(resets: Bool) async throws {
            let server = try await RawServer { if resets { try await $0.reset() } }
            try await withTransport(trusting) { transport in
                let (result, time) = await transport.outcome(of: .get("/", "localhost:\(server.port)", scheme: "https"))
                #expect([.tls, .reset, .connecting].contains(result.failure?.reason), "\(result)")
                noteTime(time, of: .seconds(5))
            }
            await server.stop()
        }

        @Test(arguments: [
            ("unknown", "its certificate has ended, has not begun, or is not of a trusted authority"),
            ("expired", "its certificate has ended, has not begun, or is not of a trusted authority"),
            ("other-name", "its certificate is for another name"),
        ])
        func `A failure says the server and the reason, and no path`(certificate: String, reason: String) async throws {
            let server = try await TLSServer(certificate, certificates)
            try await withTransport(trusting) { transport in
                let (result, _) = await transport.outcome(
                    of: .get("/secret-path", "localhost:\(server.port)", scheme: "https"))
                let failure = try #require(result.failure)
                var said = "\(failure) \(String(reflecting: failure))"
                dump(failure, to: &said)
                #expect(
                    "\(failure)"
                        == "the TLS connection to localhost:\(server.port) failed: \(reason) (the request was not sent)"
                )
                #expect(!said.contains("secret-path"))
            }
        }
    }
}
#endif
