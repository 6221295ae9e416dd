#if Client
package import DeviceRecords
package import EntitlementValues
package import ServiceResponses

/// What a session remembers, and what ends what of it, as a value without I/O and clock.
///
/// What happens between two steps of a command may have changed it. So a step names the wait or the request that it means,
/// and nothing is done about another one. The caller ends, and tells, what a change returns as ``Ended``. Functions named
/// `…Begins` are called before the record is changed, and functions named `…IsWritten` after it.
package struct SessionState: Sendable {
    /// What has ended, and how.
    package struct Ended: Sendable {
        package var wait: (SignInWait, verdict: Result<SignIn, EntitlementFlowError>)?
        package var pending: (PendingAuthorization, why: EntitlementFlowError)?
    }

    /// The wait for the sign-in that is under way here.
    package private(set) var wait: SignInWait?
    /// The authorization that waits for a sign-in.
    package private(set) var pending: PendingAuthorization?
    /// What a preauthorization permitted, and what was denied.
    package private(set) var permits = PermitCache()
    /// The pages of a logout that the browser is at.
    package private(set) var visits = LogoutVisits()
    /// Whether a permit has come since the profile was read: the provider may have changed the user's attributes with it.
    package private(set) var mayHaveNewAttributes = false

    /// Counts the waits.
    private var lastWait: UInt64 = 0
    /// Whether the partner was asked without an event, so that its reply is not told either.
    private var hasAskedSilently = false
    /// Whether it was told that the clocks are apart.
    private var hasToldOfClock = false
    /// The calls of `setRequestor` that run or wait, for the commands that wait for them.
    private var setUps = RequestorSetUps()

    package init() {}

    /// Whether something would be lost if the session went.
    package func holdsSession(at uptime: Duration) -> Bool {
        wait != nil || pending?.isAwaited == true || visits.holdsSession(at: uptime)
    }

    // MARK: What ends what

    /// Another brand, or other origins.
    package mutating func requestorChanges() -> Ended {
        visits.end()
        return end(wait: .failure(.superseded), pending: .superseded)
    }

    /// A choice, a question for a code, a forced sign-in, or a session of the partner is about to be written.
    ///
    /// With that of the partner, the browser's next return is that of the sign-in.
    package mutating func signInBegins(byPartner: Bool = false) -> Ended {
        if byPartner { visits.end() }
        return end(wait: .failure(.superseded))
    }

    /// A choice of a provider is written, in the place of a profile if there was one.
    package mutating func choiceIsWritten(of mvpd: MVPDID, over old: ProfileHint?) {
        if old?.mvpd != mvpd { permits.profileChanged(from: old, to: nil) }
        visits.end()
    }

    /// A cancel is about to be written.
    ///
    /// What ends at once is returned, and the request that ends once the cancel is written: by then there may be a newer
    /// one, which the cancel does not end.
    package mutating func cancelBegins() -> (ended: Ended, request: PendingAuthorization?) {
        visits.end()
        return (end(wait: .failure(.superseded)), pending)
    }

    /// A logout has come, whose turn has not come yet.
    package mutating func logoutBegins() -> Ended { end(wait: .failure(.superseded)) }

    /// A logout is written in its turn; a command before it may have begun another wait.
    package mutating func logoutIsWritten(from before: ProfileHint?, to after: ProfileHint?) -> Ended {
        permits.removeAll()
        permits.profileChanged(from: before, to: after)
        return end(wait: .failure(.superseded), pending: .notAuthenticated)
    }

    /// A command has found the sign-in; a code that is shown is for another login if the user was signed in before.
    package mutating func signedIn(_ signIn: SignIn, endingWait: Bool) -> Ended {
        endingWait ? end(wait: .success(signIn)) : Ended()
    }

    /// An authentication has failed, and with it the request that waited when it was asked for; not if it was given up.
    package mutating func signInFailed(_ error: EntitlementFlowError, for request: PendingAuthorization?) -> Ended {
        error.isGivenUp ? Ended() : end(request, with: error)
    }

    /// The wait has found the sign-in in the record: another session had asked.
    package mutating func signInIsFound() { permits.signInChanged() }

    /// Another profile, or none, is written in the place of the one before, unless it is of the same sign-in.
    package mutating func profileIsWritten(from before: ProfileHint?, to after: ProfileHint?) {
        permits.profileChanged(from: before, to: after)
    }

    /// A decision says that the user is not signed in any more.
    package mutating func signedOutByDecision() { permits.removeAll() }

    /// The record was erased, by whatever process.
    package mutating func erased() -> Ended {
        permits.removeAll()
        permits.signInChanged()
        return end(wait: .failure(.superseded), pending: .superseded)
    }

    /// The server shuts down.
    package mutating func stops() -> Ended { end(wait: .failure(.shutDown), pending: .shutDown) }

    private mutating func end(
        wait verdict: Result<SignIn, EntitlementFlowError>,
        pending why: EntitlementFlowError? = nil
    ) -> Ended {
        var ended = Ended()
        if let why { ended = end(pending, with: why) }
        ended.wait = wait.map { ($0, verdict: verdict) }
        wait = nil
        return ended
    }

    // MARK: The wait for a sign-in

    /// Begins to wait for a sign-in, in the place of the one before.
    ///
    /// Returns the number of the wait, and what has ended; `nil` if a later code is waited for already.
    package mutating func beginWait(
        for code: PendingCode,
        of requestor: RequestorID,
        asking asks: Bool,
        every interval: Duration,
        at moment: Moment
    ) -> (number: UInt64, ended: Ended)? {
        if let wait, wait.requestor == requestor, wait.code.isLater(than: code) { return nil }
        lastWait += 1
        let ended = end(wait: .failure(.superseded))
        wait = SignInWait(number: lastWait, for: code, of: requestor, asking: asks, every: interval, at: moment)
        return (lastWait, ended)
    }

    /// The wait of a number; `nil` if it is another one by now, or none.
    package func wait(_ number: UInt64) -> SignInWait? { wait?.number == number ? wait : nil }

    /// Changes the wait of a number; `nil` if it is another one by now, or none.
    @discardableResult
    package mutating func wait<Answer>(_ number: UInt64, _ change: (inout SignInWait) -> Answer) -> Answer? {
        guard var changed = wait(number) else { return nil }
        defer { wait = changed }
        return change(&changed)
    }

    /// Waits for the end of the wait that is under way; `nil` if there is none.
    package mutating func joinWait() -> SignInWait? {
        wait?.join()
        return wait
    }

    /// Leaves the wait of a number; one that only reads the record ends when its last caller has left.
    package mutating func leaveWait(_ number: UInt64) -> Ended {
        wait(number) { $0.leave() } == true ? end(wait: .failure(.superseded)) : Ended()
    }

    /// Takes the wait of a number, because it has found the sign-in, or has failed; `nil` if it has ended already.
    package mutating func endWait(_ number: UInt64) -> SignInWait? {
        guard let ended = wait(number) else { return nil }
        wait = nil
        return ended
    }

    // MARK: The authorization that waits

    /// Lets a request wait, in the place of the one before.
    package mutating func wait(for request: PendingAuthorization) -> Ended {
        let ended = end(pending, with: .superseded)
        pending = request
        return ended
    }

    /// Takes a request, to decide it, if it is still the one that waits.
    package mutating func takePending(_ request: PendingAuthorization?) -> PendingAuthorization? {
        guard let request, request === pending else { return nil }
        pending = nil
        return request
    }

    /// Ends a request, if it is still the one that waits.
    package mutating func end(_ request: PendingAuthorization?, with error: EntitlementFlowError) -> Ended {
        Ended(pending: takePending(request).map { ($0, why: error) })
    }

    // MARK: Permits, and pages of a logout

    /// The broker has answered which of the resources that were asked about are permitted: those are remembered.
    package mutating func remember(
        _ permitted: [ResourceID],
        of asked: [ResourceID],
        with mark: PermitCache.SignInMark,
        at uptime: Duration
    ) {
        permits.replace(asked, permitting: permitted, with: mark, at: uptime)
    }

    /// The broker has decided about the resources that were asked about: what it denied is remembered.
    package mutating func rememberDenials(
        of asked: [ResourceID],
        by question: PermitCache.Question,
        with decisions: [Decision],
        _ mark: PermitCache.SignInMark,
        at uptime: Duration
    ) {
        permits.replaceDenials(of: asked, by: question, with: decisions, mark, at: uptime)
    }

    /// A logout has pages, the first of which the browser opens now; or none.
    package mutating func beginVisits(_ pages: [UserAgentVisit], at uptime: Duration) {
        visits.begin(pages, at: uptime)
    }

    /// The same before a forced sign-in, which begins in that epoch or not at all.
    package mutating func beginVisits(
        _ pages: [UserAgentVisit],
        before filter: ProviderFilter?,
        since epoch: Int64,
        at uptime: Duration
    ) {
        visits.begin(pages, before: filter, since: epoch, at: uptime)
    }

    /// The browser has come back; `nil` if it was not sent to a page.
    package mutating func browserReturned(at uptime: Duration) -> LogoutVisits.Next? {
        visits.browserReturned(at: uptime)
    }

    // MARK: Attributes, questions and warnings

    /// A permit has come, with which the provider may have changed the user's attributes.
    package mutating func permitCame() { mayHaveNewAttributes = true }

    /// A profile is kept, with its attributes.
    package mutating func profileIsKept() { mayHaveNewAttributes = false }

    /// The partner is asked without an event.
    package mutating func partnerIsAskedSilently() { hasAskedSilently = true }

    /// A sign-in is asked for: what the partner replies from now on is told.
    package mutating func signInIsAskedFor() { hasAskedSilently = false }

    /// Whether the reply that has come is to a silent question; the next one is not.
    package mutating func takeSilentQuestion() -> Bool {
        defer { hasAskedSilently = false }
        return hasAskedSilently
    }

    /// Whether it has to be told that the clocks are apart: once.
    package mutating func takeClockWarning() -> Bool {
        defer { hasToldOfClock = true }
        return !hasToldOfClock
    }

    // MARK: Set-ups

    /// The last call of `setRequestor` that has not ended; `nil` if there is none.
    package var latestSetUp: UInt64? { setUps.latest }

    package mutating func beginSetUp() -> UInt64 { setUps.begin() }

    package mutating func endSetUp(_ number: UInt64, with error: EntitlementFlowError?) {
        setUps.end(number, with: error)
    }

    /// Why a call failed; `nil` if it did not, or if a later one failed since.
    package func failure(ofSetUp number: UInt64?) -> EntitlementFlowError? { setUps.failure(of: number) }
}
#endif
