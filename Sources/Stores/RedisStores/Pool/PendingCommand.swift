#if Redis
import Synchronization

/// A command that waits for its reply.
struct PendingCommand: Sendable {
    let bytes: [UInt8]
    /// The kinds of replies that it may get; any other ends the connection.
    let replies: RedisReply.Kinds
    /// The uptime at which the caller is answered that it took too long.
    let deadline: Duration
    let answer: OneAnswer<RedisReply>
}

/// Answers a waiting caller once: of several answers the first counts.
final class OneAnswer<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, RedisFailure>

    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = Mutex(continuation)
    }

    func give(_ answer: Answer) {
        continuation.withLock { $0.take() }?.resume(returning: answer)
    }
}
#endif
