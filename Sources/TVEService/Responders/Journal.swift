#if Service
import EntitlementValues
import MediaTokens
import Synchronization

/// Remembers for the status page what happened lately, in bounded memory.
final class Journal: Sendable {
    /// A request that was refused; nothing of its token.
    struct Refusal: Sendable {
        let at: Timestamp
        let status: MediaTokenStatus
        let code: String
        let digest: String?
    }

    /// How many verdicts of each status there were in an interval, in the order of `MediaTokenStatus.allCases`.
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
    /// An hour of samples.
    private static let maximumSamples = 360
    static let interval = Duration.seconds(10)

    /// Counts a verdict.
    func count(_ status: MediaTokenStatus) {
        guard let index = MediaTokenStatus.allCases.firstIndex(of: status) else { return }
        counts[index].value.wrappingAdd(1, ordering: .relaxed)
    }

    func note(_ refusal: Refusal) {
        state.withLock { state in
            if state.refusals.count == Self.maximumRefusals { state.refusals.removeFirst() }
            state.refusals.append(refusal)
        }
    }

    /// Notes what has been counted since the last sample.
    func sample(at now: Timestamp) {
        let totals = counts.map { $0.value.load(ordering: .relaxed) }
        state.withLock { state in
            if state.samples.count == Self.maximumSamples { state.samples.removeFirst() }
            state.samples.append(Sample(at: now, counts: zip(totals, state.totals).map { $0 - $1 }))
            state.totals = totals
        }
    }

    /// Notes a reload, with what was wrong with it.
    func noteReload(at now: Timestamp, faults: [String]) {
        state.withLock { $0.lastReload = (now, faults) }
    }

    /// The last refusals, the newest first.
    var refusals: [Refusal] { state.withLock { $0.refusals.reversed() } }
    /// The samples of the last hour, the oldest first.
    var samples: [Sample] { state.withLock { $0.samples } }
    /// All verdicts since the start, in the order of `MediaTokenStatus.allCases`.
    var totals: [Int] { counts.map { $0.value.load(ordering: .relaxed) } }
    var lastReload: (at: Timestamp, faults: [String])? { state.withLock { $0.lastReload } }
}
#endif
