#if Client
import Synchronization

/// A value that comes later, for any number of tasks.
///
/// A task that is cancelled stops waiting alone.
package final class Promise<Value: Sendable>: Sendable {
    package typealias Answer = Result<Value, EntitlementFlowError>

    private struct State {
        var answer: Answer?
        var waiters: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the value is there.
    package var hasEnded: Bool { state.withLock { $0.answer != nil } }

    /// Whether a task waits for the value.
    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Waits for the value.
    ///
    /// Throws what it was ended with; `.cancelled` if the calling task was cancelled before.
    package func value() async throws(EntitlementFlowError) -> Value {
        let id = state.withLock { state -> UInt64 in
            state.lastID += 1
            return state.lastID
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let known = state.withLock { state -> Answer? in
                    if let answer = state.answer { return answer }
                    // Under the lock: a cancellation from here on finds the waiter.
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiters[id] = waiter
                    return nil
                }
                if let known { waiter.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: .failure(.cancelled))
        }
        return try answer.get()
    }

    /// Ends the wait; later ends change nothing.
    package func end(with answer: Answer) {
        let waiters = state.withLock { state -> [CheckedContinuation<Answer, Never>] in
            guard state.answer == nil else { return [] }
            state.answer = answer
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: answer) }
    }
}
#endif
