#if Client
public import Logging
public import Metrics
public import Tracing

/// Where a broker's calls are logged, counted and traced.
///
/// None of it holds a token, a secret, a code, an identifier of a device or an attribute of a user.
public struct BrokerObservation: Sendable {
    /// Takes a line when the broker fails (`error`), throttles (`warning`) or answers again (`notice`), with its `origin`, a
    /// line for each call at the level `debug`, and each request and answer, masked, at the level `trace`.
    public var logger: Logger
    /// Takes counts and durations, with labels of a fixed set; `nil` for the backend that the process has at the first call.
    public var metrics: (any MetricsFactory)?
    /// Takes a span for each call; `nil` for the tracer of the process.
    public var tracer: (any Tracer)?
    /// Takes each request and answer, masked; `nil` for nothing.
    public var trace: BrokerTrace?

    /// Describes where calls are observed.
    ///
    /// - Parameters:
    ///   - logger: Takes log lines; without one, nothing is logged.
    ///   - metrics: Takes counts and durations; `nil` for the backend of the process.
    ///   - tracer: Takes spans; `nil` for the tracer of the process.
    ///   - trace: Takes each request and answer, masked; `nil` for nothing.
    public init(
        logger: Logger = Logger(label: "tve.broker") { _ in SwiftLogNoOpLogHandler() },
        metrics: (any MetricsFactory)? = nil,
        tracer: (any Tracer)? = nil,
        trace: BrokerTrace? = nil
    ) {
        (self.logger, self.metrics, self.tracer, self.trace) = (logger, metrics, tracer, trace)
    }
}

/// Takes what is sent to the broker and what comes back, with everything secret masked.
///
/// It is called while a call waits for it, so it should not take long.
public typealias BrokerTrace = @Sendable (BrokerTraceEvent) -> Void
#endif
