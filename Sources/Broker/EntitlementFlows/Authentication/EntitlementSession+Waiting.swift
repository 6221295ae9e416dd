#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Waits until the user has signed in.
    ///
    /// It sends nothing by itself. If a code is shown, the session asks the broker from the start, every
    /// ``EntitlementApplication/pollInterval``; if the browser was sent to the provider, it does so once
    /// ``handleExternalURL(_:)`` has seen it come back. If other processes serve the same device, one of them asks, and
    /// the others look at the device's record once a second.
    ///
    /// Any number of tasks may wait. A task that is cancelled stops waiting alone.
    ///
    /// - Returns: Who is signed in.
    /// - Throws: `.codeEnded`, `.superseded` if the sign-in was cancelled or another one took its place,
    ///   `.notAuthenticated` if there is nothing to wait for, `.requestorNotSet`, `.broker` for an answer that ends the
    ///   wait, `.store`, `.cancelled`.
    public func awaitAuthentication() async throws(EntitlementFlowError) -> SignIn {
        let call = try call(in: newContext())
        if state.wait == nil {
            let record = try await record(call)
            let now = application.time.now
            // Another task may have begun to wait meanwhile: they share its wait.
            if state.wait == nil {
                guard let code = record.pendingCode else {
                    guard let signIn = record.signIn(at: now) else { throw .notAuthenticated }
                    return signIn
                }
                guard code.until > now else { throw .codeEnded }
                guard beginWait(for: code, call, asking: !call.context.hasUserAgent) else { throw .superseded }
            }
        }
        guard let wait = state.joinWait() else { throw .superseded }
        defer { end(state.leaveWait(wait.number), call.context) }
        return try await wait.verdict.value()
    }

    /// Takes an address that the user's browser has come back to.
    ///
    /// The address is compared with that of the device's sign-in (``SessionOptions/redirect``), or else of the application,
    /// by scheme, host and path, and means nothing more: whether the user has signed in, the profile tells. The broker is
    /// asked at once, and from then on at intervals until the code ends, because it says nothing of a user who has
    /// cancelled at the provider.
    ///
    /// If it cannot be asked at once, however often it was tried, that is told as ``AuthenticationResult/unconfirmed(_:)``;
    /// the session goes on asking all the same, and what waits for the sign-in goes on waiting.
    ///
    /// It also ends a logout. If that has several pages, each return brings the next one (``ReturnOutcome/goOn(_:)``). The same
    /// address may be handed over again.
    ///
    /// - Parameter url: The address.
    /// - Returns: What it means.
    /// - Throws: `.requestorNotSet`, `.codeEnded`, `.broker` for an answer that ends the sign-in, `.store`, `.superseded`
    ///   if the sign-in was cancelled meanwhile, `.cancelled`.
    @discardableResult
    public func handleExternalURL(_ url: String) async throws(EntitlementFlowError) -> ReturnOutcome {
        let context = newContext()
        guard let address = ReturnAddress(url), address == ReturnAddress(redirect(context)) else {
            return .otherAddress
        }
        let call = try call(in: context)
        if let next = state.browserReturned(at: application.time.uptime) {
            return try await goOn(to: next, call)
        }
        let record = try await record(call)
        guard let code = record.pendingCode else {
            return record.signIn(at: application.time.now).map { .authenticated($0) } ?? .nothingAwaited
        }
        // While the record was read, another sign-in may have taken the place of the one in it.
        guard state.wait?.code == code || beginWait(for: code, call, asking: false), let wait = state.wait
        else { throw .superseded }
        let request = state.pending
        let moment = moment
        state.wait(wait.number) { $0.browserReturned(at: moment) }
        do throws(EntitlementFlowError) {
            guard moment.now < code.until else { throw .codeEnded }
            if let answer = try await ask(wait.number, priority: .foreground, call) {
                if let failure = answer.failure {
                    tell(telling(call.context).unconfirmed(because: EntitlementFlowError(failure)), call.context)
                }
                return .waiting
            }
        } catch .cancelled {
            // The others go on waiting.
            throw .cancelled
        } catch .store(let error) {
            throw .store(error)
        } catch {
            await fail(wait.number, with: error, ending: request, call)
            throw error
        }
        return .authenticated(try await wait.verdict.value())
    }

    // MARK: Beginning

    /// Whether the session waits for a sign-in.
    package var isWaiting: Bool { state.wait != nil }

    /// How long to wait until the broker may be asked once more for the sign-in that is waited for; `nil` if this session has
    /// not asked for it.
    package var questionPause: Duration? { state.wait?.questionPause(at: moment) }

    private var moment: Moment { Moment(now: application.time.now, uptime: application.time.uptime) }

    /// Begins to wait for a sign-in, in the place of the one before.
    ///
    /// Returns whether it is waited for now; not if a later code is waited for already, and not if another brand was set
    /// while the record was read.
    func beginWait(for code: PendingCode, _ call: SessionCall, asking asks: Bool) -> Bool {
        guard case .found(call.requestor, _) = access.requestor else { return false }
        let (time, interval) = (application.time, application.pollInterval)
        let begun = state.beginWait(for: code, of: call.requestor, asking: asks, every: interval, at: moment)
        guard let (number, ended) = begun else { return false }
        end(ended, call.context)
        // Detached: it asks for longer than the call that began it, with what the device says then.
        let task = Task.detached { [weak self] in
            while let pause = await self?.look(number) {
                do {
                    try await time.sleep(untilUptime: time.uptime + pause)
                } catch {
                    return
                }
            }
        }
        state.wait(number) { $0.run(task) }
        return true
    }

    // MARK: Looking

    /// Looks whether the user has signed in: in the record, and at the broker if it is this session's turn to ask.
    ///
    /// Returns after which time to look again; `nil` if the wait has ended.
    private func look(_ number: UInt64) async -> Duration? {
        guard let wait = state.wait(number) else { return nil }
        // While this waits, another request may begin to wait, for another sign-in: a failure is none of its business.
        let request = state.pending
        // It has what the device wants now.
        let call = SessionCall(for: wait.requestor, in: newContext())
        do throws(EntitlementFlowError) {
            switch wait.look(at: moment) {
            case .codeEnded: try await lookAtLast(number, call)
            case .question:
                if try await isMyTurn(wait, call) { return try await ask(number, priority: .polling, call)?.pause }
                try await lookAtRecord(number, call)
            case .record: try await lookAtRecord(number, call)
            }
        } catch .store {
            // The store may answer again; the wait ends with the code at the latest.
        } catch {
            await fail(number, with: error, ending: request, call)
        }
        return state.wait(number)?.pause(at: moment)
    }

    /// Looks at the record if another session has changed it, and ends the wait if that has found the sign-in.
    private func lookAtRecord(_ number: UInt64, _ call: SessionCall) async throws(EntitlementFlowError) {
        let version = try await access.version()
        guard let wait = state.wait(number), wait.isNew(version) else { return }
        let record = try await record(call)
        let (name, moment) = (name, moment)
        switch state.wait(number, { $0.saw(record, version: version, as: name, at: moment) }) {
        case .superseded?: throw .superseded
        case .codeEnded?: throw .codeEnded
        case .signedIn(let signIn)?:
            state.signInIsFound()
            await succeed(number, with: signIn, call)
        case .nothing?, nil: break
        }
    }

    /// The code has ended: only another session can have found the sign-in, at the last moment.
    private func lookAtLast(_ number: UInt64, _ call: SessionCall) async throws(EntitlementFlowError) {
        do throws(EntitlementFlowError) {
            try await lookAtRecord(number, call)
        } catch .superseded {
            throw .superseded
        } catch {}
        if state.wait(number) != nil { throw .codeEnded }
    }

    // MARK: Asking

    /// Takes the lease on polling, or keeps it; while another session has it, this one waits for its end.
    private func isMyTurn(_ wait: SignInWait, _ call: SessionCall) async throws(EntitlementFlowError) -> Bool {
        let (name, now) = (name, application.time.now)
        let turn = try await change(call) { wait.turn(in: &$0, as: name, at: now) }
        if case .others(let end) = turn {
            let moment = moment
            state.wait(wait.number) { $0.yield(until: end, at: moment) }
        }
        return turn == .mine
    }

    /// Asks the broker whether the user has signed in.
    ///
    /// Returns after which time to look again, and why the broker could not be asked now, if it could not; `nil` if the
    /// wait has ended. Throws what ends the wait; `.store` and `.cancelled`, which need not.
    private func ask(
        _ number: UInt64,
        priority: RequestPriority,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> (pause: Duration, failure: BrokerError?)? {
        guard state.wait(number) != nil else { return nil }
        let record = try await record(call)
        guard let wait = state.wait(number) else { return nil }
        let subject = access.subject(inEpoch: wait.code.epoch)
        let (caller, asked) = access.question(about: nil, in: record, of: subject, call)
        let start = moment
        state.wait(number) { $0.asks(at: start) }
        var (profile, failure) = (Profile?.none, BrokerError?.none)
        do throws(BrokerError) {
            let found = try await caller.profile(code: wait.code.code, requestor: call.requestor, priority: priority)
                .profiles
            // On another screen, the user may have signed in with another provider than was chosen here.
            profile = found.first { $0.mvpd == record.provider?.id } ?? Self.best(of: found, at: asked.at)
        } catch .refused(let error, let status) where status < 500 && error.saysThatCodeHasEnded {
            throw .codeEnded
        } catch {
            guard error.isDisturbance else { throw EntitlementFlowError(error) }
            // The next question comes in turn.
            failure = error
        }
        // By its number: the record of a device that was erased meanwhile counts its epochs anew.
        guard state.wait(number) != nil else { return nil }
        if let profile, try await finish(wait, with: profile, asked, call) { return nil }
        let (pause, moment) = (failure?.pause, moment)
        return state.wait(number) { $0.asked(retryAfter: pause, at: moment) }.map { (pause: $0, failure: failure) }
    }

    /// Keeps the profile in the record, and ends the wait.
    ///
    /// Returns whether it has ended; not if the profile is older than a logout.
    private func finish(
        _ wait: SignInWait,
        with profile: Profile,
        _ asked: QuestionSubject,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> Bool {
        let record = try await keep(ProfileHint(profile), asked, call) { $0.drop(wait.code) }
        guard let signIn = record.signIn(at: application.time.now), signIn.mvpd == profile.mvpd else { return false }
        await access.forget(wait.code)
        await succeed(wait.number, with: SignIn(mvpd: signIn.mvpd, until: signIn.until, because: profile.reason), call)
        return true
    }

    /// Ends a wait with its success, tells it, and carries on what waited for it, in turn with other commands.
    private func succeed(_ number: UInt64, with signIn: SignIn, _ call: SessionCall) async {
        // The wait and a return may both have found the sign-in: one tells it.
        guard let wait = state.endWait(number) else { return }
        wait.finish(with: signIn)
        tell(telling(call.context).signedIn(signIn), call.context)
        // Until its turn has come, another request may wait, for another sign-in.
        guard let request = state.pending else { return }
        try? await command { context throws(EntitlementFlowError) in
            await carryOn(request, SessionCall(for: wait.requestor, in: context))
        }
    }

    /// Ends a wait with a failure, and tells it; the authorization is the one that waited when the question was put.
    private func fail(
        _ number: UInt64,
        with error: EntitlementFlowError,
        ending request: PendingAuthorization?,
        _ call: SessionCall
    ) async {
        guard let wait = state.endWait(number) else { return }
        wait.stop(with: .failure(error))
        if !error.isGivenUp {
            try? await forget(wait, codeHasEnded: error == .codeEnded, call)
        }
        tellFailure(of: error, ending: request, call.context)
    }

    /// Notes that a sign-in has failed, and forgets its code if that has ended.
    private func forget(_ wait: SignInWait, codeHasEnded: Bool, _ call: SessionCall) async throws(EntitlementFlowError)
    {
        if codeHasEnded { await access.forget(wait.code) }
        try await change(call) { record in
            // Another session may have found that the user is signed in.
            guard record.epoch == wait.code.epoch, record.pendingCode == wait.code else { return }
            record.noteFailedSignIn()
            if codeHasEnded { record.drop(wait.code) }
        }
    }
}
#endif
