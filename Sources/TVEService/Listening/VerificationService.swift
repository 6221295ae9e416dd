#if Service
public import CoreMetrics
import EntitlementKeys
public import EntitlementValues
import Hummingbird
public import Logging
import MetadataDecryption
import NIOCore
public import ServiceLifecycle
import Synchronization

/// Serves verdicts over HTTP: a listener for proxies and applications, and an internal one for those who watch.
///
/// It has a public listener for requests, and an internal one for monitoring. It is a service of swift-service-lifecycle:
/// on graceful shutdown `/readyz` answers 503, the service waits until load balancers have noticed, finishes the requests
/// that are running, and returns.
public final class VerificationService: Service {
    /// The ports of the two listeners.
    public struct Addresses: Sendable, Hashable {
        /// The port of the public listener, also if the settings leave its choice to the system.
        public let publicPort: Int
        /// The port of the internal listener, also if the settings leave its choice to the system.
        public let internalPort: Int
    }

    private let state: ServiceState
    private let settings: ServiceSettings
    private let connections = OpenConnections()
    private let ports = Mutex<(publicPort: Int?, internalPort: Int?)>((nil, nil))
    private let opened: AsyncStream<Addresses>
    private let openedSource: AsyncStream<Addresses>.Continuation

    /// Reads all keys and opens the store.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - source: The source of the settings, which a reload reads again; if it is `nil`, a reload reads only the keys.
    ///   - logger: Gets refusals, with the digests of tokens, and reloads.
    ///   - metrics: A metrics backend of the application that gets the same values as `/metrics`; `nil` for none.
    ///   - time: The time that the service goes by; tests bring their own.
    /// - Throws: `ServiceSettingsError` with everything that is wrong with keys and store.
    public init(
        _ settings: ServiceSettings,
        from source: SettingsSource? = nil,
        logger: Logger,
        metrics: (any MetricsFactory)? = nil,
        time: TimeSource = .system
    ) throws(ServiceSettingsError) {
        let (configuration, store) = try settings.open(file: source?.file) { warning, code in
            logger.warning("\(warning)", metadata: ["code": "\(code)"])
        }
        self.settings = settings
        state = ServiceState(
            configuration, source: source, store: store, metrics: ServiceMetrics(mirroringTo: metrics), logger: logger,
            time: time)
        (opened, openedSource) = AsyncStream.makeStream()
        for key in configuration.keys.keys where key.isWeak {
            logger.warning(
                "a key is shorter than 2048 bits", metadata: ["key": "\(key.label)", "bits": "\(key.bits)"])
        }
        if store == nil {
            logger.warning("store.address is none: a token may be used any number of times")
        }
        if settings.decryption != nil, !MetadataDecrypter.paddingOracleHardened {
            logger.warning(
                "this OpenSSL reveals bad padding (no implicit rejection): let only trusted clients reach the internal listener"
            )
        }
    }

    /// The ports of the listeners, once both are open; `nil` if the service ended before.
    ///
    /// Only the first caller that waits for them gets them.
    public var addresses: Addresses? {
        get async { await opened.first { _ in true } }
    }

    /// Reads the configuration and all key files again, as SIGHUP does for `tve serve`.
    ///
    /// If anything is wrong with them, the old keys and rules stay in use, and the faults are logged.
    public func reload() async { await state.reload() }

    /// Serves until the service is shut down gracefully or cancelled.
    ///
    /// - Throws: The error of a listener that could not be opened.
    public func run() async throws {
        let group = ServiceGroup(configuration: configuration())
        // Detached, so that the shutdown reaches the listeners only after load balancers had time to notice it.
        let listeners = Task.detached { try await group.run() }
        defer { openedSource.finish() }
        try await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await self.watch() }
                    _ = await listeners.result
                    tasks.cancelAll()
                }
            } onGracefulShutdown: {
                Task { await self.drain(group) }
            }
            try await listeners.value
        } onCancel: {
            connections.closeAll()
            Task { await group.triggerGracefulShutdown() }
        }
    }

    private func drain(_ group: ServiceGroup) async {
        state.logger.notice("stopping", metadata: ["wait": "\(settings.drainWait)"])
        state.startDraining()
        try? await state.time.sleep(untilUptime: state.time.uptime + settings.drainWait)
        await group.triggerGracefulShutdown()
        try? await state.time.sleep(untilUptime: state.time.uptime + settings.drainLimit)
        connections.closeAll()
    }

    private func configuration() -> ServiceGroupConfiguration {
        // Stopped from the last to the first, so that the public listener can be monitored until its end.
        ServiceGroupConfiguration(
            services: [
                listener(InternalResponder(state: state), at: settings.internalAddress, takesBatches: false) {
                    $0.internalPort = $1
                },
                listener(PublicResponder(state: state), at: settings.publicAddress, takesBatches: true) {
                    $0.publicPort = $1
                },
            ],
            logger: state.logger)
    }

    private func listener(
        _ responder: some HTTPResponder<NoContext>,
        at address: ServiceSettings.Address,
        takesBatches: Bool,
        onOpen note: @escaping @Sendable (inout (publicPort: Int?, internalPort: Int?), Int?) -> Void
    ) -> some Service {
        let limits = settings.limits
        let connectionLimits = ConnectionGuard.Limits(
            request: .seconds(Int64(limits.requestSeconds)), idle: .seconds(Int64(limits.idleSeconds)),
            takesBatches: takesBatches)
        return Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard(connectionLimits, among: self.connections)],
                    idleTimeout: connectionLimits.idle,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                backlog: 1024,
                availableConnectionsDelegate: .maximum(limits.connections, logger: state.logger)),
            onServerRunning: { [self] channel in
                let found = ports.withLock { ports in
                    note(&ports, channel.localAddress?.port)
                    return ports
                }
                guard let publicPort = found.publicPort, let internalPort = found.internalPort else { return }
                openedSource.yield(Addresses(publicPort: publicPort, internalPort: internalPort))
                openedSource.finish()
            },
            logger: state.logger)
    }

    /// Adds samples for the status page, and reloads when a file has changed, until the task is cancelled.
    private func watch() async {
        if state.configuration.isOutdated { await state.reload() }
        let step = min(settings.reloadInterval ?? StatusHistory.interval, StatusHistory.interval)
        var (sinceCheck, sinceSample) = (Duration.zero, Duration.zero)
        while (try? await state.time.sleep(untilUptime: state.time.uptime + step)) != nil {
            sinceSample += step
            sinceCheck += step
            if sinceSample >= StatusHistory.interval {
                state.history.addSample(at: state.time.now)
                sinceSample = .zero
            }
            guard let interval = settings.reloadInterval, sinceCheck >= interval else { continue }
            sinceCheck = .zero
            // A bad file is read again each time, since what it lacks, such as a key file, may be there later.
            if state.configuration.isOutdated { await state.reload() }
        }
    }
}
#endif
