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

    init(world: SimulatedWorld, seed: UInt64?, throttle: ThrottleMode) {
        self.world = world
        identifiers = IdentifierSource(seed: seed)
        self.throttle = RequestThrottle(mode: throttle)
    }

    /// Forgets what is over, so that a simulator that runs for weeks does not grow.
    mutating func forgetWhatEnded(at now: Timestamp) {
        let dayAgo = now - .hours(24)
        // A day of grace: an expired profile has another error than one that never was.
        sessions = sessions.filter { $0.value.notAfter > dayAgo }
        partnerRequests = partnerRequests.filter { $0.value.notAfter > dayAgo }
        decisions = decisions.filter { $0.value.notAfter > now }
    }
}
#endif
