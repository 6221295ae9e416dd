#if Client
public import EntitlementValues

/// A broker whose API is called, and how.
///
/// It is a value: copies share the transport and the pacer. One broker serves all devices of a process.
///
/// ```swift
/// let broker = Broker(at: .production, over: AsyncHTTPTransport.shared)
/// ```
public struct Broker: Sendable {
    /// In one object: each call copies its broker several times, and a copy then counts one reference instead of a dozen.
    private final class Parts: Sendable {
        let environment: BrokerEnvironment
        let settings: BrokerSettings
        let transport: any HTTPTransport
        let pacer: RequestPacer
        let time: TimeSource
        let observer: BrokerObserver
        let clock: BrokerClock

        init(
            _ environment: BrokerEnvironment,
            _ transport: any HTTPTransport,
            settings: BrokerSettings,
            pacer: RequestPacer,
            time: TimeSource,
            observer: BrokerObserver,
            clock: BrokerClock
        ) {
            (self.environment, self.transport, self.settings) = (environment, transport, settings)
            (self.pacer, self.time, self.observer, self.clock) = (pacer, time, observer, clock)
        }
    }

    private let parts: Parts

    /// Where the broker is.
    public var environment: BrokerEnvironment { parts.environment }
    /// Time limit, repeats and header fields.
    public var settings: BrokerSettings { parts.settings }
    /// Sends the requests.
    var transport: any HTTPTransport { parts.transport }
    /// Holds requests back that the broker would refuse as too many.
    var pacer: RequestPacer { parts.pacer }
    /// Measures deadlines and waits, and tells when tokens end.
    package var time: TimeSource { parts.time }
    /// Tells logs, metrics and spans what happens.
    var observer: BrokerObserver { parts.observer }
    /// Compares the clocks.
    var clock: BrokerClock { parts.clock }

    /// Describes a broker; nothing is sent.
    ///
    /// - Parameters:
    ///   - environment: Where the broker is.
    ///   - transport: Sends the requests.
    ///   - settings: Time limit, repeats and header fields.
    ///   - pacer: Holds requests back that the broker would refuse; share one among all brokers of one environment.
    ///     Without one, the broker and its copies have their own.
    ///   - time: Measures deadlines and waits, and tells when tokens end.
    ///   - observation: Where calls are logged, counted and traced.
    public init(
        at environment: BrokerEnvironment,
        over transport: any HTTPTransport,
        settings: BrokerSettings = BrokerSettings(),
        pacer: RequestPacer? = nil,
        time: TimeSource = .system,
        observation: BrokerObservation = BrokerObservation()
    ) {
        parts = Parts(
            environment, transport, settings: settings, pacer: pacer ?? RequestPacer(time: time), time: time,
            observer: BrokerObserver(observation), clock: BrokerClock())
    }

    /// The same kind of broker at another place, with a pacer of its own: each place counts for itself.
    ///
    /// - Parameter environment: The other place.
    /// - Returns: The broker there; this one if it is the same place.
    package func moved(to environment: BrokerEnvironment) -> Broker {
        guard environment != self.environment else { return self }
        return Broker(
            Parts(
                environment, transport, settings: settings, pacer: RequestPacer(time: time), time: time,
                observer: observer, clock: clock))
    }

    private init(_ parts: Parts) { self.parts = parts }
}
#endif
