#if Service
import BrokerClient
import EntitlementValues
import Logging
import PlaybackSessions
import TokenRedemption

/// What a gateway has of the service that it is a part of; a reload makes a new gateway with the same.
struct GatewayContext: Sendable {
    /// The requests that wait for a change of their device.
    let longPolls: LongPolls
    /// What is done about sign-ins later.
    let timers: SignInTimers
    /// Holds requests back that the broker would refuse as too many; shared, so that a reload gives no address new ones.
    let pacer: RequestPacer
    /// Where media tokens are used up; `nil` if a token may be used any number of times.
    let redemptions: (any ReplayStore)?
    /// Revokes the plays of sign-ins that turn out to be another user's; `nil` if sessions cannot be revoked.
    let registry: SessionRegistry?
    /// Takes the events of all devices; `nil` if they go nowhere.
    let events: EventsOut?
    /// Counts answers and calls of the broker.
    let metrics: ServiceMetrics
    /// Logs calls of the broker.
    let logger: Logger
    /// The time that everything goes by.
    let time: TimeSource

    /// Takes what a service has.
    ///
    /// - Parameters:
    ///   - configuration: Says how many requests may wait, and where events go.
    ///   - services: Posts events; `nil` if the service is not a gateway for apps.
    ///   - redemptions: Where media tokens are used up.
    ///   - registry: Revokes playback sessions.
    ///   - metrics: Counts answers and calls of the broker.
    ///   - logger: Logs calls of the broker.
    ///   - time: The time that everything goes by.
    init(
        of configuration: ActiveConfiguration,
        services: (any HTTPTransport)?,
        redemptions: (any ReplayStore)?,
        registry: SessionRegistry?,
        metrics: ServiceMetrics,
        logger: Logger,
        time: TimeSource
    ) {
        longPolls = LongPolls(connections: configuration.settings.limits.connections)
        timers = SignInTimers(by: time)
        pacer = RequestPacer(time: time)
        events = configuration.settings.gateway?.events.flatMap { destination in
            services.map { services in
                EventsOut(
                    to: destination.sink(over: services), metrics: metrics.gateway, logger: logger, time: time)
            }
        }
        (self.redemptions, self.registry) = (redemptions, registry)
        (self.metrics, self.logger, self.time) = (metrics, logger, time)
    }
}
#endif
