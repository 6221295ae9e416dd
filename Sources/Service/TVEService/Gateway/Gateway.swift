#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Logging
import PlaybackSessions
import SealedRecords
import Synchronization

/// What apps on every platform talk to instead of the broker: the flows over plain HTTP and JSON, with all secrets kept
/// here.
///
/// A reload makes a new gateway on the same store; requests that have begun go on with the old one.
package final class Gateway: Sendable {
    let settings: ServiceSettings.Gateway
    /// The apps by their ids.
    package let apps: [String: GatewayApp]
    /// The records that the broker's client keeps of devices.
    let directory: DeviceDirectory
    /// The records that the gateway itself keeps of devices.
    let devices: GatewayDevices
    let tokens: DeviceTokens
    let sealer: RecordSealer
    let counters: RateCounters
    let longPolls: LongPolls
    let timers: SignInTimers
    let opened: OpenedGateway
    /// `nil` if playback sessions cannot be revoked.
    let registry: SessionRegistry?
    private let ring: SealingKeys
    let time: TimeSource
    let logger: Logger
    /// Whether the store is known to belong to the ring.
    let hasCheckedKeys: Atomic<Bool>
    /// What ``examined()`` knows.
    let lastExamination = Mutex(LastExamination())

    /// Makes a gateway; nothing is sent, and nothing is read.
    ///
    /// - Parameters:
    ///   - rules: The settings, the ring and the statements.
    ///   - configuration: The keys that media tokens are verified with, and user metadata is decrypted with.
    ///   - opened: The store and the way to the broker.
    ///   - context: What the service has, and keeps over reloads.
    ///   - older: The gateway that this one replaces, on the same store.
    /// - Throws: `SealingError` if libcrypto failed.
    init(
        _ rules: GatewayRules,
        configuration: ActiveConfiguration,
        opened: OpenedGateway,
        in context: GatewayContext,
        replacing older: Gateway? = nil
    ) throws(SealingError) {
        (settings, self.opened) = (rules.settings, opened)
        (longPolls, timers) = (context.longPolls, context.timers)
        (ring, registry) = (rules.ring, context.registry)
        // Asked once: a store that stalls after a reload must not count as one that was never looked at.
        hasCheckedKeys = Atomic(
            older.map { $0.hasCheckedKeys.load(ordering: .acquiring) && $0.ring.isSame(as: rules.ring) } ?? false)
        (logger, time) = (context.logger, context.time)
        sealer = RecordSealer(rules.ring)
        tokens = try DeviceTokens(sealer)
        devices = GatewayDevices(in: opened.records, sealer: sealer, time: time)
        counters = RateCounters(in: opened.counts, sealer: sealer, time: time)
        let directory = DeviceDirectory(in: opened.records, sealer: sealer, time: time)
        self.directory = directory
        let redirect = "\(settings.publicURL)/v1/return"
        var (first, apps) = (Broker?.none, [String: GatewayApp]())
        for app in settings.apps {
            guard let statement = rules.statements[app.id] else { continue }
            let served = Broker.Application(statement, name: app.id)
            let broker =
                first?.serving(served, records: directory)
                ?? Broker(
                    at: BrokerEnvironment(of: settings.origin), application: served, records: directory,
                    over: opened.transport, pacer: context.pacer, time: time,
                    observation: BrokerObservation(logger: logger, metrics: context.metrics.factory))
            first = first ?? broker
            var application = EntitlementApplication(at: broker, domain: app.domain, redirect: redirect)
            application.verification = TokenVerification(
                by: configuration.verifier, redeemingIn: context.redemptions)
            application.observer = context.events?.observer(ofApp: app.id)
            application.decrypter = configuration.decrypter
            application.promotionalProviders = Set(app.promotionalProviders)
            application.hashesIdentity = app.hashesIdentity
            application.webViewProviders = Set(app.webViewProviders)
            apps[app.id] = GatewayApp(app, application: application)
        }
        self.apps = apps
    }

    /// Makes the gateway of a configuration; `nil` if it has none.
    convenience init?(
        of configuration: ActiveConfiguration,
        stores: OpenedStores,
        in context: GatewayContext,
        replacing older: Gateway? = nil
    ) throws(SealingError) {
        guard let rules = configuration.gateway, let opened = stores.gateway else { return nil }
        try self.init(rules, configuration: configuration, opened: opened, in: context, replacing: older)
    }

    /// The way to services of the programmer's own.
    var services: any HTTPTransport { opened.services }

    /// How many requests wait for the end of a sign-in.
    package var waitingCount: Int { longPolls.count }

    /// Ends the sessions of all devices; another gateway, or another process, goes on with them.
    ///
    /// - Parameter limit: How long to wait for the requests that use them.
    func drain(within limit: Duration) async {
        await withTaskGroup { group in
            for app in apps.values { group.addTask { await app.sessions.drain(within: limit) } }
        }
    }
}
#endif
