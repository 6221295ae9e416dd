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
/// A service of swift-service-lifecycle: on graceful shutdown `/readyz` answers 503, the service waits for balancers to
/// notice, finishes what is under way, and returns.
public final class VerificationService: Service {
    /// Where the listeners are, once both are open.
    public struct Addresses: Sendable, Hashable {
        /// The port of the public listener.
        public let publicPort: Int
        /// The port of the internal listener.
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
    ///   - settings: How the service is to run.
    ///   - source: Where the settings came from, to be read again on a reload; `nil` reloads the keys alone.
    ///   - logger: Is told of refusals, by digest, and of reloads.
    ///   - metrics: Is told what `/metrics` shows, too, where the application has a backend of its own.
    ///   - clock: What time it is, for tests.
    /// - Throws: `ServiceSettingsError` with everything that is wrong with keys and store.
    public init(
        _ settings: ServiceSettings,
        from source: SettingsSource? = nil,
        logger: Logger,
        metrics: (any MetricsFactory)? = nil,
        clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(ServiceSettingsError) {
        let (set, store) = try settings.open(file: source?.file) { warning, code in
            logger.warning("\(warning)", metadata: ["code": "\(code)"])
        }
        self.settings = settings
        state = ServiceState(
            set, source: source, store: store, metrics: ServiceMetrics(mirroringTo: metrics), logger: logger,
            clock: clock)
        (opened, openedSource) = AsyncStream.makeStream()
        for key in set.keys.keys where key.isWeak {
            logger.warning(
                "a key is shorter than 2048 bits", metadata: ["key": "\(key.label)", "bits": "\(key.bits)"])
        }
        if settings.store == nil {
            logger.warning("store.address is none: a token passes as often as it is presented")
        }
        if settings.decryption != nil, !MetadataDecrypter.paddingOracleHardened {
            logger.warning(
                "this OpenSSL tells bad padding apart (no implicit rejection): keep the internal listener from strangers"
            )
        }
    }

    /// Waits until both listeners are open, and says where; `nil` where the service ended before.
    public var addresses: Addresses? {
        get async { await opened.first { _ in true } }
    }

    /// Reads the configuration and all key files again, as SIGHUP does for `tve serve`.
    ///
    /// A bad one changes nothing: the old keys and rules stay in use, and the faults are logged.
    public func reload() async { await state.reload() }

    /// Serves until the service is shut down gracefully, or cancelled.
    ///
    /// - Throws: What keeps a listener from opening.
    public func run() async throws {
        let group = ServiceGroup(configuration: configuration())
        // Detached, so that the shutdown reaches the listeners only after balancers had time to notice.
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
        try? await Task.sleep(for: settings.drainWait)
        await group.triggerGracefulShutdown()
        try? await Task.sleep(for: settings.drainLimit)
        connections.closeAll()
    }

    private func configuration() -> ServiceGroupConfiguration {
        // Ended from the last to the first: those who watch see the end of the public listener.
        ServiceGroupConfiguration(
            services: [
                listener(InternalResponder(state: state), settings.internalAddress, takesBatches: false) {
                    $0.internalPort = $1
                },
                listener(PublicResponder(state: state), settings.publicAddress, takesBatches: true) {
                    $0.publicPort = $1
                },
            ],
            logger: state.logger)
    }

    private func listener(
        _ responder: some HTTPResponder<NoContext>,
        _ address: ServiceSettings.Address,
        takesBatches: Bool,
        _ note: @escaping @Sendable (inout (publicPort: Int?, internalPort: Int?), Int?) -> Void
    ) -> some Service {
        let limits = settings.limits
        let guarded = ConnectionGuard.Limits(
            request: .seconds(Int64(limits.requestSeconds)), idle: .seconds(Int64(limits.idleSeconds)),
            takesBatches: takesBatches)
        return Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard(guarded, among: self.connections)],
                    idleTimeout: guarded.idle,
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

    /// Samples what the page shows, and looks for changed files.
    private func watch() async {
        if state.set.isOutdated { await state.reload() }
        let step = min(settings.reloadInterval ?? Journal.interval, Journal.interval)
        var (sinceLook, sinceSample) = (Duration.zero, Duration.zero)
        while (try? await Task.sleep(for: step)) != nil {
            sinceSample += step
            sinceLook += step
            if sinceSample >= Journal.interval {
                state.journal.sample(at: state.clock())
                sinceSample = .zero
            }
            guard let interval = settings.reloadInterval, sinceLook >= interval else { continue }
            sinceLook = .zero
            // Again and again while files are bad: what they lack may be there the next time.
            if state.set.isOutdated { await state.reload() }
        }
    }
}
#endif
