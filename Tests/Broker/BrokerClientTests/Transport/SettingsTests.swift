#if Client
import AsyncHTTPClient
import BrokerClient
import NIOCore
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Synchronization
import Testing

extension TransportTests {
    @Suite("A transport's settings")
    struct SettingsTests {
        @Test func `Leave nothing that matters to the library's defaults`() {
            let result = AsyncHTTPTransport.Settings().configuration(trusting: nil)
            #expect(result.tlsConfiguration?.minimumTLSVersion == .tlsv12)
            #expect(result.tlsConfiguration?.certificateVerification == .fullVerification)
            #expect(result.httpVersion == .http1Only)
            // Whatever the environment says, for example https_proxy.
            #expect(result.proxy == nil)
            #expect(result.tracing.tracer == nil)
            #expect(!result.connectionPool.retryConnectionEstablishment)
            #expect(result.connectionPool.idleTimeout == .seconds(15))
            #expect(result.timeout.connect == .seconds(3))
            #expect(result.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit == 64)
        }

        @Test func `Keep an unused connection half of its age at most`() {
            var settings = AsyncHTTPTransport.Settings()
            settings.connectionAge = .milliseconds(300)
            #expect(settings.configuration(trusting: nil).connectionPool.idleTimeout == .milliseconds(150))
        }

        @Test func `May name the event loops that connections are served on`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer("good") }
            }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = ObjectIdentifier(group.any())
            // Connections look at the clock where they are served.
            let loops = Mutex<[ObjectIdentifier?]>([])
            let transport = try AsyncHTTPTransport(.patient, on: group) {
                loops.withLock { $0.append(MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }) }
                return .now()
            }
            try await using(transport) { transport in
                let (result, _) = await transport.outcome(of: .get(from: server))
                #expect(result.answer?.text == "good", "\(result)")
            }
            let seen = loops.withLock { $0 }
            #expect(!seen.isEmpty && seen.allSatisfy { $0 == loop })
            try await group.shutdownGracefully()
            await server.stop()
        }

        static let outOfRange: [(String, AsyncHTTPTransport.Settings)] = [
            changed("connectTimeLimit") { $0.connectTimeLimit = .zero },
            changed("connectTimeLimit") { $0.connectTimeLimit = .seconds(-1) },
            changed("connectionAge") { $0.connectionAge = .zero },
            changed("connectionAge") { $0.connectionAge = .seconds(3601) },
            changed("idleTime") { $0.idleTime = .nanoseconds(1) },
            changed("connectionsPerHost") { $0.connectionsPerHost = 0 },
            changed("connectionsPerHost") { $0.connectionsPerHost = 10_001 },
            changed("bodyLimit") { $0.bodyLimit = 0 }, changed("bodyLimit") { $0.bodyLimit = .max },
        ]

        private static func changed(
            _ name: String,
            _ change: (inout AsyncHTTPTransport.Settings) -> Void
        ) -> (String, AsyncHTTPTransport.Settings) {
            var settings = AsyncHTTPTransport.Settings()
            change(&settings)
            return (name, settings)
        }

        @Test(arguments: SettingsTests.outOfRange)
        func `Out of range are refused`(name: String, settings: AsyncHTTPTransport.Settings) throws {
            let error = #expect(throws: BrokerSettingsError.self) { try AsyncHTTPTransport(settings) }
            guard case .setting(name, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }

        @Test(arguments: ["", "hello", "-----BEGIN CERTIFICATE-----"])
        func `With authorities that are not certificates are refused`(text: String) {
            var settings = AsyncHTTPTransport.Settings()
            settings.authorities = .pem(Array(text.utf8))
            #expect(throws: BrokerSettingsError.malformedAuthorities) { try AsyncHTTPTransport(settings) }
        }

        @Test func `With a file that cannot be read are refused`() {
            var settings = AsyncHTTPTransport.Settings()
            settings.authorities = .file("/no/such/file.pem")
            let error = #expect(throws: BrokerSettingsError.self) { try AsyncHTTPTransport(settings) }
            #expect(error?.code == "unreadable_authorities")
            #expect(error?.description.contains("/no/such/file.pem") == true)
            settings.authorities = .file("/tmp")
            #expect(throws: BrokerSettingsError.self) { try AsyncHTTPTransport(settings) }
        }
    }
}
#endif
