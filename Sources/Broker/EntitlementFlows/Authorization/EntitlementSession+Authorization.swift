#if Client
public import BrokerClient
import DeviceRecords
public import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Asks whether the user may watch a resource now, if the user is signed in.
    ///
    /// Ask right before each playback. A permit is good for one; nothing is stored. With
    /// ``EntitlementApplication/verification`` its token is verified, for this requestor, resource and provider, and used
    /// up; without, it is text.
    ///
    /// A denial is the answer for ten seconds, without a call of the broker, unless it says to try again: to ask sooner
    /// would fail the operator's checklist. It ends with the sign-in.
    ///
    /// It tells, in this order: ``SessionEvent/authenticationStatus(_:)``, ``SessionEvent/permitted(_:)`` or
    /// ``SessionEvent/tokenRequestFailed(_:)``, a status if the operator's library had one (`N000`, `Z100`, `Z010` and so
    /// on), and ``SessionEvent/tracking(_:)``.
    ///
    /// If the broker says that the user is not signed in anymore, the record says so from then on. Nothing is tried again
    /// except what the broker says to try again, and no denial signs the user out at the provider.
    ///
    /// - Parameter resource: The resource: a short name, or a channel in MRSS.
    /// - Returns: The decision; never ``AuthorizationOutcome/needsAuthentication(_:pending:)``.
    /// - Throws: `EntitlementFlowError`: `.notAuthenticated`, without a call of the broker, if the user is not signed in as
    ///   far as is known; `.token` and `.redemption` if the token may not be played; `.superseded` if the user was signed
    ///   out or began another sign-in meanwhile.
    public func checkAuthorization(_ resource: ResourceID) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        try await answering(resource) { call in
            let decided = await decide(resource, call)
            tell(telling(call.context).signIn(by: decided), call.context)
            return answer(with: decided, call)
        }
    }

    /// Asks whether the user may watch a resource now, and lets the user sign in first if need be.
    ///
    /// If the user is signed in, it is the same as ``checkAuthorization(_:)``, without the authentication's status. If not,
    /// or not anymore by the broker's word, a sign-in begins, and the answer holds its first step and the request that
    /// waits for it. One request waits in a session; a newer one takes its place. When the sign-in succeeds, the decision
    /// follows by itself, as the outcome of that request and as event. A sign-in that is cancelled ends the request.
    ///
    /// - Parameter resource: The resource: a short name, or a channel in MRSS.
    /// - Returns: The decision, or the first step of the sign-in.
    /// - Throws: `EntitlementFlowError`, as ``checkAuthorization(_:)`` and `getAuthentication` do.
    public func getAuthorization(_ resource: ResourceID) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        try await answering(resource) { call in
            let decided = await decide(resource, call)
            guard decided.asksForSignIn else { return answer(with: decided, call) }
            return await authorizationAfterSignIn(of: resource, call)
        }
    }

    /// Begins a sign-in, after which a request for authorization goes on.
    private func authorizationAfterSignIn(
        of resource: ResourceID,
        _ call: SessionCall
    ) async -> Result<AuthorizationOutcome, EntitlementFlowError> {
        let request = PendingAuthorization(of: resource, in: call.context)
        end(state.wait(for: request), call.context)
        do throws(EntitlementFlowError) {
            let step = try await beginSignIn(call)
            guard case .authenticated = step else { return .success(.needsAuthentication(step, pending: request)) }
            await carryOn(request, call)
            return .success(try await request.outcome())
        } catch {
            if state.pending === request { tellFailure(of: error, ending: request, call.context) }
            // One that was given up tells nothing, and ends nothing by itself.
            end(state.end(request, with: error), call.context)
            return .failure(error)
        }
    }

    /// Decides about an authorization that waits for a sign-in, if it is still the one that waits: for the client that asked for
    /// it, whatever has found the sign-in.
    ///
    /// It belongs to the command, or to the wait, that saw the sign-in succeed, and comes after its events.
    func carryOn(_ request: PendingAuthorization?, _ call: SessionCall) async {
        guard let request = state.takePending(request) else { return }
        var asked = SessionCall(for: call.requestor, in: request.context)
        // The partner may have signed the user in meanwhile.
        asked.context.options.partnerStatus = call.context.options.partnerStatus
        let decided = await decide(request.resource, asked)
        request.end(with: answer(with: decided, asked))
    }

    /// Runs a request for authorization in its turn; one that gets no turn is told as a failure.
    private func answering(
        _ resource: ResourceID,
        _ body: (SessionCall) async -> Result<AuthorizationOutcome, EntitlementFlowError>
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        let context = newContext()
        let answer: Result<AuthorizationOutcome, EntitlementFlowError>
        do throws(EntitlementFlowError) {
            answer = try await requestorCommand(in: context) { call throws(EntitlementFlowError) in await body(call) }
        } catch {
            tell(telling(context).decided(.failed(resource, error, nil)), context)
            throw error
        }
        return try answer.get()
    }

    /// Tells what was decided, and gives it as the answer.
    private func answer(
        with decided: Decided,
        _ call: SessionCall
    ) -> Result<AuthorizationOutcome, EntitlementFlowError> {
        tell(telling(call.context).decided(decided), call.context)
        return decided.answer
    }

    /// Refused: data has no place in requests for authorization; the identity for promotional temporary access is
    /// handed to `getAuthentication`.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func checkAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }

    /// Refused, as ``checkAuthorization(_:data:)``.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func getAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }
}

