#if Client
import Synchronization

/// Lets the commands of a session run one after the other, in the order in which they came.
///
/// A command that waits for its turn can be cancelled; the others keep their order.
package final class SessionQueue: Sendable {
    private struct State {
        var isBusy = false
        var lastTicket: UInt64 = 0
        var waiting: [(ticket: UInt64, turn: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for the turn; returns whether it has come.
    ///
    /// It has not if the task was cancelled before. Only after `true`, call ``leave()``.
    package func enter() async -> Bool {
        let ticket = state.withLock { state -> UInt64 in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.isBusy else {
                        state.isBusy = true
                        return true
                    }
                    state.waiting.append((ticket, turn))
                    return nil
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.waiting.remove(at: place).turn
            }
            turn?.resume(returning: false)
        }
    }

    /// Gives the turn to the next command.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst().turn
        }
        next?.resume(returning: true)
    }

    /// How many commands wait.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Whether a command runs.
    package var isBusy: Bool { state.withLock(\.isBusy) }
}

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

    /// How many tasks wait.
    var waitingCount: Int { state.withLock(\.waiters.count) }
}
#endif
