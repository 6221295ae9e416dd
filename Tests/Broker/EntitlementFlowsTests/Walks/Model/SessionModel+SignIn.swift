#if Client

extension SessionModel {
    // MARK: Beginning

    /// Takes the provider of the last sign-in again, or shows the picker, with the list of the last three minutes or a new
    /// one.
    mutating func beginSignIn() throws(Failure) -> String {
        if remembersProvider, let provider, provider == lastSignIn { return try choose(provider) }
        let epoch = epoch
        let listed = try askForLists().flatMap(providers)
        try check(epoch)
        tell("the user chooses a provider", "status N000 (Info)")
        return "choose \(listed.joined(separator: " ")), remembered "
            + (provider.flatMap { listed.contains($0) ? $0 : nil } ?? "none")
    }

    /// Signs the user out, and begins a sign-in: once the browser has come back, if the provider has a logout page.
    mutating func force() throws(Failure) -> String {
        look()
        endWatch(Failure.superseded.rawValue)
        guard let mvpd = profile?.mvpd ?? provider else { return try beginSignIn() }
        let place = origin(of: mvpd, with: choice)
        markLogout(of: mvpd)
        let (epoch, time) = (epoch, now)
        let hasPage = try askPlainly("logout/\(mvpd)", at: place) { $0.logOut(of: mvpd, at: time) }
        unconfirmed[mvpd] = nil
        try check(epoch)
        guard hasPage, !isTelevision else { return try beginSignIn() }
        afterLogout = .signIn
        tell("the browser opens an address")
        return "logout page"
    }

    /// Takes the user's choice.
    mutating func choose(_ mvpd: String) throws(Failure) -> String {
        try refuseMissing(mvpd)
        look()
        let before = epoch
        if try findOrigin(of: mvpd, with: choice) {
            try refuseMissing(mvpd)
            try check(before)
        }
        let chosen = choice(of: mvpd, keptAs: choice)
        endWatch(Failure.superseded.rawValue)
        if let profile, profile.mvpd != mvpd {
            rememberProfile()
            keep(nil)
        }
        choice = chosen
        raiseEpoch()
        let epoch = epoch
        afterLogout = nil
        tell("tracking of providerSelection")
        // Nothing has to be asked for, and nobody has to sign in.
        if chosen.isTemporary { return enter(mvpd) }
        if !unconfirmed.isEmpty, try retryLogouts().contains(mvpd) { throw isCancelled ? .cancelled : .broker }
        return try start(mvpd, at: origin(of: mvpd, with: chosen), epoch: epoch)
    }

    private mutating func start(_ mvpd: String, at place: Int, epoch: Int) throws(Failure) -> String {
        let (time, isKnown) = (now, knows(mvpd, at: place))
        let answer: BrokerModel.Code?
        do throws(Failure) {
            answer = try askPlainly("sessions", at: place) { isKnown ? $0.code(for: mvpd, at: time) : nil }
        } catch {
            if isTelevision, error == .broker { tell("status REG500 (Error)") }
            throw error
        }
        guard isKnown else {
            if self.epoch == epoch { choice = nil }
            throw .unknownProvider
        }
        try check(epoch)
        guard let answer else {
            if mvpd == WalkStep.trial { choice?.isTemporary = true }
            return enter(mvpd)
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

    /// Takes the user for signed in: by the broker's word, or because it is temporary access.
    private mutating func enter(_ mvpd: String) -> String {
        if signIn?.mvpd != mvpd { keep(Profile(mvpd: mvpd)) }
        others[mvpd] = nil
        (isAsked, lastSignIn) = (true, mvpd)
        return succeed()
    }

    /// Tells that the user is signed in, and carries on what waited for it.
    mutating func succeed(endingWatch endsWatch: Bool = true) -> String {
        let answer = signInText
        if endsWatch { endWatch(answer) }
        tellSignIn()
        carryOn()
        return answer
    }

    // MARK: Ending

    mutating func cancel() -> String {
        afterLogout = nil
        endWatch(Failure.superseded.rawValue)
        if hasRequestor {
            look()
            raiseEpoch()
            if signIn?.mvpd != provider { choice = nil }
        }
        tell("not authenticated", "status N005 (Info)")
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
        guard let watch, watch.nextLook <= now else { return }
        if isErased { return look() }
        guard let code else { return }
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
    /// - Parameters:
    ///   - code: The code.
    ///   - tellsFailure: Whether it is told that the broker could not be asked.
    /// - Returns: The sign-in, which was told; `nil` if there is none.
    /// - Throws: The failure that ends the wait.
    mutating func poll(_ code: BrokerModel.Code, tellingFailure tellsFailure: Bool = false) throws(Failure) -> String? {
        let (time, epoch) = (now, epoch)
        var isAnswered = true
        let found: BrokerModel.Profile??
        do throws(Failure) {
            found = try ask("profiles/code", at: origin(of: nil, with: choice)) {
                $0.profile(ofCode: code.number, at: time)
            }
        } catch .broker {
            found = .some(nil)
            isAnswered = false
        }
        guard let found else { throw .codeEnded }
        try check(epoch)
        guard let found else {
            watch?.nextQuestion = now + 5000
            if tellsFailure, !isAnswered {
                leavesStatusesOpen = true
                tell("not authenticated", "tracking of authentication")
            }
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
        if let next = afterLogout { return try goOn(next) }
        look()
        guard let code else { return signIn == nil ? "nothing" : signInText }
        if watch == nil { beginWatch(asking: false) }
        watch?.asks = true
        watch?.nextQuestion = now + 5000
        do throws(Failure) {
            guard now < code.until else { throw .codeEnded }
            return try poll(code, tellingFailure: true) ?? "waiting"
        } catch .cancelled {
            throw .cancelled
        } catch {
            fail(error)
            throw error
        }
    }

    /// The browser comes back from a logout page.
    private mutating func goOn(_ next: AfterLogout) throws(Failure) -> String {
        switch next {
        case .visits(let count) where count > 1:
            afterLogout = .visits(count - 1)
            tell("the browser opens an address")
            return "go on: logout page"
        case .visits:
            afterLogout = nil
            look()
            tell(signIn == nil ? "not authenticated" : "authenticated")
        case .signIn:
            afterLogout = nil
            return try reporting { model throws(Failure) in
                model.look()
                return "go on: \(try model.beginSignIn())"
            }
        }
        return "signed out"
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
            look()
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
