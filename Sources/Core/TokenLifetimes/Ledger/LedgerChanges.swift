import Synchronization

/// Wakes tasks when a ledger changes.
final class LedgerChanges: Sendable {
    private struct Waiters: Sendable {
        var number: UInt64 = 0
        var lastID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let waiters = Mutex(Waiters())

    /// The number of changes so far.
    var number: UInt64 { waiters.withLock { $0.number } }

    /// Counts a change, and wakes all waiting tasks.
    func announce() {
        let woken = waiters.withLock { waiters in
            waiters.number += 1
            defer { waiters.waiting = [:] }
            return waiters.waiting.values
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until there are more changes than a number, or the task is cancelled.
    func wait(beyond number: UInt64) async {
        let id = waiters.withLock { waiters in
            waiters.lastID += 1
            return waiters.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = waiters.withLock { waiters in
                    // Under the lock: a cancellation from here on finds the continuation.
                    if waiters.number > number || Task.isCancelled { return true }
                    waiters.waiting[id] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            waiters.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
