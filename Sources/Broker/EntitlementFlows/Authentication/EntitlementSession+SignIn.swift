#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
public import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Takes the user's choice of a provider, and begins the sign-in with it; or cancels the sign-in.
    ///
    /// Of several origins, the one that lists the provider is asked; if neither this session nor the record knows which,
    /// the lists are asked for first.
    ///
    /// A choice of another provider forgets the profile of the one before in the device's record; at the broker it stays,
    /// unless ``SessionOptions/loggingOutPrevious`` is set. A cancel waits for nothing.
    ///
    /// - Parameter mvpd: The provider; `nil` cancels.
    /// - Returns: What comes next; `nil` after a cancel.
    /// - Throws: `.unknownProvider`, without a call, if it is not in the list that was shown, or if the broker does not
    ///   know it; what `setRequestor` threw, `.requestorNotSet`, `.noOrigin`, `.broker`, `.store`, `.unknownStep`, `.superseded`
    ///   if another choice or a cancel came meanwhile, `.cancelled`.
    @discardableResult
    public func setSelectedProvider(_ mvpd: MVPDID?) async throws(EntitlementFlowError) -> AuthenticationStep? {
        guard let mvpd else {
            try await cancelSignIn()
            return nil
        }
        return try await requestorCommand(tellingFailure: true) { call throws(EntitlementFlowError) in
            state.signInIsAskedFor()
            return try await select(mvpd, call)
        }
    }

    /// Makes a code for another screen on which the provider is chosen, too.
    ///
    /// - Returns: The step that shows the code.
    /// - Throws: As ``setSelectedProvider(_:)``.
    public func requestCode() async throws(EntitlementFlowError) -> AuthenticationStep {
        try await requestorCommand(tellingFailure: true) { call throws(EntitlementFlowError) in
            let before = try await record(call)
            end(state.signInBegins(), call.context)
            let epoch = try await change(call) { record in
                record.epoch == before.epoch ? record.raiseEpoch() : nil
            }
            guard let epoch else { throw .superseded }
            let request = SessionRequest(domain: application.domain, redirect: redirect(call.context))
            return try await start(request, call, in: before, epoch: epoch, showsCode: true)
        }
    }

    /// Begins a sign-in with a provider.
    ///
    /// It runs inside of a command, and tells its step, not its failures. `begun` is the epoch in which the choice was
    /// made, if that was before this; the choice is void in another one. Throws as ``setSelectedProvider(_:)`` does.
    func select(
        _ mvpd: MVPDID,
        _ call: SessionCall,
        inEpoch begun: Int64? = nil
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let before = try await recordForChoice(mvpd: mvpd, call, inEpoch: begun)
        let chosen = access.provider(mvpd: mvpd, call, recordedAs: before.provider)
        let isTemporary = chosen.isTemporary == true
        if application.isPromotional(mvpd), before.identity == nil {
            tell(telling(call.context).failed(.identityNeeded(mvpd)), call.context)
            return .needsIdentity(mvpd)
        }
        var epoch = before.epoch
        if call.context.options.loggingOutPrevious, let old = before.profile?.mvpd, old != mvpd {
            epoch = try await signOut(mvpd: old, call, inEpoch: epoch).epoch
        }
        let (now, isPromotional) = (application.time.now, application.isPromotional(mvpd))
        end(state.signInBegins(), call.context)
        let choice = try await change(call) { [epoch] record -> (old: ProfileHint?, epoch: Int64)? in
            // Who cancelled meanwhile does not want this provider any more.
            guard record.epoch == epoch else { return nil }
            let old = record.profile
            if let old, old.mvpd != mvpd { record.leaveProfile(at: now) }
            record.provider = chosen
            if !isTemporary, !isPromotional { record.identity = nil }
            return (old, record.raiseEpoch())
        }
        guard let choice else { throw .superseded }
        state.choiceIsWritten(of: mvpd, over: choice.old)
        tell(telling(call.context).chosen(mvpd), call.context)
        if isTemporary {
            return try await enter(mvpd, because: .temporary, access.subject(inEpoch: choice.epoch), call)
        }
        let request = SessionRequest(mvpd: mvpd, domain: application.domain, redirect: redirect(call.context))
        var record = before
        record.provider = chosen
        return try await start(request, call, in: record, epoch: choice.epoch)
    }

    /// The record, once it is clear which origin answers for a provider.
    ///
    /// `begun` is the epoch in which the choice was made, if that was before this. Throws `.unknownProvider` if no list
    /// has the provider, `.noOrigin`, `.store`, `.superseded` if the sign-in was cancelled meanwhile, `.cancelled`.
    private func recordForChoice(
        mvpd: MVPDID,
        _ call: SessionCall,
        inEpoch begun: Int64?
    ) async throws(EntitlementFlowError) -> RequestorRecord {
        try refuseMissing(mvpd, call)
        let record = try await record(call)
        if let begun, record.epoch != begun { throw .superseded }
        guard access.needsLists(mvpd: mvpd, recordedAs: record.provider) else { return record }
        try await access.askForLists(mvpd: mvpd, call, recordedAs: record.provider)
        try refuseMissing(mvpd, call)
        let newer = try await self.record(call)
        guard newer.epoch == record.epoch else { throw .superseded }
        return newer
    }

    /// Refuses a provider that no list has.
    private func refuseMissing(_ mvpd: MVPDID, _ call: SessionCall) throws(EntitlementFlowError) {
        if access.isKnownToBeMissing(mvpd, call) { throw .unknownProvider(mvpd) }
    }

    /// Cancels the sign-in that is under way; it waits for nothing.
    private func cancelSignIn() async throws(EntitlementFlowError) {
        let context = newContext()
        let (ended, request) = state.cancelBegins()
        end(ended, context)
        if let call = try? call(in: context) {
            let now = application.time.now
            let code = try await change(call) { record -> PendingCode? in
                let code = record.pendingCode
                record.raiseEpoch()
                // A provider without sign-in was only being tried.
                if record.signIn(at: now)?.mvpd != record.provider?.id { record.provider = nil }
                return code
            }
            if let code { await access.forget(code) }
        }
        tell(telling(context).cancelled(), context)
        end(state.end(request, with: .superseded), context)
    }
}

