#if Client
import Synchronization

extension BrokerSimulator {
    /// The scenarios that are switched on, in the order in which they are looked at.
    public var scenarios: [ActiveScenario] { state.withLock { $0.scenarios } }

    /// Switches a scenario on; one with the same id is replaced where it is.
    ///
    /// - Parameter scenario: What goes wrong, and for which requests.
    public func activate(_ scenario: ActiveScenario) {
        state.withLock { state in
            if let index = state.scenarios.firstIndex(where: { $0.id == scenario.id }) {
                state.scenarios[index] = scenario
            } else {
                state.scenarios.append(scenario)
            }
        }
    }

    /// Switches a scenario off.
    ///
    /// - Parameter id: The scenario's id.
    /// - Throws: `SimulationError.unknownScenario` if it is not on.
    public func deactivate(scenario id: String) throws(SimulationError) {
        try state.withLock { state throws(SimulationError) in
            guard let index = state.scenarios.firstIndex(where: { $0.id == id }) else { throw .unknownScenario(id) }
            state.scenarios.remove(at: index)
        }
    }

    /// How requests are limited.
    public var throttle: ThrottleMode { state.withLock { $0.throttle.mode } }

    /// Changes how requests are limited, and forgets what was counted.
    ///
    /// - Parameter mode: The limit.
    public func setThrottle(_ mode: ThrottleMode) { state.withLock { $0.throttle.set(mode) } }

    /// The last 1,000 requests, the oldest first.
    public var journal: [JournalEntry] { state.withLock { $0.journal.entries } }

    /// Forgets the requests.
    public func clearJournal() { state.withLock { $0.journal.removeAll() } }
}
#endif
