#if Service
import EntitlementValues
import MediaTokens
import Synchronization

/// Keeps what the status page shows of the recent past, in bounded memory: verdict counts, refusals and the last reload.
final class StatusHistory: Sendable {
    /// A request that was refused; of its token, the digest alone.
    struct Refusal: Sendable {
        let at: Timestamp
        let status: MediaTokenStatus
        let code: String
        let digest: String?
    }

    /// The verdicts of one interval, counted by status in the order of `MediaTokenStatus.allCases`.
    struct Sample: Sendable {
        let at: Timestamp
        let counts: [Int]
    }

    private struct State {
        var refusals: [Refusal] = []
        var samples: [Sample] = []
        var totals: [Int]
        var lastReload: (at: Timestamp, faults: [String])?
    }

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private let counts = MediaTokenStatus.allCases.map { _ in Count() }
    private let state = Mutex(State(totals: MediaTokenStatus.allCases.map { _ in 0 }))

    private static let maximumRefusals = 50
    /// One hour of samples.
    private static let maximumSamples = 360
    /// The time between two samples.
    static let interval = Duration.seconds(10)

    /// Counts a verdict.
    func count(_ status: MediaTokenStatus) {
        guard let index = MediaTokenStatus.allCases.firstIndex(of: status) else { return }
        counts[index].value.wrappingAdd(1, ordering: .relaxed)
    }

    /// Adds a refusal, and drops the oldest one if there are too many.
    func add(_ refusal: Refusal) {
        state.withLock { state in
            if state.refusals.count == Self.maximumRefusals { state.refusals.removeFirst() }
            state.refusals.append(refusal)
        }
    }

    /// Adds a sample of the verdicts since the last one.
    func addSample(at now: Timestamp) {
        let totals = counts.map { $0.value.load(ordering: .relaxed) }
        state.withLock { state in
            if state.samples.count == Self.maximumSamples { state.samples.removeFirst() }
            state.samples.append(Sample(at: now, counts: zip(totals, state.totals).map { $0 - $1 }))
            state.totals = totals
        }
    }

    /// Remembers a reload and what was wrong with it; it succeeded if there are no faults.
    func setLastReload(at now: Timestamp, faults: [String]) {
        state.withLock { $0.lastReload = (now, faults) }
    }

    /// The last refusals, the newest first.
    var refusals: [Refusal] { state.withLock { $0.refusals.reversed() } }
    /// The samples of the last hour, the oldest first.
    var samples: [Sample] { state.withLock { $0.samples } }
    /// All verdicts since the start, counted by status in the order of `MediaTokenStatus.allCases`.
    var totals: [Int] { counts.map { $0.value.load(ordering: .relaxed) } }
    /// The last reload; `nil` if there was none.
    var lastReload: (at: Timestamp, faults: [String])? { state.withLock { $0.lastReload } }
}
#endif
