#if Client
import EntitlementFlows

/// The events of a session, from the log's beginning.
struct EventLog {
    private let session: EntitlementSession
    private let stream: AsyncStream<SessionEvent>

    init(of session: EntitlementSession) { (self.session, stream) = (session, session.events()) }

    /// The events since the beginning, or since the last call.
    func next() async -> [SessionEvent] {
        session.listeners.send(.missed(-1))
        var events: [SessionEvent] = []
        for await event in stream {
            if case .missed(-1) = event { break }
            events.append(event)
        }
        return events
    }

    /// The descriptions of the events since the beginning, or since the last call.
    func names() async -> [String] { await next().map(\.description) }
}
#endif
