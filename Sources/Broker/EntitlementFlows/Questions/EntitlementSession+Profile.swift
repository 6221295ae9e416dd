#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
public import ServiceResponses

extension EntitlementSession {
    /// Answers a question for metadata: of what is kept, as far as it is.
    ///
    /// The broker is asked, with one call, if it never was for this device, or if the user is signed in and the profile is
    /// not known that the question is about. For attributes it is also asked after a permit, with which the provider may
    /// have changed them. What it cannot answer at present because of too many requests is an empty
    /// answer, as it was with the operator's library. Each answer is told as ``SessionEvent/metadata(_:)``, failures as an
    /// empty one.
    ///
    /// Encrypted attributes are decrypted if ``EntitlementApplication/decrypter`` is set. One that no key decrypts, or whose
    /// state is not known, is answered as it came, and ``MetadataAnswer/isEncrypted`` says so.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The answer; without a value if there is none, for example because the user is not signed in.
    /// - Throws: `EntitlementFlowError`.
    public func metadata(_ question: MetadataQuestion) async throws(EntitlementFlowError) -> MetadataAnswer {
        let context = newContext()
        do throws(EntitlementFlowError) {
            let answer = try await metadataInTurn(question, context)
            tell([.metadata(answer)], context)
            return answer
        } catch .broker(.throttled(_)) {
            let answer = MetadataAnswer(to: question, nil)
            tell([.metadata(answer)], context)
            return answer
        } catch {
            tell([.metadata(MetadataAnswer(to: question, nil))], context)
            throw error
        }
    }

    private func metadataInTurn(
        _ question: MetadataQuestion,
        _ context: CallContext
    ) async throws(EntitlementFlowError) -> MetadataAnswer {
        if case .deviceIdentifier = question {
            let text = context.options.revealsDeviceIdentifier ? device.identifier.text : nil
            return MetadataAnswer(to: question, text.map { .text($0) })
        }
        return try await requestorCommand(in: context) { call throws(EntitlementFlowError) in
            switch question {
            case .deviceIdentifier, .authenticationTTL:
                let end = try await recordWithProfile(call)?.profile?.notAfter
                return MetadataAnswer(to: question, end.map { .instant($0) })
            case .authorizationTTL(let resource):
                let end = try await end(ofDecisionOn: resource, call)
                return MetadataAnswer(to: question, end.map { .instant($0) })
            case .userMetadata(let name):
                guard let record = try await recordWithAttributes(call),
                    let profile = record.profile?.profile
                else { return MetadataAnswer(to: question, nil) }
                return MetadataAnswer(
                    to: question, named: name, from: profile, updated: record.asked ?? profile.notBefore,
                    by: application.decrypter)
            }
        }
    }

    /// The record with the profile of the user who is signed in; `nil` if no user is.
    ///
    /// The broker is asked if it never was, or if only the profile's existence is known.
    func recordWithProfile(_ call: SessionCall) async throws(EntitlementFlowError) -> RequestorRecord? {
        let record = try await record(call)
        switch record.status(at: application.time.now) {
        case .authenticated where record.profile?.profile != nil: return record
        case .authenticated, .unknown:
            let answer = try await refreshProfile(call)
            return answer.signIn == nil ? nil : answer.record
        case .notAuthenticated: return nil
        }
    }

