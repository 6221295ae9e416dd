import EntitlementValues
import Synchronization
import TokenLifetimes

/// A clock that moves when a test says so.
final class ManualClock: WallClock {
    private struct State {
        var now: Timestamp
        var lastID = 0
        var sleepers: [Int: (deadline: Timestamp, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state: Mutex<State>

    init(_ milliseconds: Int64) {
        state = Mutex(State(now: Timestamp(milliseconds: milliseconds)))
    }

    var now: Timestamp { state.withLock { $0.now } }

    /// How many wait for the clock.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Sets the clock, forth or back, and wakes who waited for what it shows now.
    func set(_ milliseconds: Int64) {
        let woken = state.withLock { state in
            state.now = Timestamp(milliseconds: milliseconds)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    func advance(_ duration: TimeToLive) {
        set((now + duration).milliseconds)
    }

    func sleep(until deadline: Timestamp) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.now >= deadline || Task.isCancelled { return true }
                    state.sleepers[id] = (deadline, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }
}
