#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// How often those that do not poll look at the record.
    private static let recordInterval = Duration.seconds(1)
    /// The broker wants at least this between two questions.
    private static let shortestInterval = Duration.seconds(3)

    private var interval: Duration { max(application.pollInterval, Self.shortestInterval) }

    /// Looks whether the user has signed in: in the record, and at the broker if it is this session's turn to ask.
    ///
    /// - Parameter number: The wait.
    /// - Returns: After which time to look again; `nil` if the wait has ended.
    func lookForSignIn(_ number: UInt64) async -> Duration? {
        guard let watch, watch.number == number else { return nil }
        // While this waits, another request may begin to wait, for another sign-in: a failure is none of its business.
        let request = pending
        let left = watch.pending.until.since(application.time.now).duration
        guard left > .zero else {
            await endAtLast(number, ending: request)
            return nil
        }
        do throws(EntitlementFlowError) {
            if watch.asks, application.time.uptime >= watch.nextQuestion {
                switch try await takeLease(for: watch, askingEvery: interval) {
                case .mine: return try await ask(number, priority: .polling)?.pause
                case .others(let end): yield(until: end, in: number)
                case .over: break
                }
            }
            if try await readRecord(number) { return nil }
        } catch .store {
            // The store may answer again; the wait ends with the code at the latest.
        } catch {
            await fail(number, with: error, ending: request)
            return nil
        }
        guard self.watch?.number == number else { return nil }
        return min(Self.recordInterval, left)
    }

    /// Asks the broker whether the user has signed in.
    ///
    /// - Parameters:
    ///   - number: The wait.
    ///   - priority: `.foreground` if the browser has just come back.
    /// - Returns: After which time to ask again, and why the broker could not be asked now, if it could not; `nil` if the
    ///   wait has ended.
    /// - Throws: What ends the wait; `.store` and `.cancelled`, which need not.
    func ask(
        _ number: UInt64,
        priority: RequestPriority
    ) async throws(EntitlementFlowError) -> (pause: Duration, failure: BrokerError?)? {
        guard let watch, watch.number == number else { return nil }
        let record = try await record(requestor: watch.requestor)
        guard self.watch?.number == number else { return nil }
        let caller = caller(mvpd: nil, in: record)
        let asked = question(to: caller.broker.environment.api, inEpoch: watch.pending.epoch)
        var wait = interval
        var (profile, failure) = (Profile?.none, BrokerError?.none)
        do throws(BrokerError) {
            let found = try await caller.profile(
                code: watch.pending.code, requestor: watch.requestor, priority: priority
            ).profiles
            // On another screen, the user may have signed in with another provider than was chosen here.
            profile = found.first { $0.mvpd == record.provider?.id } ?? Self.best(of: found, at: asked.at)
        } catch .refused(let error, let status) where status < 500 && error.saysThatCodeHasEnded {
            throw .codeEnded
        } catch {
            guard error.isDisturbance else { throw EntitlementFlowError(error) }
            // The next question comes in turn.
            failure = error
            wait = max(wait, error.pause ?? .zero)
        }
        // By its number: the record of a device that was erased meanwhile counts its epochs anew.
        guard self.watch?.number == number else { return nil }
        if let profile, try await finish(watch, with: profile, asked) { return nil }
        guard self.watch?.number == number else { return nil }
        let left = watch.pending.until.since(application.time.now).duration
        // However long a proxy wants no more questions: one just before the code's end finds who has signed in meanwhile.
        wait = min(wait, max(interval, left - interval))
        self.watch?.nextQuestion = application.time.uptime + wait
        return (min(wait > interval ? Self.recordInterval : wait, left), failure)
    }

    /// Ends a wait whose code has ended: with the sign-in that another session has found at the last moment, else as failed.
    private func endAtLast(_ number: UInt64, ending request: PendingAuthorization?) async {
        var failure = EntitlementFlowError.codeEnded
        do throws(EntitlementFlowError) {
            if try await readRecord(number) { return }
        } catch .superseded {
            failure = .superseded
        } catch {}
        await fail(number, with: failure, ending: request)
    }

    /// Ends a wait with a failure, and tells it.
    ///
    /// - Parameters:
    ///   - number: The wait.
    ///   - error: The failure.
    ///   - request: The authorization that waited when the question was put.
    func fail(
        _ number: UInt64,
        with error: EntitlementFlowError,
        ending request: PendingAuthorization?
    ) async {
        guard let watch, watch.number == number else { return }
        endWatch(with: .failure(error))
        if error != .superseded, error != .cancelled { try? await forget(watch, codeHasEnded: error == .codeEnded) }
        tellFailure(of: error, ending: request)
    }

    /// Keeps the profile in the record, and ends the wait.
    ///
    /// - Returns: Whether it has ended; not if the profile is older than a logout.
    private func finish(
        _ watch: SignInWatch,
        with profile: Profile,
        _ asked: Asked
    ) async throws(EntitlementFlowError) -> Bool {
        let record = try await adopt(ProfileHint(profile), asked, requestor: watch.requestor) {
            $0.drop(watch.pending)
        }
        guard let signIn = record.signIn(at: application.time.now), signIn.mvpd == profile.mvpd else { return false }
        try? await application.broker.records.forget(watch.pending.code)
        await succeed(watch, with: SignIn(mvpd: signIn.mvpd, until: signIn.until, because: profile.reason))
        return true
    }

    /// Ends a wait with its success, tells it, and carries on what waited for it, in turn with other commands.
    private func succeed(_ watch: SignInWatch, with signIn: SignIn) async {
        guard self.watch?.number == watch.number else { return }
        self.watch = nil
        watch.verdict.end(with: .success(signIn))
        tell(telling.signedIn(signIn))
        // Until its turn has come, another request may wait, for another sign-in.
        guard let request = pending else { return }
        try? await command { () throws(EntitlementFlowError) in await carryOn(request, requestor: watch.requestor) }
    }

    /// Reads the record if another session has changed it.
    ///
    /// - Returns: Whether the wait has ended.
    private func readRecord(_ number: UInt64) async throws(EntitlementFlowError) -> Bool {
        let version: Int64?
        do throws(DeviceRecordsError) {
            version = try await application.broker.records.version(of: device.key)
        } catch {
            throw .store(error)
        }
        guard let watch, watch.number == number else { return true }
        guard version != watch.version else { return false }
        let record = try await record(requestor: watch.requestor)
        guard self.watch?.number == number else { return true }
        self.watch?.version = version
        heed(record.lease, in: number)
        guard record.pendingCode != watch.pending else { return false }
        guard record.epoch == watch.pending.epoch else { throw .superseded }
        // A user who was signed in before the code was made does not count as its success.
        guard let signIn = record.signIn(at: application.time.now), record.lastSignIn == signIn.mvpd else {
            throw .codeEnded
        }
        profileGeneration += 1
        await succeed(watch, with: signIn)
        return true
    }

    /// Notes that a sign-in has failed, and forgets its code if that has ended.
    private func forget(_ watch: SignInWatch, codeHasEnded: Bool) async throws(EntitlementFlowError) {
        if codeHasEnded { try? await application.broker.records.forget(watch.pending.code) }
        try await change(requestor: watch.requestor) { record in
            // Another session may have found that the user is signed in.
            guard record.epoch == watch.pending.epoch, record.pendingCode == watch.pending else { return }
            record.noteFailedSignIn()
            if codeHasEnded { record.drop(watch.pending) }
        }
    }
}

extension BrokerError {
    /// Whether a later question may be answered, so that the failure ends no wait.
    fileprivate var isDisturbance: Bool {
        switch self {
        case .throttled, .unavailable, .pollSkipped, .transport, .unreadable: true
        case .refused(_, let status): status >= 500
        default: false
        }
    }

    /// How long the broker wants to be left alone; `nil` if it does not say.
    fileprivate var pause: Duration? {
        switch self {
        case .throttled(let retryAfter), .unavailable(_, let retryAfter): retryAfter
        default: nil
        }
    }
}
#endif