    /// The same with the attributes as they are after the last permit; without an answer of the broker, those that are
    /// known.
    private func recordWithAttributes(
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> RequestorRecord? {
        let known = try await recordWithProfile(call)
        guard known != nil, state.mayHaveNewAttributes else { return known }
        do throws(EntitlementFlowError) {
            let answer = try await refreshProfile(call)
            return answer.signIn == nil ? nil : answer.record
        } catch .broker {
            return known
        }
    }

    /// Until when the provider's last decision on a resource holds; `nil` if none is known that does.
    private func end(
        ofDecisionOn resource: ResourceID,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> Timestamp? {
        let record = try await record(call)
        let now = application.time.now
        guard let signIn = record.signIn(at: now) else { return nil }
        let decisions = record.decisions + access.notedDecisions(call)
        let last = decisions.filter { $0.resource == resource && $0.mvpd == signIn.mvpd }
            .max { $0.decided < $1.decided }
        return last?.notAfter.flatMap { $0 > now ? $0 : nil }
    }
}

extension EntitlementSession {
    /// The profile of the user who is signed in, with all attributes as the broker sent them.
    ///
    /// Encrypted attributes stay encrypted; decrypt what is needed of them with
    /// `UserMetadata.decrypted(with:)`.
    ///
    /// - Parameter source: Where the answer comes from. By default the broker is asked, with one call, only if the profile
    ///   is not known, or if it was never asked for this device, and nothing is told. ``StatusSource/broker`` asks it in
    ///   any case, and events tell what has changed.
    /// - Returns: The profile; `nil` if the user is not signed in, or, for ``StatusSource/localOnly``, if it is not known.
    /// - Throws: `EntitlementFlowError`.
    public func profile(_ source: StatusSource = .record) async throws(EntitlementFlowError) -> Profile? {
        try await requestorCommand { call throws(EntitlementFlowError) in
            switch source {
            case .record: return try await recordWithProfile(call)?.profile?.profile
            case .localOnly:
                let record = try await record(call)
                return record.signIn(at: application.time.now) == nil ? nil : record.profile?.profile
            case .broker:
                let answer = try await foreground(call)
                return answer.signIn == nil ? nil : answer.record.profile?.profile
            }
        }
    }
}

// MARK: Asking and keeping

/// What the broker answered about the user's profile.
package struct ProfileAnswer: Sendable {
    /// The sign-in that counts now; `nil` if there is none.
    package let signIn: SignIn?
    /// What the record holds after the answer.
    let record: RequestorRecord
    /// Whether the user is signed in now and was not before, or the reverse, or with another provider.
    let isChange: Bool
    /// The error that says that temporary access is used up; `nil` for all other answers.
    let exhaustion: EnhancedError?
}

extension EntitlementSession {
    /// Asks the broker for the user's profile, with one call, and keeps the answer in the record.
    ///
    /// If a provider is known, its profile is asked for, which may be degraded or temporary; else all of the device.
    /// Permits are void if the sign-in is another one after that. Nothing is told. Throws `.broker`, `.store`,
    /// `.superseded` if the user was signed out or began another sign-in meanwhile, `.cancelled`.
    package func refreshProfile(_ call: SessionCall) async throws(EntitlementFlowError) -> ProfileAnswer {
        let before = try await record(call)
        let subject = access.subject(inEpoch: before.epoch)
        // With a code that is shown, the user may just be signing in anew, which such a logout would end.
        if !before.logouts.isEmpty, before.pendingCode == nil { try await retryLogouts(call) }
        let mvpd = before.provider?.id ?? before.profile?.mvpd
        let (caller, asked) = access.question(about: mvpd, in: before, of: subject, call)
        var exhaustion: EnhancedError?
        var found: [Profile] = []
        do throws(BrokerError) {
            found =
                if let mvpd {
                    try await caller.profile(mvpd: mvpd, requestor: call.requestor).profiles
                } else {
                    try await caller.profiles(requestor: call.requestor).profiles
                }
        } catch .refused(let error, _) where error.saysThatAccessIsUsedUp {
            exhaustion = error
        } catch .refused(let error, _) where mvpd != nil && error.saysThatProviderIsUnknown {
            // No user is signed in there anymore, and the user chooses another one.
            try await forgetProvider(mvpd, call, epoch: before.epoch)
        } catch {
            application.shared.notePromotional(mvpd, by: error, identity: before.identity)
            throw EntitlementFlowError(error)
        }
        let best = Self.best(of: found, at: asked.at)
        let others = found.filter { $0.mvpd != best?.mvpd && $0.type != .temporary }
        let isUsedUp = exhaustion != nil
        let after = try await keep(best.map { ProfileHint($0) }, asked, call) { record in
            for other in others { record.rememberProfile(mvpd: other.mvpd, at: asked.at) }
            // Without a login, choosing it once more would sign in with what is used up.
            if isUsedUp { record.noteFailedSignIn() }
        }
        state.profileIsKept()
        let now = application.time.now
        let (old, new) = (before.signIn(at: now), after.signIn(at: now))
        return ProfileAnswer(signIn: new, record: after, isChange: old?.mvpd != new?.mvpd, exhaustion: exhaustion)
    }

    /// Keeps an answer about the profile in the record, if it is still the one that was asked about.
    ///
    /// `hint` is the profile; `nil` if there is none. `change` makes further changes in the same step, if the answer is
    /// kept. Returns the record after the change. Throws `.superseded` if the epoch is another one, or the record was
    /// erased meanwhile; `.store`, `.cancelled`.
    @discardableResult
    func keep(
        _ hint: ProfileHint?,
        _ asked: QuestionSubject,
        _ call: SessionCall,
        _ change: (inout RequestorRecord) -> Void = { _ in }
    ) async throws(EntitlementFlowError) -> RequestorRecord {
        try await keep(
            of: hint?.mvpd, asked, call, deciding: { $0.adopt(hint, askedAt: asked.at) }, change)
    }

    /// Keeps an answer about the profile in the record, if the record as it is then allows it.
    ///
    /// `mvpd` is the provider of the profile; `nil` if there is none. `adopts` takes the profile, and says whether it
    /// did. `change` makes further changes in the same step, if the answer is kept. Returns the record after the
    /// change. Throws `.superseded` if the epoch is another one, or the record was erased meanwhile; `.store`,
    /// `.cancelled`.
    func keep(
        of mvpd: MVPDID?,
        _ asked: QuestionSubject,
        _ call: SessionCall,
        deciding adopts: (inout RequestorRecord) -> Bool,
        _ change: (inout RequestorRecord) -> Void = { _ in }
    ) async throws(EntitlementFlowError) -> RequestorRecord {
        let chosen = mvpd.map { access.provider(mvpd: $0, call) }
        let (before, after) = try await self.change(call, keeping: asked) { record in
            let before = record
            if adopts(&record) {
                if let chosen, record.provider?.id != chosen.id { record.provider = chosen }
                change(&record)
            }
            return (before, record)
        }
        state.profileIsWritten(from: before.profile, to: after.profile)
        return after
    }

    /// Forgets the chosen provider, because the broker does not know it: else each later question would be about it.
    ///
    /// `epoch` is the one in which the broker was asked; in another one nothing changes. Throws `.store`, `.cancelled`.
    func forgetProvider(
        _ mvpd: MVPDID?,
        _ call: SessionCall,
        epoch: Int64
    ) async throws(EntitlementFlowError) {
        try await change(call) { record in
            if record.epoch == epoch, record.provider?.id == mvpd { record.provider = nil }
        }
    }

    /// The profile that counts among several: the one that ends last, temporary ones after all others.
    static func best(of profiles: [Profile], at now: Timestamp) -> Profile? {
        profiles.max { one, other in
            let (first, second) = (one.type == .temporary, other.type == .temporary)
            return first == second ? one.notAfter < other.notAfter : first
        }
    }
}
#endif
