#if Service
import BrokerClient
import EntitlementValues
import Logging
import PlaybackSessions
import SealedRecords
import Synchronization
import TokenRedemption

/// What the gateway keeps over reloads: the process has one, and each gateway of a configuration uses it.
package final class GatewayRuntime: Sendable {
    /// The store of devices.
    let devices: any RecordStore
    /// Where the rate counters are: the store of devices if that is a server, else the memory of this process.
    let counts: any RecordStore
    /// The way to the broker.
    let transport: any HTTPTransport
    /// The way to services of the programmer's own.
    let services: any HTTPTransport
    /// What the broker's answers of late say about it.
    let health = BrokerHealth()
    /// Holds requests back that the broker would refuse as too many; shared, so that a reload gives no address new ones.
    let pacer: RequestPacer
    /// Where media tokens are used up; `nil` if a token may be used any number of times.
    let redemptions: (any ReplayStore)?
    /// Revokes the plays of sign-ins that turn out to be another user's; `nil` if sessions cannot be revoked.
    let registry: SessionRegistry?
    /// Takes the events of all devices; `nil` if they go nowhere.
    let events: EventQueue?
    /// The requests that wait for a change of their device.
    package let longPolls: LongPolls
    /// What is done about sign-ins later.
    let timers: SignInTimers
    /// Counts answers and calls of the broker.
    let metrics: ServiceMetrics
    /// Logs calls of the broker.
    let logger: Logger
    /// The time that everything goes by.
    let time: TimeSource

    private struct InUse {
        weak var gateway: Gateway?
    }

    private let inUse = Mutex(InUse())

    /// The gateway in use: a reload puts another one in its place, and ends the sessions of the one before.
    var gateway: Gateway? {
        get { inUse.withLock(\.gateway) }
        set { inUse.withLock { $0.gateway = newValue } }
    }

    /// Takes what a service has; `nil` if it is not a gateway for apps.
    ///
    /// The stores come with the way to the broker. The configuration says how many requests may wait, and where events
    /// go. In `redemptions` media tokens are used up.
    init?(
        on stores: OpenedStores,
        of configuration: ActiveConfiguration,
        redemptions: (any ReplayStore)?,
        metrics: ServiceMetrics,
        logger: Logger,
        time: TimeSource
    ) {
        guard let devices = stores.devices, let counts = stores.counts, let network = stores.network else { return nil }
        (self.devices, self.counts, services) = (devices, counts, network.services)
        transport = WatchedTransport(transport: network.broker, health: health, time: time)
        longPolls = LongPolls(connections: configuration.settings.limits.connections)
        timers = SignInTimers(by: time)
        pacer = RequestPacer(time: time)
        events = configuration.settings.gateway?.events.map { destination in
            EventQueue(
                to: destination.sink(over: network.services), metrics: metrics.gateway, logger: logger, time: time)
        }
        (self.redemptions, registry) = (redemptions, stores.registry)
        (self.metrics, self.logger, self.time) = (metrics, logger, time)
        timers.start { [weak self] device, work in await self?.gateway?.work(work, for: device) ?? .done(nil) }
    }
}
#endif
