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
    /// Where the broker is.
    public let environment: BrokerEnvironment
    /// Time limit, repeats and header fields.
    public let settings: BrokerSettings
    /// Sends the requests.
    let transport: any HTTPTransport
    /// Holds requests back that the broker would refuse as too many.
    let pacer: RequestPacer
    /// Measures deadlines and waits, and tells when tokens end.
    let time: TimeSource
    /// Tells logs, metrics and spans what happens.
    let observer: BrokerObserver

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
        (self.environment, self.transport, self.settings) = (environment, transport, settings)
        (self.pacer, self.time) = (pacer ?? RequestPacer(time: time), time)
        observer = BrokerObserver(observation)
    }
}
#endif
