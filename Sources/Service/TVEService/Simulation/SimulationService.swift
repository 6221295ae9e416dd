#if Service
public import BrokerSimulation
public import EntitlementValues
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle
import Synchronization
import UnixSignals

/// Serves a simulated broker over HTTP or HTTPS: its API, pages for browsers, and control calls.
///
/// It is a service of swift-service-lifecycle: on graceful shutdown it takes no new requests, finishes those that are
/// running within a few seconds, keeps the state for the last time, and returns.
public final class SimulationService: Service {
    private static let limits = ConnectionGuard.Limits(request: .seconds(60), idle: .seconds(120), batches: nil)
    private static let maximumConnections = 8192
    /// How long running requests may take at the end; scenarios can make them last for an hour.
    private static let drainLimit = Duration.seconds(5)

    private let simulator: BrokerSimulator
    private let settings: SimulationSettings
    private let writer: SnapshotWriter?
    private let server: HTTPServerBuilder
    private let logger: Logger
    private let time: TimeSource
    private let connections = OpenConnections()
    private let site = Mutex<SimulatorSite?>(nil)
    private let opened: AsyncStream<String>
    private let openedSource: AsyncStream<String>.Continuation

    /// Makes a service; it does not listen yet.
    ///
    /// - Parameters:
    ///   - simulator: The broker.
    ///   - settings: Where it listens.
    ///   - folder: Where what the simulator remembers is kept; `nil` keeps it in memory.
    ///   - logger: Gets what goes wrong.
    ///   - time: The time that delays and shutdown go by.
    /// - Throws: `SimulationServiceError`.
    public init(
        _ simulator: BrokerSimulator,
        settings: SimulationSettings,
        keepingStateIn folder: SimulatorFolder? = nil,
        logger: Logger,
        time: TimeSource = .system
    ) throws(SimulationServiceError) {
        guard settings.isLoopback || settings.listensAnywhere else { throw .notLoopback(host: settings.host) }
        (self.simulator, self.settings, self.logger, self.time) = (simulator, settings, logger, time)
        writer = folder.map { SnapshotWriter(simulator, in: $0, logger: logger, time: time) }
        server = try Self.server(certificate: settings.certificate, among: connections)
        (opened, openedSource) = AsyncStream.makeStream()
    }

    /// The address of the listener, such as `http://127.0.0.1:8090`, once it is open; `nil` if the service ended before.
    ///
    /// Only the first caller that waits for it gets it.
    public var origin: String? {
        get async { await opened.first { _ in true } }
    }

    /// Serves until the service is shut down gracefully or cancelled.
    ///
    /// - Throws: The error of a listener that could not be opened.
    public func run() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [application()], logger: logger))
        // Detached, so that the shutdown can wait for running requests.
        let listener = Task.detached { try await group.run() }
        defer { openedSource.finish() }
        try await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { [writer] in await writer?.writeUntilCancelled() }
                    _ = await listener.result
                    tasks.cancelAll()
                }
            } onGracefulShutdown: {
                Task { await self.drain(group) }
            }
            writer?.write()
            try await listener.value
        } onCancel: {
            connections.closeAll()
            Task { await group.triggerGracefulShutdown() }
        }
    }

    private func drain(_ group: ServiceGroup) async {
        await group.triggerGracefulShutdown()
        try? await time.sleep(untilUptime: time.uptime + Self.drainLimit)
        connections.closeAll()
    }

    private func application() -> some Service {
        Application(
            responder: LateResponder(service: self),
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: 256,
                availableConnectionsDelegate: .maximum(Self.maximumConnections, logger: logger)),
            onServerRunning: { [self] channel in
                let origin = settings.origin(port: channel.localAddress?.port ?? settings.port)
                do throws(SimulationError) {
                    try open(at: origin)
                } catch {
                    logger.error("\(error)")
                }
                openedSource.yield(origin)
                openedSource.finish()
            },
            logger: logger)
    }

    /// The site knows its address only once the listener is open.
    private func open(at origin: String) throws(SimulationError) {
        var site = SiteSettings(origin: origin, isOpenToOthers: settings.listensAnywhere, keeping: settings.keeping)
        site.names = [settings.host]
        let made = try SimulatorSite(simulator, settings: site)
        self.site.withLock { $0 = made }
    }

    private static func server(
        certificate: String?,
        among connections: OpenConnections
    ) throws(SimulationServiceError) -> HTTPServerBuilder {
        let plain = HTTPServerBuilder.http1Awaiting(
            configuration: .init(
                additionalChannelHandlers: [
                    ConnectionGuard(limits, among: connections), AnswerMarker(.simulated) { "true" },
                ],
                idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 65_536, maxHeaderListSize: 65_536, maxHeaderFieldCount: 100)))
        guard let certificate else { return plain }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let key = try NIOSSLPrivateKey(file: certificate, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            configuration.applicationProtocols = ["http/1.1"]
            return try .tls(plain, tlsConfiguration: configuration)
        } catch {
            throw .certificate(file: certificate, reason: "\(error)")
        }
    }

    /// Answers with the site as soon as there is one.
    private struct LateResponder: HTTPResponder {
        let service: SimulationService

        func respond(to request: Request, context: ConnectionContext) async throws -> Response {
            guard let site = service.site.withLock({ $0 }) else {
                return RequestError(.serviceUnavailable, "starting", detail: "try again").serviceForm
                    .answering(request)
            }
            return try await SimulationResponder(site: site, time: service.time).respond(to: request, context: context)
        }
    }
}

extension SimulationService {
    /// Serves until SIGTERM or SIGINT asks for a graceful shutdown.
    ///
    /// This is for programs that run nothing else; other programs run the service in their own `ServiceGroup`.
    ///
    /// - Parameter logger: Gets what the service group reports.
    /// - Throws: The error of a listener that could not be opened.
    public func runUntilSignalled(logger: Logger) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

extension HTTPField.Name {
    /// Marks what comes from a simulator.
    fileprivate static let simulated = HTTPField.Name(known: "X-Simulated")
}
#endif
