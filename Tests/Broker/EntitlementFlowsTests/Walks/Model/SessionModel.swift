#if Client

/// What a session has to answer, ask and tell: one device, one origin or two, one call after the other.
///
/// It is written from the contract, not from the code: it knows neither queues nor tasks, neither stores nor versions.
/// Times are milliseconds.
struct SessionModel {
    enum Failure: String, Error {
        case requestorNotSet, noOrigin, broker, codeEnded, superseded, notAuthenticated, unknownProvider, shutDown
        case cancelled
    }

    /// A profile as the device knows it; one that a word of the broker proved has neither begin nor end.
    struct Profile: Equatable {
        var mvpd: String
        var since: Int64?
        var until: Int64?
        /// Whether the broker says that it is temporary access.
        var isTemporary = false
    }

    /// The provider that the user chose, with what a list said of it.
    struct Choice: Equatable {
        var mvpd: String
        /// The origin that it is pinned to, if there are two and their lists told.
        var origin: Int?
        /// Whether it is known that it stands for temporary access.
        var isTemporary: Bool
    }

    /// What follows when the browser comes back from a logout.
    enum AfterLogout: Equatable {
        /// So many logout pages are open.
        case visits(Int)
        /// A sign-in that was forced begins.
        case signIn
    }

    /// The wait for the sign-in that is under way.
    struct Watch {
        /// Whether the broker is asked, or only the record is looked at.
        var asks: Bool
        var nextQuestion: Int64
        var nextLook: Int64
        var listeners = 0
    }

    let isTelevision: Bool
    /// Whether the provider of the last sign-in is taken again without a question.
    let remembersProvider: Bool
    var now: Int64
    /// What the broker knows, by origin.
    var brokers: [BrokerModel]

    // MARK: What the device knows

    var hasRequestor = false
    var hasRecord = false
    /// Whether the device is registered with the broker.
    var isRegistered = false
    /// Whether it is known if there is a profile.
    var isAsked = false
    var profile: Profile?
    var choice: Choice?
    /// The providers of further profiles at the broker, with the instants at which the device knew of them.
    var others: [String: Int64] = [:]
    /// The provider of the last sign-in, unless one has failed since, or the user has signed out.
    var lastSignIn: String?
    var code: BrokerModel.Code?
    /// Logouts that the broker has not confirmed, with their instants.
    var unconfirmed: [String: Int64] = [:]
    /// Until when each decision holds, by provider and resource.
    var decisions: [String: Int64] = [:]

    // MARK: What the session remembers

    var watch: Watch?
    /// Whether an authorization waits for a sign-in, and of which resource.
    var pending: String?
    /// How the authorization ended that waited for a sign-in last.
    var decided: Result<String, Failure>?
    /// Until when the list of providers of each origin is fresh; `nil` if there is none.
    var listUntil: [Int64?]
    /// The origins whose providers are known to be theirs, if there are two.
    var pinned: [Int] = []
    var afterLogout: AfterLogout?
    /// Whether it has seen the device's registration: it notices then when that is gone.
    var knowsRegistration = false
    /// Whether another process has erased what the session has seen, and the session has not noticed it.
    var isErased = false
    var permits: [String: Int64] = [:]
    /// Until when a denial may be the answer without another question, by question, provider and resource.
    var denials: [String: Int64] = [:]
    /// Counts what makes earlier answers void: choices, cancels, logouts.
    var epoch = 0

    // MARK: What a step does

    var requests: [String] = []
    var events: [String] = []
    /// Whether the codes of statuses are left open in this step: each failure of the broker has one of its own.
    var leavesStatusesOpen = false
    /// How the task ended that waited for the sign-in.
    var waitOutcome: String?
    /// Which request fails, by origin; 0 is the next one.
    var faults: [Int: (kind: WalkFault, after: Int)] = [:]
    /// How the last request failed in this step, if one did.
    var lastFault: WalkFault?
    /// The requests of the session in this call: whether it remembers a denial is its choice, as long as it may.
    var seenRequests: [String] = []
    /// What happens while which request of the call is on its way.
    var interruption: (kind: WalkInterruption, at: Int)?
    var isCancelled = false
    /// Whether the interruption was a logout, which has its turn after the call.
    var logoutFollows = false

    init(isTelevision: Bool, remembersProvider: Bool, origins: Int, at now: Int64) {
        (self.isTelevision, self.remembersProvider, self.now) = (isTelevision, remembersProvider, now)
        (brokers, listUntil) = (Array(repeating: BrokerModel(), count: origins), Array(repeating: nil, count: origins))
    }

    /// The provider that the user chose.
    var provider: String? { choice?.mvpd }

