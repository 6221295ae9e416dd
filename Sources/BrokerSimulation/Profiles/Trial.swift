#if Client
import EntitlementValues

/// Whose temporary access is counted.
struct TrialKey: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case device(String)
        /// The JSON of the identity that the application sent.
        case identity(String)
    }

    let requestor: RequestorID
    let mvpd: MVPDID
    let subject: Subject
}

/// How much of an offer was used.
struct Trial: Sendable, Hashable {
    /// The first authorization, from which the time runs.
    let started: Timestamp
    /// The different resources that were permitted, in their order.
    var resources: [ResourceID] = []
    /// The persons, as JSON, whose use a device's count has: a reset for one of them gives the device its access anew.
    var people: Set<String> = []
}

/// What is left of an offer for one viewer: of several counts, the one with the least left.
struct TrialBalance: Sendable, Hashable {
    let offer: TemporaryAccess
    let trials: [Trial]

    /// The first authorization; `nil` before it.
    var started: Timestamp? { trials.map(\.started).min() }

    func end(at now: Timestamp) -> Timestamp { (started ?? now) + offer.duration }

    /// The resources that were permitted, by any count.
    var used: [ResourceID] {
        trials.flatMap(\.resources).reduce(into: []) { used, resource in
            if !used.contains(resource) { used.append(resource) }
        }
    }

    /// How many further resources may be watched; `nil` for any number.
    var remaining: Int? {
        offer.maximumResources.map { maximum in max(0, maximum - (trials.map(\.resources.count).max() ?? 0)) }
    }

    func isOver(at now: Timestamp) -> Bool { started != nil && now >= end(at: now) }

    /// Whether a resource may be watched as far as the number of resources goes.
    func allows(_ resource: ResourceID) -> Bool {
        guard let maximum = offer.maximumResources else { return true }
        return trials.allSatisfy { $0.resources.count < maximum || $0.resources.contains(resource) }
    }
}

extension SimulatorState {
    func balance(of offer: TemporaryAccess, _ keys: [TrialKey]) -> TrialBalance {
        TrialBalance(offer: offer, trials: keys.compactMap { trials[$0] })
    }

    /// Counts a permitted resource.
    mutating func use(_ resource: ResourceID, of keys: [TrialKey], at now: Timestamp) {
        let people = keys.compactMap { key -> String? in
            if case .identity(let json) = key.subject { json } else { nil }
        }
        for key in keys {
            var trial = trials[key] ?? Trial(started: now)
            if !trial.resources.contains(resource) { trial.resources.append(resource) }
            if case .device = key.subject { trial.people.formUnion(people) }
            trials[key] = trial
        }
    }
}
#endif
