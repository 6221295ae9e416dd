#if Service
import CoreMetrics
import MediaTokens
import Metrics
import Synchronization

/// The instruments of the service.
///
/// All names and labels are known here, so their number is bounded.
final class ServiceMetrics: Sendable {
    let registry: MetricsRegistry

    private let verdicts: [Outcome.Means: [String: Counter]]
    private let otherVerdict: Counter
    private let requests: [Endpoint: [Int: Counter]]
    private let durations: [Endpoint: Metrics.Timer]
    private let redemptions: Metrics.Timer
    private let storeFailures: Counter
    private let sessions: Counter
    private let reloads: (good: Counter, bad: Counter)
    private let decryptions: (good: Counter, bad: Counter)
    private let batchRows: Counter
    private let inFlight: Meter
    /// For the status page: redemptions and their time in nanoseconds.
    private let redemptionCount = Atomic(0)
    private let redemptionTime = Atomic<Int64>(0)

    private static let verifierCodes = [
        "valid", "malformed", "too_large", "foreign_token", "bad_signature", "expired", "not_yet_valid",
        "resource_mismatch", "requestor_mismatch", "replayed", "store_unavailable", "internal",
    ]
    /// What a row of a batch, or a decision, can be besides.
    private static let otherCodes = [
        "bad_row", "not_authorized", "token_without_authorization", "token_mismatch",
    ]
    private static let statuses = [200, 400, 401, 403, 404, 405, 408, 413, 422, 500, 503]

    /// - Parameter other: Is told the same, where the application has a backend of its own.
    init(mirroringTo other: (any MetricsFactory)?) {
        let registry = MetricsRegistry()
        self.registry = registry
        let factory: any MetricsFactory =
            other.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
        let counter = { (label: String, dimensions: [(String, String)]) in
            Counter(label: label, dimensions: dimensions, factory: factory)
        }
        verdicts = Dictionary(
            uniqueKeysWithValues: Outcome.Means.allCases.map { means in
                let codes = Self.verifierCodes + Self.otherCodes + Outcome.ownCodes
                return (
                    means,
                    Dictionary(
                        uniqueKeysWithValues: codes.map { code in
                            (code, counter("tve_verdicts_total", [("code", code), ("means", means.rawValue)]))
                        })
                )
            })
        otherVerdict = counter("tve_verdicts_total", [("code", "other"), ("means", "token")])
        requests = Dictionary(
            uniqueKeysWithValues: Endpoint.allCases.map { endpoint in
                let counters = Self.statuses.map { status in
                    (
                        status,
                        counter(
                            "tve_requests_total", [("endpoint", endpoint.rawValue), ("status", String(status))])
                    )
                }
                return (endpoint, Dictionary(uniqueKeysWithValues: counters))
            })
        durations = Dictionary(
            uniqueKeysWithValues: Endpoint.allCases.map { endpoint in
                (
                    endpoint,
                    Metrics.Timer(
                        label: "tve_request_duration_seconds", dimensions: [("endpoint", endpoint.rawValue)],
                        factory: factory)
                )
            })
        redemptions = Metrics.Timer(label: "tve_store_claim_duration_seconds", factory: factory)
        storeFailures = counter("tve_store_failures_total", [])
        sessions = counter("tve_sessions_started_total", [])
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

    func count(_ outcome: Outcome) {
        (verdicts[outcome.means]?[outcome.code] ?? otherVerdict).increment()
    }

    /// Counts the verdict on a row of a batch, or on the token of a decision.
    func count(tokenCode code: String) {
        (verdicts[.token]?[code] ?? otherVerdict).increment()
    }

    func begin() {
        inFlight.increment()
    }

    func end(_ endpoint: Endpoint, status: Int, _ duration: Duration) {
        inFlight.decrement()
        requests[endpoint]?[status]?.increment()
        durations[endpoint]?.recordNanoseconds(duration.nanoseconds)
    }

    func countRedemption(_ duration: Duration, failed: Bool) {
        redemptions.recordNanoseconds(duration.nanoseconds)
        redemptionCount.wrappingAdd(1, ordering: .relaxed)
        redemptionTime.wrappingAdd(duration.nanoseconds, ordering: .relaxed)
        if failed { storeFailures.increment() }
    }

    func countSession() { sessions.increment() }
    func countReload(isGood: Bool) { (isGood ? reloads.good : reloads.bad).increment() }
    func countDecryption(isGood: Bool) { (isGood ? decryptions.good : decryptions.bad).increment() }
    func countBatch(rows: Int) { batchRows.increment(by: rows) }

    /// Redemptions since the start, and what they took on average.
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
#endif