// MARK: Deciding

extension EntitlementSession {
    /// Asks the broker whether the user may watch a resource, with one call, and verifies the token; nothing is told.
    ///
    /// Nothing is written as long as the record knew that the user is signed in, and that holds. It fails as `.superseded`,
    /// too, if the user was signed out or began another sign-in meanwhile.
    private func decide(_ resource: ResourceID, _ call: SessionCall) async -> Decided {
        var signIn: SignIn?
        do throws(EntitlementFlowError) {
            guard let current = try await currentSignIn(call) else { return .notSignedIn(resource) }
            signIn = current.signIn
            if let denied = state.permits.denial(
                of: resource, by: .authorize, with: permitMark(of: current, call), at: application.time.uptime)
            {
                return .denied(AuthorizationDenial(of: resource, mvpd: current.mvpd, by: denied), current.signIn)
            }
            let (caller, asked) = access.question(about: current.mvpd, in: current.record, call)
            let decision = try await application.decision(
                on: resource, mvpd: current.mvpd, requestor: call.requestor, isTemporary: current.isTemporary,
                by: caller)
            guard let decision, decision.isAuthorized else {
                let decisions = [decision].compactMap(\.self)
                let evidence = SignInEvidence(of: decisions)
                try await keep(evidence, of: current, asked, call)
                if evidence != .signedOut {
                    state.rememberDenials(
                        of: [resource], by: .authorize, with: decisions, permitMark(of: current, call),
                        at: application.time.uptime)
                }
                return .denied(AuthorizationDenial(of: resource, mvpd: current.mvpd, by: decision), current.signIn)
            }
            // The token is used up before anything is given for it.
            let playback = try await application.playback(
                by: decision, of: resource, mvpd: current.mvpd, requestor: call.requestor, askedAt: asked.at)
            try await keep(.signedIn, of: current, asked, call)
            state.permitCame()
            if let end = decision.notAfter {
                access.note(DecisionTime(on: resource, mvpd: current.mvpd, decided: asked.at, notAfter: end), call)
            }
            return .permitted(playback, current.signIn)
        } catch {
            return .failed(resource, error, signIn)
        }
    }

    /// Finds the sign-in for which the broker is asked; `nil` if no user is signed in.
    ///
    /// If the broker was never asked for the device, a provider that is known is asked for the decision itself, which
    /// tells whether the user is signed in; else the profiles are asked for. Throws `.broker`, `.store`, `.superseded`,
    /// `.cancelled`.
    func currentSignIn(_ call: SessionCall) async throws(EntitlementFlowError) -> CurrentSignIn? {
        let record = try await record(call)
        switch record.status(at: application.time.now) {
        case .authenticated(let signIn): return CurrentSignIn(signIn: signIn, record: record)
        case .notAuthenticated: return nil
        case .unknown: break
        }
        if let id = record.provider?.id {
            return CurrentSignIn(signIn: SignIn(mvpd: id, isTemporary: record.isTemporary(id)), record: record)
        }
        let answer = try await refreshProfile(call)
        return answer.signIn.map { CurrentSignIn(signIn: $0, record: answer.record) }
    }

