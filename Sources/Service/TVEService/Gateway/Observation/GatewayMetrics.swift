#if Service
package import CoreMetrics
import EntitlementFlows
package import EntitlementValues
import Metrics
import ServiceResponses
import Synchronization

/// The metrics of the gateway beside those of all requests.
///
/// Nothing that an app, the broker or a provider sends makes a new label: codes are those of ``FailureKind/knownCodes``,
/// providers those that the broker has vouched for, at most ``maximumProviders``; all others count as `other`.
package final class GatewayMetrics: Sendable {
    /// What became of an event.
    enum EventFate: String, Sendable, CaseIterable {
        /// The sink has it.
        case sent
        /// Too many waited.
        case dropped
        /// The sink does not want it.
        case rejected
    }

    /// How many providers have a label of their own.
    package static let maximumProviders = 100

    private let factory: any MetricsFactory
    private let events: [EventFate: Counter]
    /// By their name and the values of their labels.
    private let counters = Mutex<[[String]: Counter]>([:])
    private let providers = Mutex<Set<MVPDID>>([])

    /// Makes the instruments of events; the others are made when they are first needed, since few of all combinations are.
    package init(_ factory: any MetricsFactory) {
        self.factory = factory
        events = Dictionary(
            uniqueKeysWithValues: EventFate.allCases.map { fate in
                (
                    fate,
                    Counter(label: "tve_gateway_events_total", dimensions: [("fate", fate.rawValue)], factory: factory)
                )
            })
    }

    /// Counts an answer by its endpoint, by what the app has to do, and by its code.
    ///
    /// The refusal is `nil` if the request was not refused.
    package func count(_ endpoint: Endpoint, _ refusal: RequestError?) {
        let outcome = refusal.map { $0.action == .none ? "refused" : $0.action.rawValue } ?? "success"
        let code = refusal.map { FailureKind.knownCodes.contains($0.code) ? $0.code : "other" } ?? "ok"
        counter(
            "tve_gateway_answers_total", [("endpoint", endpoint.rawValue), ("outcome", outcome), ("code", code)]
        ).increment()
    }

    /// Counts what became of a question about a provider's user.
    ///
    /// The provider is `nil` if there is none, or if it is not known.
    package func count(_ outcome: PlayOutcome, at endpoint: Endpoint, of mvpd: MVPDID?) {
        counter(
            "tve_gateway_providers_total",
            [("endpoint", endpoint.rawValue), ("outcome", outcome.rawValue), ("provider", label(of: mvpd))]
        ).increment()
    }

    /// Counts what became of events.
    func count(_ fate: EventFate, events count: Int) { events[fate]?.increment(by: count) }

    /// Gives a provider a label of its own, as long as there are not too many.
    ///
    /// Call it for providers that the broker lists, or whose media token is good: not for those that an app names.
    package func learn(_ mvpds: some Sequence<MVPDID>) {
        providers.withLock { providers in
            for mvpd in mvpds where providers.count < Self.maximumProviders { providers.insert(mvpd) }
        }
    }

    /// The counter of a name and labels, which is made the first time.
    private func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        let key = [name] + labels.map(\.1)
        return counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = Counter(label: name, dimensions: labels, factory: factory)
            counters[key] = counter
            return counter
        }
    }

    private func label(of mvpd: MVPDID?) -> String {
        guard let mvpd else { return "none" }
        return providers.withLock { $0.contains(mvpd) } ? mvpd.rawValue : "other"
    }
}

/// How a question for a resource or a profile ended, as a label of a metric.
package enum PlayOutcome: String, Sendable, CaseIterable {
    /// The provider has decided, or knows the user.
    case permitted
    /// A rule for the provider's failure has let the user in.
    case degraded
    /// The user has temporary access.
    case temporary
    /// The user may not.
    case denied
    /// There was no decision.
    case failed

    /// The outcome of a permit, by who decided.
    init(permittedBy source: DecisionSource?) {
        self =
            switch source {
            case .degradation: .degraded
            case .temporaryAccess: .temporary
            default: .permitted
            }
    }

    /// The outcome of a question that was not permitted: without the provider's word, it is a failure.
    init(of denial: AuthorizationDenial) {
        self =
            switch FailureKind(denial) {
            case .denied, .usedUp, .notSignedIn: .denied
            default: .failed
            }
    }

    /// The outcome of a question for the profile, by the type of the one that there is.
    init(profileOf type: ProfileType?) {
        self =
            switch type {
            case .degraded: .degraded
            case .temporary: .temporary
            default: .permitted
            }
    }
}
#endif
