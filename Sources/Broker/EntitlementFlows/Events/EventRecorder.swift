#if Client

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

extension EntitlementSession {
    /// Records the events from now on, as long as the recorder is kept.
    ///
    /// - Returns: The recorder, which has the events of a command as soon as that has returned.
    public nonisolated func recordEvents() -> EventRecorder { EventRecorder(listeners.addListener()) }
}
#endif
