#if Redis
import TokenRedemption
import Synchronization

/// Answers somebody who waits, once: of several answers the first counts.
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
    /// How long the server is to remember it.
    let milliseconds: Int64
    let deadline: ContinuousClock.Instant
    let waiting: OneAnswer<Redemption>

    func answer(_ answer: Result<Redemption, ReplayStoreError>) {
        waiting.give(answer)
    }
}
#endif
