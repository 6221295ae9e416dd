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
#endif
