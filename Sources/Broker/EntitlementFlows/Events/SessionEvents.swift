#if Client
import Synchronization

/// Hands the events of a session to all of its listeners.
///
/// Each listener has room for ``capacity`` events. If it is slower than that, the oldest are lost, and the next event
/// is preceded by one ``SessionEvent/missed(_:)`` with the number of all that were lost since the listener took the
/// last one. Without listeners nothing is kept.
package final class SessionEvents: Sendable {
    /// How many events wait for a listener.
    static let capacity = 64

    private struct Place {
        weak var listener: EventListener?
    }

    private let places = Mutex<[Place]>([])

    package init() {}

    deinit {
        for place in places.withLock({ $0 }) { place.listener?.end() }
    }

    /// A stream of the events from now on; it ends with the session, after the events that wait.
    package func listen() -> AsyncStream<SessionEvent> {
        let listener = addListener()
        // The stream alone keeps the listener: it is gone with the stream.
        return AsyncStream {
            await listener.next()
        } onCancel: {
            listener.end()
        }
    }

    /// Adds a listener, which gets the events from now on as long as the caller keeps it.
    func addListener() -> EventListener {
        let listener = EventListener(capacity: Self.capacity)
        places.withLock { places in
            places.removeAll { $0.listener == nil }
            places.append(Place(listener: listener))
        }
        return listener
    }

    /// Tells all listeners.
    package func send(_ event: SessionEvent) {
        let listeners = places.withLock { places -> [EventListener] in
            guard !places.isEmpty else { return [] }
            places.removeAll { $0.listener?.hasEnded != false }
            return places.compactMap(\.listener)
        }
        for listener in listeners { listener.take(event) }
    }

    /// How many listeners there are.
    package var listenerCount: Int { places.withLock { $0.count { $0.listener?.hasEnded == false } } }
}

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

/// Keeps the events of a session from its making on, for a caller that reads them once a call has ended.
///
/// It has room for 64 events. Of more, the oldest are lost, and ``SessionEvent/missed(_:)`` says how many.
public final class EventRecorder: Sendable {
    private let listener: EventListener

    init(_ listener: EventListener) { self.listener = listener }

    deinit { listener.end() }

    /// Takes the events since the last call, in the order in which they were told; it does not wait.
    ///
    /// - Returns: The events; empty if there are none.
    public func take() -> [SessionEvent] { listener.takeWaiting() }
}
#endif
