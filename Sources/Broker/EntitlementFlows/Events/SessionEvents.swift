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
#endif
