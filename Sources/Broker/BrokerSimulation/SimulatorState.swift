#if Client
import EntitlementValues

/// Everything that a simulated broker remembers.
struct SimulatorState: Sendable {
    var world: SimulatedWorld
    var clock = SimulatedClock()
    var identifiers: IdentifierSource
    /// The registered clients, by their ids.
    var clients: [String: RegisteredClient] = [:]
    /// The authentication sessions, by their codes.
    var sessions: [String: LoginSession] = [:]
    /// The profiles of each device: one for a provider at most.
    var profiles: [ProfileHolder: [MVPDID: HeldProfile]] = [:]
    /// The profiles of each identity that several devices share.
    var sharedProfiles: [SharedIdentity: [MVPDID: HeldProfile]] = [:]
    /// How much of each offer of temporary access was used.
    var trials: [TrialKey: Trial] = [:]
    /// The providers' answers that still count.
    var decisions: [DecisionKey: CachedDecision] = [:]
    /// The requests to a device platform that were not answered yet, by their ids.
    var partnerRequests: [String: PartnerRequest] = [:]
    var scenarios: [ActiveScenario] = []
    var throttle: RequestThrottle
    var journal = RequestJournal()
    /// How many requests were answered since what had ended was forgotten.
    private var answeredSince = 0

    init(world: SimulatedWorld, seed: UInt64?, throttle: ThrottleMode) {
        self.world = world
        identifiers = IdentifierSource(seed: seed)
        self.throttle = RequestThrottle(mode: throttle)
    }

    /// Counts an answer, and forgets now and then what is over: a simulator that runs for weeks does not grow.
    mutating func noteAnswer(at now: Timestamp, keeping limit: Int) {
        answeredSince += 1
        guard answeredSince >= 256 else { return }
        answeredSince = 0
        forgetWhatEnded(at: now)
        forgetOldest(butFor: limit, at: now)
    }

    private mutating func forgetWhatEnded(at now: Timestamp) {
        let dayAgo = now - .hours(24)
        // A day of grace: an expired profile has another error than one that never was.
        sessions = sessions.filter { $0.value.notAfter > dayAgo }
        partnerRequests = partnerRequests.filter { $0.value.notAfter > dayAgo }
        decisions = decisions.filter { $0.value.notAfter > now }
        func lasting<Key>(_ all: [Key: [MVPDID: HeldProfile]]) -> [Key: [MVPDID: HeldProfile]] {
            all.mapValues { $0.filter { $0.value.notAfter > dayAgo } }.filter { !$0.value.isEmpty }
        }
        (profiles, sharedProfiles) = (lasting(profiles), lasting(sharedProfiles))
        trials = trials.filter { world.mvpd($0.key.mvpd)?.temporaryAccess != nil }
    }

    /// Forgets the oldest of too many clients and counts of temporary access, which have no end; clients with a sign-in
    /// last.
    private mutating func forgetOldest(butFor limit: Int, at now: Timestamp) {
        if clients.count > limit {
            let signedIn = Set(
                profiles.filter { $0.value.values.contains { $0.isLive(at: now) } }.map(\.key.client))
            let oldest = clients.values.sorted { one, other in
                let (first, second) = (signedIn.contains(one.id), signedIn.contains(other.id))
                return first == second ? one.issued < other.issued : second
            }
            let forgotten = Set(oldest.prefix(clients.count - limit).map(\.id))
            clients = clients.filter { !forgotten.contains($0.key) }
            removeProfiles { forgotten.contains($0) }
        }
        if trials.count > limit {
            let oldest = trials.sorted { $0.value.started < $1.value.started }
            for (key, _) in oldest.prefix(trials.count - limit) { trials[key] = nil }
        }
    }
}
#endif