// MARK: The session at the broker

extension EntitlementSession {
    /// How long a code counts if the broker does not say: what its samples show.
    private static let codeLifetime = TimeToLive.minutes(30)

    /// Starts a session at the broker, and goes on as its answer says.
    ///
    /// `request` says what is known already. `epoch` is that of this sign-in. If `showsCode` is true, a code is shown
    /// even if the device has a browser. Throws `.unknownProvider`, `.broker`, `.store`, `.unknownStep`, `.superseded`
    /// if another sign-in or a cancel came meanwhile, `.cancelled`.
    func start(
        _ request: SessionRequest,
        _ call: SessionCall,
        in record: RequestorRecord,
        epoch: Int64,
        showsCode: Bool = false
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let subject = access.subject(inEpoch: epoch)
        // For those, the broker would answer with the profile that the user has signed out of.
        let signedOut = record.logouts.isEmpty ? [] : try await retryLogouts(call)
        if let failed = signedOut.first(where: { $0.mvpd == request.mvpd }) { throw failed.error }
        let (caller, asked) = access.question(about: request.mvpd, in: record, of: subject, call)
        let session: SessionResponse
        do throws(BrokerError) {
            session = try await caller.startSession(request, requestor: call.requestor)
        } catch .refused(let error, _) where error.saysThatProviderIsUnknown && request.mvpd != nil {
            try await forgetProvider(request.mvpd, call, epoch: epoch)
            throw .unknownProvider(request.mvpd ?? "")
        } catch {
            if error != .cancelled, showsCode || !call.context.hasUserAgent {
                tell([.status(SessionStatus(.noRegistrationCode))], call.context)
            }
            throw EntitlementFlowError(error)
        }
        // For a code, the user may choose any provider.
        if session.actionName == .authorize, let failed = signedOut.first(where: { $0.mvpd == session.mvpd }) {
            throw failed.error
        }
        return try await goOn(
            after: session, asked, call, at: caller.broker, showsCode: showsCode)
    }

