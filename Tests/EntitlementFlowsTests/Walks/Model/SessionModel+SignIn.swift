#if Client

extension SessionModel {
    // MARK: Beginning

    /// Takes the provider of the last sign-in again, or shows the picker, with the list of the last two minutes or a new
    /// one.
    mutating func beginSignIn() throws(Failure) -> String {
        if remembersProvider, let provider, provider == lastSignIn { return try choose(provider) }
        let epoch = epoch
        if listUntil.map({ now >= $0 }) ?? true {
            do throws(Failure) {
                try askPlainly("configuration") { _ in }
            } catch {
                throw error == .cancelled ? error : .noOrigin
            }
            listUntil = now + 120_000
        }
        try check(epoch)
        tell("the user chooses a provider", "status N000 (Info)")
        return "choose, remembered \(provider.map { WalkStep.providers.contains($0) ? $0 : "none" } ?? "none")"
    }

    /// Takes the user's choice.
    mutating func choose(_ mvpd: String) throws(Failure) -> String {
        let isListed = WalkStep.providers.contains(mvpd)
        guard isListed || listUntil == nil else {
            tell("tracking of providerSelection")
            throw .unknownProvider
        }
        endWatch(Failure.superseded.rawValue)
        if let profile, profile.mvpd != mvpd {
            rememberProfile()
            keep(nil)
        }
        let marks = unconfirmed
        provider = mvpd
        raiseEpoch()
        let epoch = epoch
        openLogouts = 0
        tell("tracking of providerSelection")
        if !marks.isEmpty, try retryLogouts().contains(mvpd) { throw isCancelled ? .cancelled : .broker }
        return try start(mvpd, isListed: isListed, epoch: epoch)
    }

    private mutating func start(_ mvpd: String, isListed: Bool, epoch: Int) throws(Failure) -> String {
        let time = now
        let answer: BrokerModel.Code?
        do throws(Failure) {
            answer = try askPlainly("sessions") { broker in isListed ? broker.code(for: mvpd, at: time) : nil }
        } catch {
            if isTelevision, error == .broker { tell("status REG500 (Error)") }
            throw error
        }
        guard isListed else {
            if self.epoch == epoch { provider = nil }
            throw .unknownProvider
        }
        try check(epoch)
        guard let answer else {
            if signIn?.mvpd != mvpd { keep(Profile(mvpd: mvpd)) }
            (isAsked, lastSignIn) = (true, mvpd)
            return succeed()
        }
        code = answer
        guard isTelevision else {
            tell("the browser opens an address")
            return "browser"
        }
        beginWatch(asking: true)
        tell("the device shows a code")
        return "code"
    }

    /// Tells that the user is signed in, and carries on what waited for it.
    mutating func succeed() -> String {
        let answer = signInText
        endWatch(answer)
        tellSignIn()
        carryOn()
        return answer
    }

    // MARK: Ending

    mutating func cancel() -> String {
        openLogouts = 0
        endWatch(Failure.superseded.rawValue)
        if hasRequestor {
            raiseEpoch()
            if signIn?.mvpd != provider { provider = nil }
        }
        tell("not authenticated", "tracking of providerSelection")
        endPending()
        return "nothing"
    }

    /// Tells that a sign-in, or a question for it, has failed.
    mutating func tellFailure(_ failure: Failure) {
        guard failure != .cancelled, failure != .superseded else { return }
        leavesStatusesOpen = true
        tell("not authenticated", "tracking of authentication")
        endPending()
    }

    // MARK: Waiting

    mutating func beginWatch(asking asks: Bool) {
        endWatch(Failure.superseded.rawValue)
        watch = Watch(asks: asks, nextQuestion: now, nextLook: now)
    }

    /// Looks for the sign-in, if it is time.
    mutating func lookIfDue() {
        guard let watch, watch.nextLook <= now, let code else { return }
        guard now < code.until else { return fail(.codeEnded) }
        self.watch?.nextLook = now + min(1000, code.until - now)
        guard watch.asks, watch.nextQuestion <= now else { return }
        do throws(Failure) {
            if try poll(code) == nil { self.watch?.nextLook = now + min(5000, code.until - now) }
        } catch {
            fail(error)
        }
    }

    /// Asks whether the user has signed in; what is only a disturbance says no.
    ///
    /// - Returns: The sign-in, which was told; `nil` if there is none.
    mutating func poll(_ code: BrokerModel.Code) throws(Failure) -> String? {
        let (time, epoch) = (now, epoch)
        let found: BrokerModel.Profile??
        do throws(Failure) {
            found = try ask("profiles/code") { $0.profile(ofCode: code.number, at: time) }
        } catch .broker {
            found = .some(nil)
        }
        guard let found else { throw .codeEnded }
        try check(epoch)
        guard let found else {
            watch?.nextQuestion = now + 5000
            return nil
        }
        adopt(found)
        self.code = nil
        return succeed()
    }

    mutating func fail(_ failure: Failure) {
        guard watch != nil else { return }
        endWatch(failure.rawValue)
        if failure == .codeEnded { code = nil }
        if failure != .superseded, failure != .cancelled { lastSignIn = nil }
        tellFailure(failure)
    }

    /// The browser comes back.
    mutating func returned() throws(Failure) -> String {
        guard hasRequestor else { throw .requestorNotSet }
        if openLogouts > 0 {
            openLogouts -= 1
            if openLogouts == 0 { tell(signIn == nil ? "not authenticated" : "authenticated") }
            return "signed out"
        }
        guard let code else { return signIn == nil ? "nothing" : signInText }
        if watch == nil { beginWatch(asking: false) }
        watch?.asks = true
        watch?.nextQuestion = now + 5000
        do throws(Failure) {
            guard now < code.until else { throw .codeEnded }
            return try poll(code) ?? "waiting"
        } catch .cancelled {
            throw .cancelled
        } catch {
            fail(error)
            throw error
        }
    }

    /// A code that has ended may be forgotten at any time, and the session says so by what it answers.
    ///
    /// - Parameter answer: What it answers when it has looked for a code: if it found none, whether somebody is signed in.
    mutating func forgetEndedCode(answering answer: String) {
        guard let code, now >= code.until, watch == nil else { return }
        let withoutCode = ["nothing", Failure.notAuthenticated.rawValue, signInText]
        if withoutCode.contains(answer) { self.code = nil }
    }

    /// A task begins to wait.
    ///
    /// - Returns: How its wait ended at once; `nil` if it waits.
    mutating func beginWait() -> String? {
        guard hasRequestor else { return Failure.requestorNotSet.rawValue }
        if watch == nil {
            guard let code else { return signIn == nil ? Failure.notAuthenticated.rawValue : signInText }
            guard now < code.until else { return Failure.codeEnded.rawValue }
            beginWatch(asking: isTelevision)
        }
        watch?.listeners += 1
        return nil
    }

    /// The task is cancelled that waits.
    mutating func endWait() {
        guard let watch, watch.listeners > 0 else { return }
        waitOutcome = Failure.cancelled.rawValue
        self.watch?.listeners = 0
        if !watch.asks { self.watch = nil }
    }

    var signInText: String {
        guard let signIn else { return "out" }
        return "in with \(signIn.mvpd) until \(signIn.until.map { "\($0)" } ?? "?")"
    }
}
#endif