    // MARK: Requests

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: Where it is sent.
    ///   - effect: What the broker does with it.
    /// - Returns: What it answers.
    /// - Throws: `.broker`, `.cancelled`; `.codeEnded` if it refuses the code.
    mutating func ask<Answer>(
        _ request: String,
        at origin: Int,
        _ effect: (inout BrokerModel) -> Answer
    ) throws(Failure) -> Answer {
        if isCancelled { throw .cancelled }
        requests.append(WalkTransport.name(of: request, at: origin))
        (hasRecord, isRegistered) = (true, true)
        var failing: WalkFault?
        if let fault = faults[origin] {
            failing = fault.after == 0 ? fault.kind : nil
            faults[origin] = fault.after == 0 ? nil : (fault.kind, fault.after - 1)
        }
        if let failing { lastFault = failing }
        let answer = failing == nil || failing == .answerLost ? effect(&brokers[origin]) : nil
        interrupt(request)
        if isCancelled { throw .cancelled }
        if let failing { throw failing == .codeRefused ? .codeEnded : .broker }
        guard let answer else { throw .broker }
        knowsRegistration = true
        return answer
    }

    /// Sends a request for which the code does not matter.
    mutating func askPlainly<Answer>(
        _ request: String,
        at origin: Int,
        _ effect: (inout BrokerModel) -> Answer
    ) throws(Failure) -> Answer {
        do throws(Failure) {
            return try ask(request, at: origin, effect)
        } catch {
            throw error == .codeEnded ? .broker : error
        }
    }

    /// Lets happen what happens while a request is on its way; two lists that are asked for at once do not count.
    private mutating func interrupt(_ request: String) {
        guard let interruption, brokers.count == 1 || request != "configuration" else { return }
        guard interruption.at == 0 else {
            self.interruption = (interruption.kind, interruption.at - 1)
            return
        }
        self.interruption = nil
        switch interruption.kind {
        case .taskIsCancelled: isCancelled = true
        case .cancel: _ = cancel()
        case .logout:
            endWatch(Failure.superseded.rawValue)
            raiseEpoch()
            logoutFollows = true
        }
    }

    // MARK: Parts

    /// The sign-in that counts.
    var signIn: Profile? { profile.flatMap { ($0.until.map { now < $0 } ?? true) ? $0 : nil } }

    mutating func raiseEpoch() {
        epoch += 1
        code = nil
        hasRecord = true
        knowsRegistration = isRegistered
    }

    /// Notices, as it looks at the record, that another process has erased the device: nothing from before counts.
    mutating func look() {
        knowsRegistration = isRegistered
        guard isErased else { return }
        isErased = false
        endWatch(Failure.superseded.rawValue)
        endPending()
        (permits, denials) = ([:], [:])
    }

    /// Fails if a choice, a cancel or a logout came since.
    func check(_ epoch: Int) throws(Failure) {
        if self.epoch != epoch { throw .superseded }
    }

    mutating func tell(_ events: String...) { self.events += events }

    mutating func tellSignIn() {
        tell("authenticated")
        if let signIn, isTemporary(signIn.mvpd) { tell("status N011 (Info)") }
        tell("tracking of authentication")
    }

    /// Whether it is known of a provider that it stands for temporary access.
    func isTemporary(_ mvpd: String) -> Bool {
        profile.map { $0.mvpd == mvpd && $0.isTemporary } == true
            || choice.map { $0.mvpd == mvpd && $0.isTemporary } == true
    }

    mutating func endWatch(_ outcome: String) {
        if let watch, watch.listeners > 0 { waitOutcome = outcome }
        watch = nil
    }

    /// Ends the authorization that waits for a sign-in.
    mutating func endPending() {
        if pending != nil { tell("not permitted") }
        pending = nil
    }

    /// Keeps what the broker said of the profile; permits and denials end with a sign-in.
    mutating func keep(_ found: Profile?) {
        if profile?.mvpd != found?.mvpd || profile?.since != found?.since { (permits, denials) = ([:], [:]) }
        if let found {
            if profile?.mvpd != found.mvpd { rememberProfile() }
            others[found.mvpd] = nil
            lastSignIn = found.mvpd
            if provider != found.mvpd { choice = choice(of: found.mvpd) }
        }
        (profile, isAsked) = (found, true)
    }

    /// Keeps in mind that the broker has the profile of now, because another takes its place here.
    mutating func rememberProfile() {
        if let signIn, !isTemporary(signIn.mvpd) { remember(signIn.mvpd) }
    }

    /// Keeps in mind that the broker has a further profile, unless it is to be taken away there anyway.
    mutating func remember(_ mvpd: String) {
        if unconfirmed[mvpd] == nil { others[mvpd] = now }
    }

    /// Keeps a profile unless it is older than a logout that the broker did not confirm.
    ///
    /// - Returns: Whether it is kept.
    @discardableResult
    mutating func adopt(_ found: BrokerModel.Profile?) -> Bool {
        if let found, let mark = unconfirmed[found.mvpd], found.since <= mark { return false }
        keep(
            found.map {
                Profile(
                    mvpd: $0.mvpd, since: $0.since, until: $0.until, isTemporary: $0.mvpd == WalkStep.trial)
            })
        return true
    }
}
#endif