    /// Goes on as the broker's answer to a new session says.
    func goOn(
        after session: SessionResponse,
        _ asked: QuestionSubject,
        _ call: SessionCall,
        at broker: Broker,
        showsCode: Bool = false
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        switch session.actionName {
        case .authorize:
            guard let mvpd = session.mvpd else { throw .unknownStep("authorize without a provider") }
            return try await enter(mvpd, because: session.reason, asked, call)
        case .authenticate, .resume, .retry: break
        default: throw .unknownStep(session.actionName.rawValue)
        }
        guard let code = session.code else {
            if showsCode || !call.context.hasUserAgent {
                tell([.status(SessionStatus(.noRegistrationCode))], call.context)
            }
            throw .unknownStep("\(session.actionName.rawValue) without a code")
        }
        let url = try rethrowing(broker.address(of: session), as: EntitlementFlowError.broker)
        let pending = PendingCode(
            code, until: session.notAfter ?? application.time.now + Self.codeLifetime, epoch: asked.epoch)
        guard !showsCode, call.context.hasUserAgent, let url else {
            return try await show(pending, asked, at: url, missing: session.missingParameters, call)
        }
        try await keep(pending, asked, call)
        let visit = UserAgentVisit(
            to: url, for: .login, code: code, until: pending.until,
            usesSystemBrowser: application.usesSystemBrowser(mvpd: session.mvpd))
        tell([.openUserAgent(visit)], call.context)
        return .openUserAgent(visit)
    }

    /// Takes the user for signed in by the broker's word, which says neither the end nor attributes; or, without a call,
    /// because the provider is known to stand for temporary access.
    func enter(
        _ mvpd: MVPDID,
        because reason: SessionReason,
        _ asked: QuestionSubject,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let now = application.time.now
        let record = try await keep(
            of: mvpd, asked, call,
            deciding: { record in
                let known = record.signIn(at: now)?.mvpd == mvpd ? record.profile : nil
                return record.adopt(known ?? ProfileHint(ofUnknownEnd: mvpd), askedAt: asked.at)
            }
        ) { record in
            // Without the providers' list only this answer tells; the next one may come to another process.
            if reason == .temporary, record.provider?.id == mvpd { record.provider = record.provider?.asTemporary }
        }
        // A later answer, or one about a logout, counts for more.
        guard record.signIn(at: now)?.mvpd == mvpd else { throw .superseded }
        let signIn = SignIn(mvpd: mvpd, until: record.profile?.notAfter, because: reason)
        await succeed(with: signIn, call)
        return .authenticated(signIn)
    }

    /// Keeps a code in the device's record.
    private func keep(
        _ pending: PendingCode,
        _ asked: QuestionSubject,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) {
        let isKept = try await change(call, keeping: asked) { $0.adopt(pending) }
        guard isKept else { throw .superseded }
    }

    /// Shows a code, and asks from now on whether the user has signed in with it.
    ///
    /// Its place, where the second screen looks for the device, is written first: what comes between it and the record, such as
    /// a cancel, is seen when the record is changed, and the code is not shown.
    private func show(
        _ pending: PendingCode,
        _ asked: QuestionSubject,
        at url: String?,
        missing: [MissingParameter],
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        try await access.put(pending)
        do throws(EntitlementFlowError) {
            try await keep(pending, asked, call)
        } catch {
            await access.forget(pending)
            throw error
        }
        let code = ActivationCode(pending.code, until: pending.until, url: url, missing: missing)
        guard beginWait(for: pending, call, asking: true) else { throw .superseded }
        tell([.showCode(code)], call.context)
        return .showCode(code)
    }
}

extension ChosenProvider {
    /// The same provider, known to stand for temporary access.
    fileprivate var asTemporary: ChosenProvider {
        ChosenProvider(
            id: id, displayName: displayName, logoURL: logoURL, enablesPlatformServices: enablesPlatformServices,
            boardingStatus: boardingStatus, isTemporary: true, origin: origin)
    }
}
#endif
