#if Client
import Synchronization

/// One run of a job for all tasks that want its result at the same time.
///
/// The job belongs to none of the tasks: a task that is cancelled leaves alone, and only the last one that leaves
/// cancels the job. Once a job has ended, the next task starts another.
package final class SingleFlight<Value: Sendable, Failure: Error>: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Value, Failure>?, Never>

    private struct State {
        var flight: Task<Void, Never>?
        /// Tells the present job from one that was cancelled and still runs.
        var number: UInt64 = 0
        var lastID: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for the result of the present job, or starts one if none runs.
    ///
    /// `nil` if the calling task was cancelled before the job ended.
    package func result(
        of job: @escaping @Sendable () async -> Result<Value, Failure>
    ) async -> Result<Value, Failure>? {
        let id = state.withLock { state in
            state.lastID &+= 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let isGone = state.withLock { state in
                    // Under the lock: a cancellation from here on finds the waiter.
                    if Task.isCancelled { return true }
                    state.waiters[id] = waiter
                    if state.flight == nil { start(job, in: &state) }
                    return false
                }
                if isGone { waiter.resume(returning: nil) }
            }
        } onCancel: {
            leave(id)
        }
    }

    /// How many tasks wait.
    package var count: Int { state.withLock { $0.waiters.count } }

    private func start(_ job: @escaping @Sendable () async -> Result<Value, Failure>, in state: inout State) {
        state.number &+= 1
        let number = state.number
        // Detached: neither cancellation nor priority nor task-local values of the first task are the job's.
        state.flight = Task.detached { [self] in
            land(await job(), number)
        }
    }

    private func land(_ result: Result<Value, Failure>, _ number: UInt64) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.number == number, state.flight != nil else { return [] }
            state.flight = nil
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    private func leave(_ id: UInt64) {
        let (waiter, flight) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.waiters.removeValue(forKey: id) else { return (nil, nil) }
            guard state.waiters.isEmpty else { return (waiter, nil) }
            defer { state.flight = nil }
            return (waiter, state.flight)
        }
        flight?.cancel()
        waiter?.resume(returning: nil)
    }
}
#endif
