#if Client
package import AsyncHTTPClient
import EntitlementValues
import HostSystem
package import NIOCore
import NIOHTTP1
import NIOHTTPCompression
package import NIOSSL
import TextCodecs

extension AsyncHTTPTransport {
    /// The limits of a transport, which servers it trusts, and the proxy on the way to them.
    public struct Settings: Sendable, Hashable {
        /// Who may certify a server.
        public var authorities = Authorities.system
        /// The proxy that connections to other machines go through; `nil` for none, whatever the environment says.
        ///
        /// ``HTTPProxy/ofEnvironment()`` reads what the environment says.
        public var proxy: HTTPProxy?
        /// How long opening a connection may take, its TLS handshake included.
        ///
        /// A request that gets no free connection within this time fails, too.
        public var connectTimeLimit = Duration.seconds(3)
        /// How old a connection may be when it is used again.
        public var connectionAge = Duration.seconds(30)
        /// How long an unused connection is kept; half of `connectionAge` at most.
        ///
        /// A connection closes with the answer after which it could become too old while unused.
        public var idleTime = Duration.seconds(15)
        /// How many connections to one origin are open at the same time.
        public var connectionsPerHost = 64
        /// How long an answer's body may be, in bytes, as it comes and after decompression.
        ///
        /// With its head, interim answers and what frames it, an answer may have 128 KiB more on the wire; and it may
        /// come in so many bytes ÷ 64 parts, 1024 at least.
        public var bodyLimit = 1 << 20

        /// Makes the usual settings.
        public init() {}
    }

    /// Who may certify a server.
    @nonexhaustive
    public enum Authorities: Sendable, Hashable {
        /// The authorities that this machine trusts.
        case system
        /// The certificates of a file in PEM form, and no others: for a test server.
        case file(String)
        /// Certificates in PEM form, and no others: for a test server.
        case pem([UInt8])

        /// The certificates to trust; `nil` for the machine's.
        func certificates() throws(BrokerSettingsError) -> [NIOSSLCertificate]? {
            switch self {
            case .system: return nil
            case .file(let path):
                let bytes = try rethrowing(Files.read(path, maximumSize: 1 << 20)) { (failure: FileFailure) in
                    BrokerSettingsError.unreadableAuthorities(file: Files.shown(path), reason: failure.reason)
                }
                return try Self.certificates(of: bytes.withSpan { [UInt8](copying: $0) })
            case .pem(let bytes): return try Self.certificates(of: bytes)
            }
        }

        private static func certificates(of bytes: [UInt8]) throws(BrokerSettingsError) -> [NIOSSLCertificate] {
            guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
                throw .malformedAuthorities
            }
            return certificates
        }
    }
}

extension AsyncHTTPTransport.Settings {
    /// How many bytes of an answer may be neither of its head nor of its body: interim answers, sizes of chunks, trailers.
    private static let framingLimit = 64 << 10
    /// Each part of a body costs time of the loop that all connections share, however short it is.
    private static let shortestPart = 64
    private static let leastPartLimit = 1024

    /// Checks the ranges: async-http-client would trap or wait for ever.
    func check() throws(BrokerSettingsError) {
        let times = [
            ("connectTimeLimit", connectTimeLimit), ("connectionAge", connectionAge), ("idleTime", idleTime),
        ]
        for (name, time) in times where time < .milliseconds(1) || time > .seconds(3600) {
            throw .setting(name: name, reason: "is not between 1 ms and 1 h")
        }
        guard (1...10_000).contains(connectionsPerHost) else {
            throw .setting(name: "connectionsPerHost", reason: "is not between 1 and 10,000")
        }
        guard (1...(1 << 30)).contains(bodyLimit) else {
            throw .setting(name: "bodyLimit", reason: "is not between 1 byte and 1 GiB")
        }
    }

    /// The settings in async-http-client's terms, without the proxy.
    ///
    /// Nothing in them depends on async-http-client's defaults that matters here. `certificates` are the authorities to
    /// trust; `nil` for the machine's. `now` reads the clock by which connections grow old.
    package func configuration(
        trusting certificates: [NIOSSLCertificate]?,
        agingBy now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        if let certificates { tls.trustRoots = .certificates(certificates) }
        let idleTime = TimeAmount(limited: min(idleTime, connectionAge / 2))
        var result = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limited: connectTimeLimit)),
            connectionPool: .init(
                idleTimeout: idleTime, concurrentHTTP1ConnectionsPerHostSoftLimit: connectionsPerHost),
            proxy: nil, decompression: .enabled(limit: .size(bodyLimit)))
        result.httpVersion = .http1Only
        // A retry would hide a refused connection until the deadline.
        result.connectionPool.retryConnectionEstablishment = false
        // The library's own spans hold URLs, and codes stand in their paths.
        result.tracing.tracer = nil
        let reuse = TimeAmount(limited: connectionAge) - idleTime
        let wireLimit = bodyLimit + Exchange.headLimit + Self.framingLimit
        let partLimit = max(Self.leastPartLimit, bodyLimit / Self.shortestPart)
        result.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(WireGuard(limit: wireLimit), position: .before(decoder))
                // Between the decoder and the handlers that read its parts.
                let certificate = try ConnectionGuard.certificate(in: pipeline)
                try pipeline.addHandler(
                    ConnectionGuard(reusableFor: reuse, partLimit: partLimit, certificate: certificate, by: now),
                    position: .after(decoder))
            }
        }
        return result
    }
}
#endif
