#if Client
import Synchronization

/// Keeps the events that one listener has not taken yet.
final class EventListener: Sendable {
    private typealias Waiter = CheckedContinuation<SessionEvent?, Never>

    private struct State {
        var waiting: [SessionEvent] = []
        /// How many events were lost since the listener took the last one.
        var missed = 0
        var hasEnded = false
        /// The listener, if it waits for an event.
        var waiter: Waiter?
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Whether no more events come.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Takes an event in; the oldest one is lost if nothing more fits in.
    func take(_ event: SessionEvent) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.hasEnded else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if state.waiting.count >= capacity {
                state.waiting.removeFirst()
                state.missed += 1
            }
            state.waiting.append(event)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// Ends the events after those that wait.
    func end() {
        let waiter = state.withLock { state -> Waiter? in
            state.hasEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    /// Takes all events that wait, without waiting for more.
    func takeWaiting() -> [SessionEvent] {
        state.withLock { state in
            defer { (state.waiting, state.missed) = ([], 0) }
            return (state.missed > 0 ? [.missed(state.missed)] : []) + state.waiting
        }
    }

    /// Waits for the next event; `nil` after the last one.
    func next() async -> SessionEvent? {
        await withCheckedContinuation { (waiter: Waiter) in
            let known = state.withLock { state -> SessionEvent?? in
                if state.missed > 0 {
                    defer { state.missed = 0 }
                    return .some(.missed(state.missed))
                }
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                // A stream has one reader; a second one at the same time gets no events.
                if state.hasEnded || state.waiter != nil { return .some(nil) }
                state.waiter = waiter
                return nil
            }
            if let known { waiter.resume(returning: known) }
        }
    }
}
#endif
