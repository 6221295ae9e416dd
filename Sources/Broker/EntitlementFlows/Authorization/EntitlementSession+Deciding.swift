#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues
import MediaTokens
import ServiceResponses

/// Who is asked for decisions: the provider of a sign-in, with what the device's record held before.
struct Decider: Sendable {
    let signIn: SignIn
    let record: RequestorRecord

    var mvpd: MVPDID { signIn.mvpd }

    /// Whether the provider stands for temporary access, of which a second question could use up the budget twice.
    var isTemporary: Bool { signIn.isTemporary }

    /// Whether the record says already that the user is signed in.
    var isKnown: Bool { record.profile?.mvpd == mvpd }
}

/// What the broker decided about one resource.
enum Ruling: Sendable {
    /// The user may watch.
    case permitted(AuthorizedPlayback)
    /// The user may not watch.
    case denied(AuthorizationDenial)
    /// The user is not signed in anymore, by the broker's word.
    case signedOut(AuthorizationDenial)
}

extension EntitlementSession {
    /// Finds who decides; `nil` if the user is not signed in.
    ///
    /// If the broker was never asked for the device, a provider that is known is asked for the decision itself, which
    /// tells whether the user is signed in; else the profiles are asked for. Throws `.broker`, `.store`, `.superseded`,
    /// `.cancelled`.
    func decider(_ call: SessionCall) async throws(EntitlementFlowError) -> Decider? {
        let record = try await record(call)
        switch record.status(at: application.time.now) {
        case .authenticated(let signIn): return Decider(signIn: signIn, record: record)
        case .notAuthenticated: return nil
        case .unknown: break
        }
        if let id = record.provider?.id {
            return Decider(signIn: SignIn(mvpd: id, isTemporary: record.isTemporary(id)), record: record)
        }
        let answer = try await refreshProfile(call)
        return answer.signIn.map { Decider(signIn: $0, record: answer.record) }
    }

    /// Asks for a decision, and tells it; returns the decision, or why there is none.
    ///
    /// If `tellsStatus` is true, the status of the authentication is told first. `endsWithSignIn` says whether a
    /// sign-in follows if the broker says that the user is not signed in anymore. Nothing is told then, and the answer
    /// is the failure `.notAuthenticated`.
    func decision(
        on resource: ResourceID,
        by decider: Decider,
        _ call: SessionCall,
        tellsStatus: Bool = false,
        endsWithSignIn: Bool = false
    ) async -> Result<AuthorizationOutcome, EntitlementFlowError> {
        let status: [SessionEvent] = tellsStatus ? [.authenticationStatus(.authenticated(decider.signIn))] : []
        do throws(EntitlementFlowError) {
            let ruling = try await ruling(on: resource, by: decider, call)
            switch ruling {
            case .permitted(let playback):
                tell(status + telling(call.context).permitted(playback, by: decider.signIn), call.context)
                return .success(.permitted(playback))
            case .denied(let denial):
                tell(status + telling(call.context).refused(.denied(denial), by: decider.signIn), call.context)
                return .success(.denied(denial))
            case .signedOut(let denial):
                // Who has used temporary access up is told so, and chooses a provider the next time.
                if endsWithSignIn, denial.error?.saysThatAccessIsUsedUp != true { return .failure(.notAuthenticated) }
                let status: [SessionEvent] = tellsStatus ? [.authenticationStatus(.notAuthenticated)] : []
                tell(status + telling(call.context).refused(.denied(denial), by: decider.signIn), call.context)
                return .success(.denied(denial))
            }
        } catch {
            tell(
                (error == .superseded ? [] : status)
                    + telling(call.context).refused(.failed(resource, error), by: decider.signIn), call.context)
            return .failure(error)
        }
    }

    /// Asks the broker whether the user may watch a resource, with one call, and verifies the token.
    ///
    /// Nothing is told, and nothing is written as long as the record knew that the user is signed in, and that holds.
    /// Throws `.superseded`, too, if the user was signed out or began another sign-in meanwhile.
    func ruling(
        on resource: ResourceID,
        by decider: Decider,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> Ruling {
        let (caller, asked) = access.question(about: decider.mvpd, in: decider.record, call)
        let decision: Decision?
        do throws(BrokerError) {
            decision = try await caller.authorize(
                [resource], mvpd: decider.mvpd, requestor: call.requestor, isTemporary: decider.isTemporary)[
                    resource]
        } catch {
            application.shared.notePromotional(decider.mvpd, by: error, identity: decider.record.identity)
            throw EntitlementFlowError(error)
        }
        guard let decision, decision.isAuthorized else {
            let denial = AuthorizationDenial(
                of: resource, mvpd: decider.mvpd, source: decision?.source, because: decision?.error)
            let isSignedOut = denial.error?.endsSignIn ?? false
            try await settle(
                isSignedOut ? .no : denial.error?.provesSignIn == true ? .yes : .unclear, by: decider, asked,
                call)
            return isSignedOut ? .signedOut(denial) : .denied(denial)
        }
        let token = try await token(of: decision, for: resource, decider, call)
        try await settle(.yes, by: decider, asked, call)
        state.permitCame()
        if let end = decision.notAfter {
            access.note(DecisionTime(on: resource, mvpd: decider.mvpd, decided: asked.at, notAfter: end), call)
        }
        let isCached = decision.notBefore.map { $0 + .seconds(1) < asked.at } ?? false
        return .permitted(
            AuthorizedPlayback(
                of: resource, mvpd: decider.mvpd, source: decision.source, until: decision.notAfter, token: token,
                isCached: isCached))
    }

    private func token(
        of decision: Decision,
        for resource: ResourceID,
        _ decider: Decider,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> PlaybackToken {
        guard let token = decision.token else { throw .token(.noToken) }
        guard let verification = application.verification else { return .unverified(token) }
        let verified = try await verification.check(
            token, of: resource, mvpd: decider.mvpd, requestor: call.requestor, at: application.time.now)
        return .verified(verified, token)
    }

    /// What an answer about resources says about the sign-in.
    enum SignInEvidence: Sendable, Hashable {
        /// The user is signed in.
        case yes
        /// The user is not signed in anymore.
        case no
        /// It does not say.
        case unclear
    }

    /// Keeps in the record what an answer says about the sign-in, if the record did not know it.
    ///
    /// Throws `.superseded` if the user was signed out or began another sign-in since the record was read, or if it was
    /// erased.
    func settle(
        _ evidence: SignInEvidence,
        by decider: Decider,
        _ asked: Asked,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) {
        switch evidence {
        case .no:
            state.signedOutByDecision()
            try await adopt(nil, asked, call) { $0.noteFailedSignIn() }
        case .yes where !decider.isKnown:
            try await adopt(ProfileHint(ofUnknownEnd: decider.mvpd), asked, call)
        case .yes, .unclear:
            try await checkStillCounts(asked, call)
        }
    }
}
#endif
