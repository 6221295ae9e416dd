#if Service
package import BrokerClient
public import CoreMetrics
public import EntitlementValues
import Hummingbird
public import Logging
import NIOCore
package import SealedRecords
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
        /// The port of the listener for decryption; `nil` if it has none of its own, and 0 for a Unix socket.
        public let decryptionPort: Int?
    }

    package let state: ServiceState
    let settings: ServiceSettings
    private let connections = OpenConnections()
    /// The ports of the listeners that are open; of a Unix socket, 0.
    private struct Ports: Sendable {
        var publicPort: Int?
        var internalPort: Int?
        var decryptionPort: Int?
    }

    private let ports = Mutex(Ports())
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
    public convenience init(
        _ settings: ServiceSettings,
        from source: SettingsSource? = nil,
        logger: Logger,
        metrics: (any MetricsFactory)? = nil,
        time: TimeSource = .system
    ) throws(ServiceSettingsError) {
        try self.init(
            settings, from: source, logger: logger, metrics: metrics, time: time, transport: nil, devices: nil)
    }

    /// Makes a service whose gateway uses something else than the network and the store of the settings, for tests.
    ///
    /// The logger gets refusals and reloads; `metrics` is a backend of the application, if there is one. `transport` is
    /// the way to the broker; `nil` for the network. `devices` is the store of devices; `nil` for the one that the
    /// settings name.
    package init(
        _ settings: ServiceSettings,
        from source: SettingsSource?,
        logger: Logger,
        metrics: (any MetricsFactory)? = nil,
        time: TimeSource,
        transport: (any HTTPTransport)?,
        devices: (any RecordStore)?
    ) throws(ServiceSettingsError) {
        let logger = logger.naming(RequestIdentity.metadata)
        let watches = StoreWatches(logger: logger, time: time)
        let (configuration, stores) = try settings.open(
            file: source?.file, time: time, transport: transport, devices: devices, watches: watches
        ) { warning, code in logger.warning("\(warning)", metadata: ["code": "\(code)"]) }
        self.settings = settings
        state = try ServiceSettingsError.reading("broker.keyFile") { () throws(SealingError) in
            try ServiceState(
                configuration, source: source, stores: stores, watches: watches,
                metrics: ServiceMetrics(mirroringTo: metrics, serving: settings), logger: logger, time: time)
        }
        (opened, openedSource) = AsyncStream.makeStream()
        warn(of: configuration, stores)
    }

    /// The ports of the listeners, once both are open; `nil` if the service ended before.
    ///
    /// Only the first caller that waits for them gets them.
    public var addresses: Addresses? {
        get async { await opened.first { _ in true } }
    }

    /// Reads the configuration and all key files again, as SIGHUP does for `tve serve`.
    ///
    /// If anything is wrong with them, the faults are logged, and the old keys and rules stay in use, but for keys that
    /// were revoked, or whose files are gone, changed, or named no longer.
    public func reload() async { await state.reload() }

    /// Serves until the service is shut down gracefully or cancelled.
    ///
    /// - Throws: The error of a listener that could not be opened.
    public func run() async throws {
        warnOfSettings()
        // What has changed since it was read is in use before the first request.
        if state.configuration.isOutdated { await state.reload() }
        let group = ServiceGroup(configuration: configuration())
        // Detached, so that the shutdown reaches the listeners only after load balancers had time to notice it.
        let listeners = Task.detached { try await group.run() }
        defer { openedSource.finish() }
        try await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await self.watch() }
                    if let events = state.runtime?.events { tasks.addTask { await events.run() } }
                    _ = await listeners.result
                    tasks.cancelAll()
                    // Nothing asks any more: what is waited for in vain ends, and another process goes on with it.
                    self.state.runtime?.timers.stop()
                    await self.state.gateway?.drain(within: .seconds(1))
                }
                await state.runtime?.events?.finish(within: Self.eventsLimit)
                state.logger.notice("stopped", metadata: ["after": "\(state.time.now.since(state.started))"])
            } onGracefulShutdown: {
                Task { await self.drain(group) }
            }
            try await listeners.value
        } onCancel: {
            connections.closeAll()
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// How long the last events may take after the last answer.
    private static let eventsLimit: Duration = .seconds(5)

    private func drain(_ group: ServiceGroup) async {
        state.logger.notice("stopping", metadata: ["wait": "\(settings.drainWait)"])
        state.startDraining()
        try? await state.time.sleep(untilUptime: state.time.uptime + settings.drainWait)
        await group.triggerGracefulShutdown()
        try? await state.time.sleep(untilUptime: state.time.uptime + settings.drainLimit)
        connections.closeAll()
    }

    private func configuration() -> ServiceGroupConfiguration {
        var services = [
            listener(
                InternalResponder(state: state), at: .address(settings.internalAddress),
                counting: state.internalConnections
            ) { $0.internalPort = $1 }
        ]
        if let binding = settings.decryption?.listener, let count = state.decryptionConnections {
            let responder = DecryptionResponder(state: state, binding: binding)
            services.append(listener(responder, at: binding, counting: count) { $0.decryptionPort = $1 })
        }
        services.append(
            listener(
                PublicResponder(state: state), at: .address(settings.publicAddress), counting: state.publicConnections
            ) { $0.publicPort = $1 })
        // Stopped from the last to the first, so that the public listener can be monitored until its end.
        return ServiceGroupConfiguration(services: services, logger: state.logger)
    }

    /// The bytes of a batch that must arrive within each idle time, however low the rate may be: a few rows.
    private static let minimumBatchBytes = 4096

    private func listener<Context: InitializableFromSource<ApplicationRequestContextSource>>(
        _ responder: some HTTPResponder<Context>,
        at binding: ServiceSettings.Binding,
        counting count: ConnectionCount,
        onOpen note: @escaping @Sendable (inout Ports, Int?) -> Void
    ) -> any Service {
        let limits = settings.limits
        let connectionLimits = ConnectionGuard.Limits(
            request: .seconds(limits.requestSeconds), idle: .seconds(limits.idleSeconds),
            batches: count.listener == .public
                ? .init(
                    bytes: max(Self.minimumBatchBytes, limits.batchBytesPerSecond * limits.idleSeconds),
                    life: .seconds(limits.batchSeconds)) : nil)
        let metrics = state.metrics
        let application = Application(
            responder: responder,
            server: .http1Awaiting(
                configuration: .init(
                    additionalChannelHandlers: [
                        ConnectionGuard(connectionLimits, among: self.connections) { metrics.countUndecodable() },
                        AnswerMarker(.requestID) { RequestIdentity.newID() },
                    ],
                    idleTimeout: TimeAmount(connectionLimits.idle),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: binding.address,
                backlog: 1024,
                availableConnectionsDelegate: LimitedConnections(count: count)),
            onServerRunning: { [self] channel in
                // First, so that it sees what other handlers keep to themselves.
                try? await channel.eventLoop.submit { [logger = state.logger] in
                    let pause = AcceptPause(count.listener, logger: logger)
                    try channel.pipeline.syncOperations.addHandler(pause, position: .first)
                }.get()
                let found = ports.withLock { ports in
                    note(&ports, channel.localAddress?.port ?? 0)
                    return ports
                }
                guard let publicPort = found.publicPort, let internalPort = found.internalPort,
                    settings.decryption?.listener == nil || found.decryptionPort != nil
                else { return }
                let addresses = Addresses(
                    publicPort: publicPort, internalPort: internalPort, decryptionPort: found.decryptionPort)
                logServing(at: addresses)
                openedSource.yield(addresses)
                openedSource.finish()
            },
            logger: state.logger)
        return Listener(application: application, name: count.listener.rawValue, binding: binding)
    }

    /// Asks the broker whether the domains and addresses of the settings are those of the requestors, as `--check` does.
    ///
    /// Each app registers once at the broker for it; nothing is kept of that.
    ///
    /// - Returns: What is wrong; `isOpen` says that the broker did not answer, so that it is not known.
    public func checkBroker() async -> [(fault: SettingsFault, isOpen: Bool)] {
        await state.gateway?.examination() ?? []
    }

    /// Adds samples for the status page, and reloads when a file has changed, until the task is cancelled.
    private func watch() async {
        let step = min(settings.reloadInterval ?? StatusHistory.interval, StatusHistory.interval)
        var (sinceCheck, sinceSample) = (Duration.zero, Duration.zero)
        while (try? await state.time.sleep(untilUptime: state.time.uptime + step)) != nil {
            sinceSample += step
            sinceCheck += step
            if sinceSample >= StatusHistory.interval {
                state.history.addSample(at: state.time.now)
                state.storeHealth.watch()
                sinceSample = .zero
            }
            guard let interval = settings.reloadInterval, sinceCheck >= interval else { continue }
            sinceCheck = .zero
            // A bad file is read again each time, since what it lacks, such as a key file, may be there later: perhaps the very
            // files that are in use.
            if state.isRefused || state.configuration.isOutdated { await state.reload() }
        }
    }
}
#endif
