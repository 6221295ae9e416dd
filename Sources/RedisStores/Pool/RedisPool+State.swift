#if Redis
import Synchronization
import TokenRedemption

extension RedisPool {
    /// The waiting redemptions, the workers, and what is known of the server.
    struct State: Sendable {
        /// In the order of their deadlines, since all have the same time limit.
        private var waiting: [PendingRedemption] = []
        private var isBusy: [Bool]
        private var isConnected: [Bool]
        private var hasTimer = false
        /// Failures in a row.
        private var failures = 0
        private var lastFailure = RedisFailure.slow
        /// No worker tries to connect before this uptime.
        private var nextAttempt = Duration.zero
        private var runID: String?
        private var warned: Set<RedisWarning> = []
        /// Counts the servers, or their runs, that were seen.
        private(set) var generation = 0

        init(workers: Int) {
            isBusy = Array(repeating: false, count: workers)
            isConnected = isBusy
        }

        /// Lets a redemption wait, and picks an idle worker.
        mutating func admit(
            _ redemption: PendingRedemption,
            maximumWaiting: Int,
            now: Duration
        ) -> (worker: Int?, refusal: RedisFailure?, setsTimer: Bool) {
            let canConnect = now >= nextAttempt
            guard canConnect || isConnected.contains(true) else { return (nil, lastFailure, false) }
            guard waiting.count < maximumWaiting else {
                return (
                    nil,
                    RedisFailure(reason: "has \(maximumWaiting) redemptions waiting for it; this one was not sent"),
                    false
                )
            }
            waiting.append(redemption)
            let idle = isBusy.indices.filter { !isBusy[$0] }
            let worker = idle.first { isConnected[$0] } ?? (canConnect ? idle.first : nil)
            if let worker { isBusy[worker] = true }
            defer { hasTimer = true }
            return (worker, nil, !hasTimer)
        }

        /// Removes the redemptions that waited too long, and says when to look again.
        mutating func removeLate(
            now: Duration
        ) -> (late: [PendingRedemption], next: Duration?) {
            let late = Array(waiting.prefix { $0.deadline <= now })
            waiting.removeFirst(late.count)
            hasTimer = !waiting.isEmpty
            return (late, waiting.first?.deadline)
        }

        /// Takes the next redemptions; if there are none, the worker is idle.
        mutating func nextBatch(of count: Int, for worker: Int, now: Duration) -> [PendingRedemption]? {
            // Late ones are left to the timer, which is about to refuse them: sending them would use up their tokens.
            let start = waiting.firstIndex { $0.deadline > now } ?? waiting.endIndex
            let batch = Array(waiting[start...].prefix(count))
            waiting.removeSubrange(start..<start + batch.count)
            isBusy[worker] = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }

        /// Decides whether a worker without a connection opens one now.
        mutating func mayConnect(
            _ worker: Int,
            now: Duration
        ) -> (connects: Bool, refused: [PendingRedemption], reason: RedisFailure) {
            isConnected[worker] = false
            let connects = !waiting.isEmpty && now >= nextAttempt
            isBusy[worker] = connects
            return (connects, connects ? [] : refusedIfAlone(), lastFailure)
        }

        /// Notes a new connection.
        ///
        /// - Returns: The number of the server's run, and the warnings that are new.
        mutating func connected(
            _ worker: Int,
            runID: String?,
            warnings: Set<RedisWarning>
        ) -> (generation: Int, warnings: Set<RedisWarning>) {
            var new = warnings
            if let known = self.runID, let runID, known != runID {
                new.insert(.restarted)
                warned = []
                // Other connections may still lead to the former server, which knows other redemptions.
                generation += 1
            }
            self.runID = runID ?? self.runID
            new.subtract(warned)
            warned.formUnion(warnings)
            isConnected[worker] = true
            return (generation, new)
        }

        mutating func succeeded() {
            failures = 0
        }

        /// Notes that a connection ended, or that none could be opened.
        ///
        /// - Returns: Whether the worker tries again at once, and the redemptions that are refused now.
        mutating func failed(
            _ worker: Int,
            _ failure: RedisFailure,
            now: Duration
        ) -> (goesOn: Bool, refused: [PendingRedemption]) {
            isConnected[worker] = false
            lastFailure = failure
            failures = min(failures + 1, 8)
            // The first retry comes at once, for a connection that a restart cut; then after 50 ms, doubling up to 1 s.
            if failures == 1 { return (true, []) }
            nextAttempt = now + .milliseconds(min(25 << (failures - 1), 1000))
            isBusy[worker] = false
            return (false, refusedIfAlone())
        }

        /// Takes all waiting redemptions if no connection is left that could serve them.
        private mutating func refusedIfAlone() -> [PendingRedemption] {
            guard !isConnected.contains(true) else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
}

/// Answers a waiting caller once: of several answers the first counts.
final class OneAnswer<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, ReplayStoreError>

    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = Mutex(continuation)
    }

    func give(_ answer: Answer) {
        continuation.withLock { $0.take() }?.resume(returning: answer)
    }
}

/// A redemption that waits for its answer.
struct PendingRedemption: Sendable {
    let id: ReplayID
    /// How long the server must remember it.
    let milliseconds: Int64
    let deadline: Duration
    let waiting: OneAnswer<Redemption>

    func answer(_ answer: Result<Redemption, ReplayStoreError>) {
        waiting.give(answer)
    }
}
#endif