    /// Keeps in the record what an answer says about the sign-in, if the record did not know it.
    ///
    /// Throws `.superseded` if the user was signed out or began another sign-in since the record was read, or if it was
    /// erased.
    func keep(
        _ evidence: SignInEvidence,
        of current: CurrentSignIn,
        _ asked: QuestionSubject,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) {
        switch evidence {
        case .signedOut:
            state.signedOutByDecision()
            try await keep(nil, asked, call) { $0.noteFailedSignIn() }
        case .signedIn where !current.isKnown:
            try await keep(ProfileHint(ofUnknownEnd: current.mvpd), asked, call)
        case .signedIn, .unclear:
            try await checkStillCounts(asked, call)
        }
    }
}

extension EntitlementApplication {
    /// Asks whether a user may watch a resource now, as a caller of an application that signs its users in by itself.
    ///
    /// For a server to which an application lends its access token: `Broker.caller(borrowing:_:from:)`. No session and no
    /// record takes part, nothing is told, and nothing is asked for twice, since access may be temporary. With
    /// ``verification``, the token is verified for this requestor, resource and provider, and used up.
    ///
    /// - Parameters:
    ///   - resource: The resource: a short name, or a channel in MRSS.
    ///   - mvpd: The provider of the user, as the application says it; the broker knows whether that is true.
    ///   - requestor: The brand.
    ///   - caller: Who asks.
    /// - Returns: The decision; never ``AuthorizationOutcome/needsAuthentication(_:pending:)``. A user who is not signed in
    ///   is a denial.
    /// - Throws: `EntitlementFlowError`: `.broker`; `.token` and `.redemption` if the token may not be played.
    public func checkAuthorization(
        _ resource: ResourceID,
        mvpd: MVPDID,
        requestor: RequestorID,
        by caller: Caller
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        let start = time.now
        let decision = try await decision(
            on: resource, mvpd: mvpd, requestor: requestor, isTemporary: true, by: caller)
        guard let decision, decision.isAuthorized else {
            return .denied(AuthorizationDenial(of: resource, mvpd: mvpd, by: decision))
        }
        return .permitted(
            try await playback(by: decision, of: resource, mvpd: mvpd, requestor: requestor, askedAt: start))
    }

    fileprivate func decision(
        on resource: ResourceID,
        mvpd: MVPDID,
        requestor: RequestorID,
        isTemporary: Bool,
        by caller: Caller
    ) async throws(EntitlementFlowError) -> Decision? {
        do throws(BrokerError) {
            return try await caller.authorize(
                [resource], mvpd: mvpd, requestor: requestor, isTemporary: isTemporary)[resource]
        } catch {
            shared.notePromotional(mvpd, by: error, identity: caller.temporaryIdentity)
            throw EntitlementFlowError(error)
        }
    }

    /// The right to start a playback by a permit, whose token is verified and used up.
    ///
    /// Throws `.token` and `.redemption`.
    fileprivate func playback(
        by decision: Decision,
        of resource: ResourceID,
        mvpd: MVPDID,
        requestor: RequestorID,
        askedAt instant: Timestamp
    ) async throws(EntitlementFlowError) -> AuthorizedPlayback {
        guard let text = decision.token else { throw .token(.noToken) }
        var token = PlaybackToken.unverified(text)
        if let verification {
            token = .verified(
                try await verification.check(text, of: resource, mvpd: mvpd, requestor: requestor, at: time.now), text)
        }
        let isCached = decision.notBefore.map { $0 + .seconds(1) < instant } ?? false
        return AuthorizedPlayback(
            of: resource, mvpd: mvpd, source: decision.source, until: decision.notAfter, token: token,
            isCached: isCached)
    }
}
#endif
