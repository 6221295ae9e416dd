#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// How long a status of the partner's framework counts that has no end of its own: one without a provider.
    private static let statusLifetime = TimeToLive.hours(1)

    /// Takes what the device's sign-on partner answered.
    ///
    /// - Parameters:
    ///   - reply: The answer.
    ///   - wasSilent: Whether the question was put silently; `nil` if this session put it, and so knows.
    /// - Returns: What comes next; `nil` if the user closed the partner's picker, or if the question was put silently and
    ///   nothing comes of it.
    /// - Throws: `.unsupported(.malformedResponse)` if the partner's answer is neither XML nor Base64, `.requestorNotSet`,
    ///   `.noOrigin`, `.broker`, `.store`, `.superseded` if the sign-in was cancelled meanwhile, `.cancelled`.
    @discardableResult
    public func partnerReplied(
        _ reply: PartnerReply,
        toSilentQuestion wasSilent: Bool? = nil
    ) async throws(EntitlementFlowError) -> AuthenticationStep? {
        try await command { context throws(EntitlementFlowError) in
            let call = try call(in: context)
            let hasAskedSilently = state.takeSilentQuestion()
            if wasSilent ?? hasAskedSilently { return try await takeSilently(reply, call) }
            return try await reporting(context) { () throws(EntitlementFlowError) in try await take(reply, call) }
        }
    }

    /// The partner's step of a sign-in; `nil` if the user signs in at the provider.
    ///
    /// The partner's picker is for those who permit access to the device's account, and for those who were not asked for
    /// that yet: showing it is how the framework asks.
    func partnerStep(
        _ call: SessionCall,
        filter: ProviderFilter?,
        _ record: RequestorRecord
    ) async throws(EntitlementFlowError) -> AuthenticationStep? {
        let status = call.partnerStatus(in: record, at: application.time.now)
        // Who was not asked for permission yet is asked by the framework itself, as it shows its picker.
        let isUndetermined = status?.permission.accessStatus == .notDetermined
        guard isUndetermined || (status.map { $0.permission.accessStatus == .granted } ?? call.context.hasPartner)
        else {
            if let status { tell(telling(call.context).partnerRefused(in: status), call.context) }
            return nil
        }
        let isKnown = !isUndetermined && status?.namesProvider(at: application.time.now) == true
        if isKnown, filter == nil { return try await startPartnerSession(call, record) }
        let list = try await access.providers(call)
        let pick = list.partnerPick(filteredBy: filter)
        guard !pick.supported.isEmpty else {
            if isUndetermined, let status { tell(telling(call.context).partnerRefused(in: status), call.context) }
            return nil
        }
        if isKnown, let id = status?.provider.mappingID, pick.supported.contains(id) {
            return try await startPartnerSession(call, record)
        }
        guard try await self.record(call).epoch == record.epoch else { throw .superseded }
        tell([.askPartner(.pick(pick))], call.context)
        return .askPartner(.pick(pick))
    }

    /// The question that signs in the subscriber of the device's own account; `nil` if there is none to put.
    ///
    /// No sign-in is told, and a failure of the broker only means that the user is asked later.
    func silentQuestion(_ call: SessionCall) async throws(EntitlementFlowError) -> PartnerQuestion? {
        let record = try await record(call)
        let now = application.time.now
        guard record.isIdle(at: now), let status = call.partnerStatus(in: record, at: now),
            status.permission.accessStatus == .granted, status.namesProvider(at: now)
        else { return nil }
        let (caller, asked) = access.question(about: nil, in: record, call)
        do throws(EntitlementFlowError) {
            let session = try await partnerSession(call, by: caller)
            if session.actionName == .authorize, let mvpd = session.mvpd {
                // Meanwhile another process may have begun a sign-in, or found one.
                let adopted = try await keep(
                    of: mvpd, asked, call,
                    deciding: { record in
                        guard record.isIdle(at: now) else { return false }
                        return record.adopt(ProfileHint(ofUnknownEnd: mvpd), askedAt: asked.at)
                    })
                if let signIn = adopted.signIn(at: now) {
                    await succeed(with: signIn, call, telling: false)
                }
                return nil
            }
            guard session.actionName == .partnerProfile, let request = session.authenticationRequest else { return nil }
            let newer = try await self.record(call)
            guard newer.epoch == record.epoch, newer.isIdle(at: now) else { return nil }
            state.partnerIsAskedSilently()
            return .confirm(PartnerConfirmation(request, allowingInterruption: false))
        } catch .broker {
            return nil
        }
    }

    /// Keeps what the partner's framework said in the device's record, until it ends.
    func keep(_ status: PartnerFrameworkStatus, _ call: SessionCall) async throws(EntitlementFlowError) {
        let now = application.time.now
        let hint = PartnerStatusHint(
            status, said: now, until: status.provider.expires ?? now + Self.statusLifetime)
        try await change(call) { record in
            let isKnown = record.partner?.status == status && record.partner?.until == hint.until
            if !isKnown { record.adopt(hint) }
        }
    }

    // MARK: Replies

    private func take(
        _ reply: PartnerReply,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> AuthenticationStep? {
        let record = try await record(call)
        let subject = access.subject(inEpoch: record.epoch)
        switch reply {
        case .status(let status):
            try await keep(status, call)
            let isGranted = status.permission.accessStatus == .granted
            guard isGranted, status.namesProvider(at: application.time.now) else {
                tell(
                    isGranted
                        ? [.status(SessionStatus(.partnerRequestFailed))]
                        : telling(call.context).partnerRefused(in: status), call.context)
                return try await picker(call, epoch: record.epoch)
            }
            let newer = try await self.record(call)
            guard newer.epoch == record.epoch else { throw .superseded }
            return try await startPartnerSession(call, newer)
        case .answer(let status, let response):
            try await keep(status, call)
            guard let signIn = try await createProfile(of: response, about: subject, call) else {
                tell([.status(SessionStatus(.partnerFailed))], call.context)
                return try await picker(call, epoch: record.epoch)
            }
            await succeed(with: signIn, call)
            return .authenticated(signIn)
        case .unsupported(let mappingID):
            tell([.status(SessionStatus(.providerNotSupported))], call.context)
            let list = try await access.providers(call)
            guard let mvpd = list.mvpds.first(where: { $0.platformMappingID == mappingID }) else {
                return try await picker(call, epoch: record.epoch)
            }
            return try await select(mvpd.id, call, inEpoch: record.epoch)
        case .otherProvider:
            tell([.status(SessionStatus(.otherProviderChosen))], call.context)
            return try await picker(call, epoch: record.epoch)
        case .cancelled:
            tell(telling(call.context).partnerPickerClosed(), call.context)
            end(state.end(state.pending, with: .superseded), call.context)
            return nil
        }
    }

    /// Takes a reply to a question that was put without an event: only a profile counts.
    private func takeSilently(
        _ reply: PartnerReply,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> AuthenticationStep? {
        switch reply {
        case .status(let status):
            try await keep(status, call)
            return nil
        case .answer(let status, let response):
            let record = try await record(call)
            let subject = access.subject(inEpoch: record.epoch)
            try await keep(status, call)
            guard let signIn = try await createProfile(of: response, about: subject, call) else {
                return nil
            }
            await succeed(with: signIn, call, telling: false)
            return .authenticated(signIn)
        case .unsupported, .otherProvider, .cancelled: return nil
        }
    }

    // MARK: Calls

    private func startPartnerSession(
        _ call: SessionCall,
        _ record: RequestorRecord
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let (caller, asked) = access.question(about: nil, in: record, call)
        let session: SessionResponse
        do throws(EntitlementFlowError) {
            session = try await partnerSession(call, by: caller)
        } catch .broker(.refused) {
            tell([.status(SessionStatus(.partnerFailed))], call.context)
            return try await picker(call, epoch: record.epoch)
        }
        guard try await self.record(call).epoch == record.epoch else { throw .superseded }
        switch session.actionName {
        case .partnerProfile:
            guard let request = session.authenticationRequest else {
                throw .unknownStep("partner_profile without a request")
            }
            let question = PartnerQuestion.confirm(PartnerConfirmation(request))
            tell([.askPartner(question)], call.context)
            return .askPartner(question)
        case .resume:
            // The broker does not know the partner's provider: its session has none.
            return try await picker(call, epoch: record.epoch)
        default:
            let origin = access.origin(mvpd: session.mvpd, in: record)
            let chosen = session.mvpd.map { access.provider(mvpd: $0, call, recordedAs: record.provider) }
            end(state.signInBegins(byPartner: true), call.context)
            let epoch = try await change(call, keeping: asked) { record in
                if let chosen { record.provider = chosen }
                return record.raiseEpoch()
            }
            return try await goOn(
                after: session, asked.followed(by: epoch), call, at: application.broker(at: origin))
        }
    }

    private func partnerSession(
        _ call: SessionCall,
        by caller: Caller
    ) async throws(EntitlementFlowError) -> SessionResponse {
        let request = PartnerSessionRequest(domain: application.domain, redirect: redirect(call.context))
        return try await rethrowing(
            awaiting: await caller.startPartnerSession(request, requestor: call.requestor),
            as: EntitlementFlowError.init(_:))
    }

    /// Makes a profile of the partner's answer; `nil` if the broker refuses the answer.
    private func createProfile(
        of response: PartnerResponse,
        about subject: QuestionSubject,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> SignIn? {
        let request = try response.request
        let record = try await record(call)
        let (caller, asked) = access.question(about: nil, in: record, of: subject, call)
        let profile: Profile?
        do throws(BrokerError) {
            let found = try await caller.createPartnerProfile(request, requestor: call.requestor).profiles
            profile = Self.best(of: found, at: asked.at)
        } catch .refused {
            return nil
        } catch {
            throw EntitlementFlowError(error)
        }
        guard let profile else { return nil }
        return try await keep(ProfileHint(profile), asked, call).signIn(at: application.time.now)
    }
}
#endif
