#if Client
public import EntitlementValues
public import HTTPTypes
import RequestorSigning
import Synchronization

/// A simulated broker: REST API version 2 and client registration as one function, without sockets.
///
/// It checks what clients send, signs tokens for real with keys of its own, and fails on demand.
///
/// ```swift
/// let simulator = try BrokerSimulator()
/// let (answer, body) = await simulator.respond(to: request, body: [])
/// ```
///
/// Nothing in it can be taken for the real broker: the issuer of its tokens is `simulator.invalid`, and every answer
/// has the header field `X-Simulated: true`. The names of the wire are the operator's; the simulator is not.
public final class BrokerSimulator: Sendable {
    /// The keys with which it signs.
    public let keys: SimulatorKeys
    /// How it behaves.
    public let settings: SimulatorSettings

    let time: TimeSource
    /// The world that a reset returns to.
    let startingWorld: SimulatedWorld
    let state: Mutex<SimulatorState>
    let signer: CompactSigner
    let mint: MediaTokenMint
    let accessTokens: JSONWebTokenVerifier
    let statements: JSONWebTokenVerifier
    /// What stands for secrets in the acceptance report.
    let pseudonyms: Pseudonyms

    /// Makes a simulator.
    ///
    /// - Parameters:
    ///   - world: What there is.
    ///   - keys: The keys with which it signs; new ones if none are given, which takes about a tenth of a second.
    ///   - settings: How it behaves.
    ///   - time: Tells the real time, from which the simulation's is derived.
    /// - Throws: `SimulationError` if the world contradicts itself, or a key cannot be used.
    public init(
        world: SimulatedWorld = .sample,
        keys: SimulatorKeys? = nil,
        settings: SimulatorSettings = SimulatorSettings(),
        time: TimeSource = .system
    ) throws(SimulationError) {
        try world.check()
        let keys = if let keys { keys } else { try SimulatorKeys() }
        (self.keys, self.settings, self.time, startingWorld) = (keys, settings, time, world)
        state = Mutex(SimulatorState(world: world, seed: settings.seed, throttle: settings.throttle))
        pseudonyms = try rethrowing(Pseudonyms(), as: SimulationError.init(_:))
        signer = CompactSigner(key: keys.access)
        mint = MediaTokenMint(key: keys.media)
        let trusted = try keys.accessVerificationKeys
        accessTokens = JSONWebTokenVerifier(keys: trusted)
        statements = JSONWebTokenVerifier(keys: trusted, policy: .softwareStatement)
    }

    /// Answers a request as the broker would.
    ///
    /// A delay that a scenario asks for is waited for here. It has no connection that a scenario could break: the
    /// whole answer is returned then; use ``answer(to:body:from:)`` to carry such faults out.
    ///
    /// - Parameters:
    ///   - request: The request; scheme and authority are not looked at.
    ///   - body: The body; empty for none.
    /// - Returns: The answer with its body.
    public func respond(to request: HTTPRequest, body: [UInt8]) async -> (HTTPResponse, [UInt8]) {
        let answer = answer(to: request, body: body)
        if answer.delay > .zero { try? await time.sleep(untilUptime: time.uptime + answer.delay.duration) }
        return (answer.head, answer.body)
    }

    /// The simulation's time.
    public var now: Timestamp {
        let real = time.now
        return state.withLock { $0.clock.now(at: real) }
    }
}

/// What a simulator answers, and what is to happen to the connection.
public struct SimulatedAnswer: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The body.
    public let body: [UInt8]
    /// How long the answer is held back.
    public let delay: TimeToLive
    /// What happens to the connection; `nil` if nothing does.
    ///
    /// Never ``NetworkFault/delay(_:)``.
    public let fault: NetworkFault?
}

/// How a simulator behaves, whatever its world is.
public struct SimulatorSettings: Sendable, Hashable {
    /// What happens when a browser opens the address for the login.
    public enum Login: Sendable, Hashable {
        /// It is sent to the login page, `/sim/login?code=…`, which a listener serves.
        case form
        /// This user is signed in at once, and the browser sent back to the application.
        case automatic(user: String)
    }

    /// The start of ids, codes and secrets, which are the same in each run then; `nil` for random ones.
    ///
    /// Keys are always random.
    public var seed: UInt64?
    /// What happens when a browser opens the address for the login.
    public var login = Login.automatic(user: "ok")
    /// How requests are limited.
    public var throttle = ThrottleMode.off
    /// Whether missing and malformed header fields are noted in the journal instead of refused.
    public var isLenient = false
    /// Whether a request may ask for a scenario with the header `X-Sim-Scenario`.
    public var allowsRequestScenarios = false

    /// How many clients, and how many counts of temporary access, are remembered; of more, the oldest are forgotten.
    package var rememberedClients = 100_000
    /// How many calls, and how many visits of browsers, the acceptance report judges, about 10 MB; of more, the oldest are
    /// left out and counted.
    package var rememberedCalls = 20_000

    /// Makes the standard settings: strict, automatic login of `ok`, no limit of requests.
    public init() {}
}

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
    /// The exchanges that the acceptance report judges.
    var review = ReviewLog()
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
