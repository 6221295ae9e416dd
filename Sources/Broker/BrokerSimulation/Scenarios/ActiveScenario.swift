#if Client
public import BrokerMessages
public import EntitlementValues
import Synchronization

/// A scenario that is switched on, and the requests that it is for.
public struct ActiveScenario: Sendable, Hashable {
    /// The name by which it is changed and switched off.
    public var id: String
    /// What goes wrong.
    public var scenario: Scenario
    /// The endpoints that it is for; empty for all.
    public var endpoints: Set<BrokerEndpoint>
    /// The brand that it is for; `nil` for all.
    public var requestor: RequestorID?
    /// How many further requests it meets; `nil` for all.
    ///
    /// With 2, the third attempt succeeds.
    public var remaining: Int?

    /// Makes a scenario to switch on.
    ///
    /// - Parameters:
    ///   - id: The name by which it is changed and switched off.
    ///   - scenario: What goes wrong.
    ///   - endpoints: The endpoints that it is for; empty for all.
    ///   - requestor: The brand that it is for; `nil` for all.
    ///   - remaining: How many requests it meets; `nil` for all.
    public init(
        _ id: String,
        _ scenario: Scenario,
        endpoints: Set<BrokerEndpoint> = [],
        requestor: RequestorID? = nil,
        remaining: Int? = nil
    ) {
        (self.id, self.scenario, self.endpoints) = (id, scenario, endpoints)
        (self.requestor, self.remaining) = (requestor, remaining)
    }

    func applies(to route: Route) -> Bool {
        (endpoints.isEmpty || endpoints.contains(route.endpoint)) && (requestor == nil || requestor == route.requestor)
            && remaining != 0
    }
}

extension SimulatorState {
    /// The scenario that a request meets: the first that is for such requests; `nil` if there is none.
    ///
    /// `wanted` is the one that the request asks for itself: the id of one that is on and for such requests, or a name.
    func scenario(for route: Route, wanted: String?) -> ActiveScenario? {
        scenarios.first { $0.applies(to: route) && (wanted ?? $0.id) == $0.id }
            ?? wanted.flatMap { name in Scenario(named: name).map { ActiveScenario(name, $0) } }
    }

    /// Switches a scenario on; one with the same id is replaced where it is.
    mutating func activate(_ scenario: ActiveScenario) {
        if let index = scenarios.firstIndex(where: { $0.id == scenario.id }) {
            scenarios[index] = scenario
        } else {
            scenarios.append(scenario)
        }
    }

    /// Counts a request that met a scenario.
    mutating func countDown(_ scenario: ActiveScenario) {
        guard let remaining = scenario.remaining, let index = scenarios.firstIndex(where: { $0.id == scenario.id })
        else { return }
        scenarios[index].remaining = remaining - 1
        if remaining <= 1 { scenarios.remove(at: index) }
    }
}

extension BrokerSimulator {
    /// The scenarios that are switched on, in the order in which they are looked at.
    public var scenarios: [ActiveScenario] { state.withLock { $0.scenarios } }

    /// Switches a scenario on; one with the same id is replaced where it is.
    ///
    /// - Parameter scenario: What goes wrong, and for which requests.
    public func activate(_ scenario: ActiveScenario) {
        state.withLock { $0.activate(scenario) }
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
