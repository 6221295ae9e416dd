#if Client
import BrokerMessages
import CoreMetrics
import Metrics
import Synchronization

/// Why a request was repeated, as a label of a metric.
enum RepeatReason: String, Sendable, CaseIterable {
    case throttled
    case failure
    case unauthorized
    case items
}

/// How a call ended, as a label of a metric.
enum CallOutcome: String, Sendable, CaseIterable {
    case success
    case request
    case transport
    case throttled
    case pollSkipped = "poll_skipped"
    case refused
    case registration
    case unavailable
    case unreadable
    case store
    case cancelled

    /// The outcome of a call that failed.
    init(_ error: BrokerError) {
        self =
            switch error {
            case .request: .request
            case .transport: .transport
            case .throttled: .throttled
            case .pollSkipped: .pollSkipped
            case .refused, .borrowedTokenRefused: .refused
            case .registration: .registration
            case .unavailable: .unavailable
            // An address is looked at after the call that brought it.
            case .unreadable, .unsafeAddress: .unreadable
            case .store: .store
            case .cancelled: .cancelled
            }
    }
}

/// The counters and timers of a broker's calls.
private final class Instruments: Sendable {
    let calls: [BrokerEndpoint: [CallOutcome: Counter]]
    let durations: [BrokerEndpoint: Metrics.Timer]
    let throttled: [BrokerEndpoint: Counter]
    let repeats: [RepeatReason: Counter]
    let pacerWaits: Metrics.Timer

    init(_ factory: any MetricsFactory) {
        func instruments<Label: Hashable, Instrument>(
            _ labels: [Label],
            _ make: (Label) -> Instrument
        ) -> [Label: Instrument] {
            Dictionary(uniqueKeysWithValues: labels.map { ($0, make($0)) })
        }
        calls = instruments(BrokerEndpoint.allCases) { endpoint in
            instruments(CallOutcome.allCases) { outcome in
                Counter(
                    label: "tve_broker_calls_total",
                    dimensions: [("endpoint", endpoint.rawValue), ("outcome", outcome.rawValue)], factory: factory)
            }
        }
        durations = instruments(BrokerEndpoint.allCases) { endpoint in
            Metrics.Timer(
                label: "tve_broker_call_duration_seconds", dimensions: [("endpoint", endpoint.rawValue)],
                factory: factory)
        }
        throttled = instruments(BrokerEndpoint.allCases) { endpoint in
            Counter(
                label: "tve_broker_throttled_total", dimensions: [("endpoint", endpoint.rawValue)], factory: factory)
        }
        repeats = instruments(RepeatReason.allCases) { reason in
            Counter(label: "tve_broker_repeats_total", dimensions: [("reason", reason.rawValue)], factory: factory)
        }
        pacerWaits = Metrics.Timer(label: "tve_broker_pacer_wait_seconds", factory: factory)
    }
}

/// The metrics of a broker's calls.
///
/// All names and labels are fixed here, so nothing that comes in a request or an answer makes a new series.
final class BrokerMetrics: Sendable {
    private let instruments: Mutex<Instruments?>

    /// Makes the metrics.
    ///
    /// With a metrics backend, all series are there at once, with 0, so that their first growth is seen. `nil` stands
    /// for that of the process, which is not asked before the first call: it may be set up after the broker.
    init(_ factory: (any MetricsFactory)?) {
        instruments = Mutex(factory.map(Instruments.init))
    }

    private var current: Instruments {
        instruments.withLock { instruments in
            let current = instruments ?? Instruments(MetricsSystem.factory)
            instruments = current
            return current
        }
    }

    /// Counts a call that ended.
    ///
    /// A call of the endpoint `token` is a new access token.
    func count(_ endpoint: BrokerEndpoint, _ outcome: CallOutcome, taking duration: Duration) {
        let current = current
        current.calls[endpoint]?[outcome]?.increment()
        current.durations[endpoint]?.recordNanoseconds(duration.nanoseconds)
    }

    /// Counts an answer that there are too many requests.
    func countThrottled(_ endpoint: BrokerEndpoint) { current.throttled[endpoint]?.increment() }

    /// Counts a repeated request.
    func count(_ reason: RepeatReason) { current.repeats[reason]?.increment() }

    /// Records how long a request waited for its turn.
    func record(pacerWait wait: Duration) { current.pacerWaits.recordNanoseconds(wait.nanoseconds) }
}

extension Duration {
    /// The whole nanoseconds of a duration that is known to be shorter than a century.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ attoseconds / 1_000_000_000
    }
}
#endif
