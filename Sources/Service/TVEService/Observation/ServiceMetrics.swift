#if Service
package import CoreMetrics
import MediaTokens
import Metrics
import ServiceResponses
import Synchronization

/// The metrics of the service.
///
/// All names and labels are fixed here, so nothing that a client sends makes a new series.
package final class ServiceMetrics: Sendable {
    package let registry: MetricsRegistry
    /// Takes all values: the registry, and the backend of the application if there is one.
    let factory: any MetricsFactory
    /// The metrics of the gateway.
    let gateway: GatewayMetrics

    private let verdicts: [AccessOutcome.Credential: [String: Counter]]
    private let otherVerdict: Counter
    /// Those of the endpoints that the settings serve, so that they count from 0 on.
    private let requests: [Endpoint: Requests]
    /// Those of the other endpoints that were asked for all the same, or that a reload has added.
    private let rareRequests = Mutex<[Endpoint: Requests]>([:])
    private let redemptions: Metrics.Timer
    private let storeFailures: Counter
    private let sessions: Counter
    private let renewals: Counter
    private let revocations: [Revocation: Counter]
    private let reloads: (good: Counter, bad: Counter)
    private let decryptions: (good: Counter, bad: Counter)
    private let batchRows: Counter
    private let inFlight: Meter
    /// For the status page: the number of redemptions, and their total duration in nanoseconds.
    private let redemptionCount = Atomic(0)
    private let redemptionTime = Atomic<Int64>(0)

    /// The instruments of an endpoint.
    private struct Requests {
        let counters: [Int: Counter]
        let duration: Metrics.Timer

        init(at endpoint: Endpoint, _ factory: any MetricsFactory) {
            counters = Dictionary(
                uniqueKeysWithValues: ServiceMetrics.statuses.map { status in
                    let labels = [("endpoint", endpoint.rawValue), ("status", String(status))]
                    return (status, Counter(label: "tve_requests_total", dimensions: labels, factory: factory))
                })
            duration = Metrics.Timer(
                label: "tve_request_duration_seconds", dimensions: [("endpoint", endpoint.rawValue)], factory: factory)
        }
    }

    /// What sessions were revoked by.
    enum Revocation: String, CaseIterable {
        case holder, id, subscriber
    }

    /// Every code of a verdict: on a token, on a row of a batch, on a decision, or on a request without a token.
    private static let codes = Set(["valid", "bad_row"] + ResponseTokenError.allCodes + AccessOutcome.ownCodes)
    private static let statuses = [
        200, 201, 204, 303, 304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504,
    ]

    /// Makes the instruments.
    ///
    /// `other` is a metrics backend of the application that gets the same values; `nil` for none. The settings say
    /// which endpoints have series before their first request; `nil` for none.
    package init(mirroringTo other: (any MetricsFactory)?, serving settings: ServiceSettings? = nil) {
        let registry = MetricsRegistry()
        self.registry = registry
        for (name, text) in MetricDescriptions.texts { registry.describe(name, as: text) }
        let factory: any MetricsFactory =
            other.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
        self.factory = factory
        let counter = { (label: String, dimensions: [(String, String)]) in
            Counter(label: label, dimensions: dimensions, factory: factory)
        }
        gateway = GatewayMetrics(factory)
        verdicts = Dictionary(
            uniqueKeysWithValues: AccessOutcome.Credential.allCases.map { credential in
                (
                    credential,
                    Dictionary(
                        uniqueKeysWithValues: Self.codes.map { code in
                            let labels = [("code", code), ("credential", credential.rawValue)]
                            return (code, counter("tve_verdicts_total", labels))
                        })
                )
            })
        otherVerdict = counter("tve_verdicts_total", [("code", "other"), ("credential", "token")])
        let served = settings.map { settings in Endpoint.allCases.filter { $0.isServed(by: settings) } } ?? []
        requests = Dictionary(uniqueKeysWithValues: served.map { ($0, Requests(at: $0, factory)) })
        redemptions = Metrics.Timer(label: "tve_store_claim_duration_seconds", factory: factory)
        storeFailures = counter("tve_store_failures_total", [])
        sessions = counter("tve_sessions_started_total", [])
        renewals = counter("tve_sessions_renewed_total", [])
        revocations = Dictionary(
            uniqueKeysWithValues: Revocation.allCases.map { revocation in
                (revocation, counter("tve_sessions_revoked_total", [("by", revocation.rawValue)]))
            })
        reloads = (
            counter("tve_reloads_total", [("result", "good")]), counter("tve_reloads_total", [("result", "bad")])
        )
        decryptions = (
            counter("tve_decryptions_total", [("result", "good")]),
            counter("tve_decryptions_total", [("result", "bad")])
        )
        batchRows = counter("tve_batch_rows_total", [])
        inFlight = Meter(label: "tve_requests_in_flight", factory: factory)
    }

    /// Counts the outcome of a request for access, or of a single verification.
    func count(_ outcome: AccessOutcome) {
        (verdicts[outcome.credential]?[outcome.code] ?? otherVerdict).increment()
    }

    /// Counts the verdict on a row of a batch, or on the token of a decision.
    func count(tokenCode code: String) {
        (verdicts[.token]?[code] ?? otherVerdict).increment()
    }

    /// Counts a request whose head has arrived.
    func begin() {
        inFlight.increment()
    }

    /// Counts a request that was answered.
    func end(_ endpoint: Endpoint, status: Int, duration: Duration) {
        inFlight.decrement()
        let found = instruments(of: endpoint)
        found.counters[status]?.increment()
        found.duration.recordNanoseconds(duration.nanoseconds)
    }

    private func instruments(of endpoint: Endpoint) -> Requests {
        if let found = requests[endpoint] { return found }
        return rareRequests.withLock { rare in
            if let found = rare[endpoint] { return found }
            let made = Requests(at: endpoint, factory)
            rare[endpoint] = made
            return made
        }
    }

    /// Counts a request that could not be decoded, which the decoder answered with 400.
    func countUndecodable() { instruments(of: .other).counters[400]?.increment() }

    package func countRedemption(taking duration: Duration, failed: Bool) {
        redemptions.recordNanoseconds(duration.nanoseconds)
        redemptionCount.wrappingAdd(1, ordering: .relaxed)
        redemptionTime.wrappingAdd(duration.nanoseconds, ordering: .relaxed)
        if failed { storeFailures.increment() }
    }

    func countSession() { sessions.increment() }
    func countRenewal() { renewals.increment() }
    func count(_ revocation: Revocation) { revocations[revocation]?.increment() }
    func countReload(isGood: Bool) { (isGood ? reloads.good : reloads.bad).increment() }
    func countDecryption(isGood: Bool) { (isGood ? decryptions.good : decryptions.bad).increment() }
    func countBatch(rows: Int) { batchRows.increment(by: rows) }

    /// The redemptions since the start, and how long one took on average.
    var redemptionsSoFar: (count: Int, mean: Duration) {
        let count = redemptionCount.load(ordering: .relaxed)
        return (count, count == 0 ? .zero : .nanoseconds(redemptionTime.load(ordering: .relaxed)) / count)
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// What each family of metrics measures, as `/metrics` tells it.
package enum MetricDescriptions {
    /// The families that are kept in the registry, those of the broker's client included.
    package static let texts = [
        "tve_verdicts_total": "Verdicts, those on rows of batches and on decisions included.",
        "tve_requests_total": "Requests that were answered.",
        "tve_request_duration_seconds": "Time from the head of a request to its answer; of a batch, to its last row.",
        "tve_requests_in_flight": "Requests whose head has arrived and that are not answered yet.",
        "tve_store_claim_duration_seconds": "Time that the store of used tokens takes for a redemption.",
        "tve_store_failures_total": "Redemptions that the store of used tokens could not answer.",
        "tve_sessions_started_total": "Playback sessions that were started.",
        "tve_sessions_renewed_total": "Playback sessions that were renewed.",
        "tve_sessions_revoked_total": "Revocations of playback sessions.",
        "tve_reloads_total": "Times that configuration and keys were read again.",
        "tve_decryptions_total": "Decryptions of user metadata.",
        "tve_batch_rows_total": "Rows of batches.",
        "tve_gateway_answers_total": "Answers to apps, by what the app has to do.",
        "tve_gateway_providers_total": "What became of questions about users, by provider.",
        "tve_gateway_events_total": "Events for broker.events.to, by what became of them.",
        "tve_broker_calls_total": "Calls of the broker.",
        "tve_broker_call_duration_seconds": "Time of a call of the broker, with its repeats.",
        "tve_broker_throttled_total": "Answers 429 of the broker.",
        "tve_broker_repeats_total": "Requests to the broker that were repeated.",
        "tve_broker_pacer_wait_seconds": "Time that requests were held back so that the broker takes them.",
    ]
}
#endif
