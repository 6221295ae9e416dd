#if Client
import BrokerBench
import BrokerClient
import HTTPTypes
import Testing
import TestVectors

extension TransportTests {
    @Suite("A proxy", .enabled(if: Program.openSSL != nil, "openssl is not installed"))
    struct ProxyTests {
        let certificates: TestCertificates

        init() async throws { certificates = try await TestCertificates.shared.value }

        /// Settings for a proxy on this machine that wants a user and a password.
        private func settings(port: Int) throws -> AsyncHTTPTransport.Settings {
            var settings = AsyncHTTPTransport.Settings.patient
            settings.authorities = .file(certificates.path("authority.pem"))
            settings.proxy = try HTTPProxy(parsing: "http://user%40corp:5ec2e7%3A@127.0.0.1:\(port)")
            return settings
        }

        /// What is told of a failure, in every form of it.
        private func told(_ failure: TransportFailure) -> String {
            let error = BrokerError.transport(failure)
            var text = "\(failure) \(String(reflecting: failure)) \(error) \(String(reflecting: error))"
            dump(failure, to: &text)
            dump(error, to: &text)
            return text
        }

        @Test func `Opens a tunnel, in which the server's certificate counts`() async throws {
            let server = try await TLSServer("other-name", certificates)
            let proxy = try await ConnectProxy()
            try await withTransport(try settings(port: proxy.port)) { transport in
                let (result, _) = await transport.outcome(
                    of: .get("/secret-path", "elsewhere.example:\(server.port)", scheme: "https"))
                #expect(result.answer?.head.status == .ok, "\(result)")
            }
            let head = try #require(proxy.heads.first)
            #expect(proxy.heads.count == 1)
            #expect(head.hasPrefix("CONNECT elsewhere.example:\(server.port) HTTP/1.1\r\n"))
            // user@corp:5ec2e7:
            #expect(head.contains("proxy-authorization: Basic dXNlckBjb3JwOjVlYzJlNzo=\r\n"))
            #expect(!head.contains("secret-path"))
            await proxy.stop()
        }

        @Test func `Does not make another server trusted`() async throws {
            let server = try await TLSServer("good", certificates)
            let proxy = try await ConnectProxy()
            try await withTransport(try settings(port: proxy.port)) { transport in
                let (result, _) = await transport.outcome(
                    of: .get("/", "elsewhere.example:\(server.port)", scheme: "https"))
                let failure = try #require(result.failure)
                #expect(failure.reason == .tls && !failure.mayHaveBeenSent)
                #expect(
                    "\(failure)"
                        == "the TLS connection to elsewhere.example:\(server.port) through the proxy "
                        + "127.0.0.1:\(proxy.port) failed: its certificate is for another name (the request was not sent)"
                )
                #expect(!told(failure).contains("5ec2e7"))
            }
            #expect(proxy.heads.count == 1)
            await proxy.stop()
        }

        @Test func `Is not on the way to this machine`() async throws {
            let server = try await TLSServer("good", certificates)
            let proxy = try await ConnectProxy()
            try await withTransport(try settings(port: proxy.port)) { transport in
                for host in ["localhost", "127.0.0.1"] {
                    let (result, _) = await transport.outcome(of: .get("/", "\(host):\(server.port)", scheme: "https"))
                    #expect(result.answer?.head.status == .ok, "\(result)")
                }
            }
            #expect(proxy.heads.isEmpty)
            await proxy.stop()
        }

        @Test(arguments: [
            (407, "the proxy asks for a user and a password, or for others (status 407)"),
            (403, "the proxy refuses to connect to it"), (502, "the proxy refuses to connect to it"),
            (302, "the proxy refuses to connect to it"),
        ])
        func `That refuses is named, with the server`(status: Int, reason: String) async throws {
            let proxy = try await ConnectProxy { _ in .refusal(status) }
            try await withTransport(try settings(port: proxy.port)) { transport in
                let (result, _) = await transport.outcome(of: .get("/path", "elsewhere.example", scheme: "https"))
                let failure = try #require(result.failure)
                #expect(failure.reason == .connecting && !failure.mayHaveBeenSent)
                #expect(
                    "\(failure)"
                        == "no connection to elsewhere.example:443 through the proxy 127.0.0.1:\(proxy.port) could be "
                        + "opened: \(reason) (the request was not sent)")
                #expect(!told(failure).contains("5ec2e7") && !told(failure).contains("path"))
            }
            #expect(proxy.heads.count == 1)
            await proxy.stop()
        }

        @Test func `That does not answer ends with the time to connect`() async throws {
            let proxy = try await ConnectProxy { _ in .silence }
            var settings = try settings(port: proxy.port)
            settings.connectTimeLimit = .milliseconds(500)
            try await withTransport(settings) { transport in
                let (result, time) = await transport.outcome(of: .get("/", "elsewhere.example", scheme: "https"))
                let failure = try #require(result.failure)
                #expect(failure.reason == .connecting && !failure.mayHaveBeenSent, "\(failure)")
                // On a busy machine, the proxy itself may not be connected to in time.
                #expect("\(failure)".contains("the proxy 127.0.0.1:\(proxy.port) could be opened: "), "\(failure)")
                noteTime(time, of: .seconds(3))
            }
            await proxy.stop()
        }

        @Test func `That is not there is named alone`() async throws {
            let port = try HeldPort()
            try await withTransport(try settings(port: port.number)) { transport in
                let (result, _) = await transport.outcome(of: .get("/", "elsewhere.example", scheme: "https"))
                let failure = try #require(result.failure)
                #expect(
                    "\(failure)"
                        == "no connection to the proxy 127.0.0.1:\(port.number) could be opened: connection refused "
                        + "(the request was not sent)")
                #expect(!told(failure).contains("5ec2e7"))
            }
            withExtendedLifetime(port) {}
        }

        @Test func `Is shut down with its transport, and released with it`() async throws {
            let proxy = try await ConnectProxy()
            let transport = try AsyncHTTPTransport(try settings(port: proxy.port))
            await transport.shutdown()
            let (result, _) = await transport.outcome(of: .get("/", "elsewhere.example", scheme: "https"))
            #expect(result.failure == TransportFailure(.shutDown, mayHaveBeenSent: false))
            // async-http-client traps if a client is released that was not shut down.
            _ = try AsyncHTTPTransport(try settings(port: proxy.port))
            #expect(proxy.heads.isEmpty)
            await proxy.stop()
        }
    }
}
#endif
