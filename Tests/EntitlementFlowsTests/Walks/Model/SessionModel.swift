#if Client

/// What a session has to answer, ask and tell: one device, one origin, one call after the other.
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
    var broker = BrokerModel()

    // MARK: What the device knows

    var hasRequestor = true
    var hasRecord = false
    /// Whether it is known if there is a profile.
    var isAsked = false
    var profile: Profile?
    var provider: String?
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
    /// Until when the list of providers is fresh; `nil` if there is none.
    var listUntil: Int64?
    /// From how many logout pages the browser has yet to come back.
    var openLogouts = 0
    var permits: [String: Int64] = [:]
    /// Counts what makes earlier answers void: choices, cancels, logouts.
    var epoch = 0

    // MARK: What a step does

    var requests: [String] = []
    var events: [String] = []
    /// Whether the codes of statuses are left open in this step: each failure of the broker has one of its own.
    var leavesStatusesOpen = false
    /// How the task ended that waited for the sign-in.
    var waitOutcome: String?
    /// Which request fails; 0 is the next one.
    var fault: (kind: WalkFault, after: Int)?
    /// What happens while which request of the call is on its way.
    var interruption: (kind: WalkInterruption, at: Int)?
    var isCancelled = false
    /// Whether the interruption was a logout, which has its turn after the call.
    var logoutFollows = false

    init(isTelevision: Bool, remembersProvider: Bool, at now: Int64) {
        (self.isTelevision, self.remembersProvider, self.now) = (isTelevision, remembersProvider, now)
    }

    // MARK: Requests

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - effect: What the broker does with it.
    /// - Returns: What it answers.
    /// - Throws: `.broker`, `.cancelled`; `.codeEnded` if it refuses the code.
    mutating func ask<Answer>(
        _ request: String,
        _ effect: (inout BrokerModel) -> Answer
    ) throws(Failure) -> Answer {
        if isCancelled { throw .cancelled }
        requests.append(request)
        hasRecord = true
        var failing: WalkFault?
        if let fault {
            failing = fault.after == 0 ? fault.kind : nil
            self.fault = fault.after == 0 ? nil : (fault.kind, fault.after - 1)
        }
        let answer = failing == nil || failing == .answerLost ? effect(&broker) : nil
        if let interruption, interruption.at == 0 {
            self.interruption = nil
            interrupt(by: interruption.kind)
        } else if let interruption {
            self.interruption = (interruption.kind, interruption.at - 1)
        }
        if isCancelled { throw .cancelled }
        if let failing { throw failing == .codeRefused ? .codeEnded : .broker }
        guard let answer else { throw .broker }
        return answer
    }

    /// Sends a request for which the code does not matter.
    mutating func askPlainly<Answer>(
        _ request: String,
        _ effect: (inout BrokerModel) -> Answer
    ) throws(Failure) -> Answer {
        do throws(Failure) {
            return try ask(request, effect)
        } catch {
            throw error == .codeEnded ? .broker : error
        }
    }

    private mutating func interrupt(by kind: WalkInterruption) {
        switch kind {
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
    }

    /// Fails if a choice, a cancel or a logout came since.
    func check(_ epoch: Int) throws(Failure) {
        if self.epoch != epoch { throw .superseded }
    }

    mutating func tell(_ events: String...) { self.events += events }

    mutating func tellSignIn() { tell("authenticated", "tracking of authentication") }

    mutating func endWatch(_ outcome: String) {
        if let watch, watch.listeners > 0 { waitOutcome = outcome }
        watch = nil
    }

    /// Ends the authorization that waits for a sign-in.
    mutating func endPending() {
        if pending != nil { tell("not permitted") }
        pending = nil
    }

    /// Keeps what the broker said of the profile; permits end with a sign-in.
    mutating func keep(_ found: Profile?) {
        if profile?.mvpd != found?.mvpd || profile?.since != found?.since { permits = [:] }
        if let found {
            if profile?.mvpd != found.mvpd { rememberProfile() }
            others[found.mvpd] = nil
            lastSignIn = found.mvpd
            provider = found.mvpd
        }
        (profile, isAsked) = (found, true)
    }

    /// Keeps in mind that the broker has the profile of now, because another takes its place here.
    mutating func rememberProfile() {
        if let signIn { remember(signIn.mvpd) }
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
        keep(found.map { Profile(mvpd: $0.mvpd, since: $0.since, until: $0.until) })
        return true
    }
}
#endif
