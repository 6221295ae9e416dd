#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Signs the user out.
    ///
    /// What waits for a sign-in, and commands that wait for the broker, end at once as `.superseded`. In its turn, the
    /// record of the device is cleared first; then the broker is asked for each provider that the record knows, and takes
    /// the profile away. What did not reach the broker is marked in the record: it is tried again later, and a profile from
    /// before is not taken over again, so that a logout without a connection does not undo itself.
    ///
    /// It tells, in this order: ``SessionEvent/openUserAgent(_:)`` for the first address, the status `VSA203` if the device's
    /// own account signs in again, and ``SessionEvent/authenticationStatus(_:)``: 0 means success here. If the user's browser
    /// has an address to open, that is told when it comes back (`handleExternalURL`), and of several addresses, each further
    /// one when it comes back from the one before. A logout that fails tells only a status: that of the failed
    /// `setRequestor`, or `500`.
    ///
    /// - Parameter scope: At which providers.
    /// - Returns: What is left to do, and for which providers the broker did not confirm the logout.
    /// - Throws: `EntitlementFlowError`: `.requestorNotSet`, `.store`, or `.cancelled` if the task was cancelled before the
    ///   record was cleared. Nothing has changed then, except that what waited has ended.
    @discardableResult
    public func logout(_ scope: LogoutScope = .all) async throws(EntitlementFlowError) -> LogoutOutcome {
        let context = newContext()
        end(state.logoutBegins(), context)
        do throws(EntitlementFlowError) {
            if let call = try? call(in: context) { try await voidSignIns(call) }
            return try await requestorCommand(in: context) { call throws(EntitlementFlowError) in
                try await signOut(scope, call)
            }
        } catch {
            tell(telling(context).logoutFailed(error), context)
            throw error
        }
    }

    /// Makes what waits for a sign-in void, here and in other processes.
    private func voidSignIns(_ call: SessionCall) async throws(EntitlementFlowError) {
        let code = try await change(call) { record -> PendingCode? in
            defer { record.raiseEpoch() }
            return record.pendingCode
        }
        if let code { await access.forget(code) }
    }

    private func signOut(
        _ scope: LogoutScope,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> LogoutOutcome {
        let (now, noted) = (application.time.now, access.notedDecisions(call))
        let (before, after, providers) = try await change(call) { record in
            let before = record
            let providers = record.signOut(scope, noted: noted, at: now)
            return (before, record, providers)
        }
        let ended = state.logoutIsWritten(from: before.profile, to: after.profile)
        for mvpd in providers { access.dropNotedDecisions(mvpd: mvpd, call) }
        end(ended, call.context)
        var answers = LogoutAnswers()
        for mvpd in providers where !before.isTemporary(mvpd) {
            await logOut(mvpd: mvpd, call, in: before, into: &answers)
        }
        let confirmed = providers.filter { mvpd in !answers.unconfirmed.contains { $0.mvpd == mvpd } }
        // If that cannot be written, the marks stay, and the logouts are tried once more.
        try? await change(call) { record in
            for mvpd in confirmed { record.confirmLogout(mvpd: mvpd, markedAt: now) }
        }
        return finish(answers, leaving: after.signIn(at: now), call)
    }

    /// Asks the broker to sign the user out at a provider.
    private func logOut(
        mvpd: MVPDID,
        _ call: SessionCall,
        in record: RequestorRecord,
        into answers: inout LogoutAnswers
    ) async {
        // Another origin would not know the profile, and what it answers would pass for a logout.
        if access.needsLists(mvpd: mvpd, recordedAs: record.provider) {
            do throws(EntitlementFlowError) {
                try await access.askForLists(mvpd: mvpd, call, recordedAs: record.provider)
            } catch {
                answers.unconfirmed.append(UnconfirmedLogout(mvpd: mvpd, because: error))
                return
            }
        }
        let caller = access.caller(mvpd: mvpd, in: record, call)
        do throws(BrokerError) {
            let answer = try await caller.logout(
                mvpd: mvpd, requestor: call.requestor, returningTo: redirect(call.context))
            for step in answer.logouts { take(step, of: caller.broker, call, into: &answers) }
        } catch .refused(let error, _) where error.saysThatProviderIsUnknown {
            // There is nothing left to sign out of.
        } catch {
            answers.unconfirmed.append(UnconfirmedLogout(mvpd: mvpd, because: EntitlementFlowError(error)))
        }
    }

    private func take(
        _ step: LogoutStep,
        of broker: Broker,
        _ call: SessionCall,
        into answers: inout LogoutAnswers
    ) {
        if step.actionName == .partnerLogout {
            answers.steps.append(.leavePartnerAccount(step.key))
        } else if call.context.hasUserAgent {
            // The profile is gone, so an address that must not be opened, or none at all, leaves nothing to do.
            guard let page = try? logoutPage(step, of: broker) else { return }
            answers.steps.append(.openUserAgent(page))
        }
    }

    /// Tells how a logout ended.
    private func finish(
        _ answers: LogoutAnswers,
        leaving signIn: SignIn?,
        _ call: SessionCall
    ) -> LogoutOutcome {
        state.beginVisits(answers.steps.compactMap(\.visit), at: application.time.uptime)
        tell(telling(call.context).loggedOut(answers.steps, leaving: signIn), call.context)
        return LogoutOutcome(
            leaving: answers.steps.isEmpty ? [.done] : answers.steps, unconfirmed: answers.unconfirmed)
    }

    /// Goes on after the browser has come back from a page of a logout.
    func goOn(
        to next: LogoutVisits.Next,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> ReturnOutcome {
        switch next {
        case .page(let page):
            tell([.openUserAgent(page)], call.context)
            return .goOn(.openUserAgent(page))
        case .done:
            let signIn = try await record(call).signIn(at: application.time.now)
            tell(telling(call.context).logoutDone(leaving: signIn), call.context)
            return .signedOut
        case .signIn(let filter, let epoch):
            return try await command(in: call.context) { context throws(EntitlementFlowError) in
                try await reporting(context) { () throws(EntitlementFlowError) in
                    .goOn(try await beginSignIn(call, filter: filter, since: epoch))
                }
            }
        }
    }

    /// Tries logouts again that the broker has not confirmed; nothing is told.
    ///
    /// Before a sign-in with a provider whose logout is marked, it must have succeeded: the broker would answer with
    /// the old profile. The mark of a provider with which the user has signed in since then goes without a call, which
    /// would end that sign-in. Returns the providers for which it failed again. Throws `.store`, `.cancelled`.
    @discardableResult
    package func retryLogouts(_ call: SessionCall) async throws(EntitlementFlowError) -> [UnconfirmedLogout] {
        let record = try await record(call)
        guard !record.logouts.isEmpty else { return [] }
        var answers = LogoutAnswers()
        for mvpd in record.unconfirmedLogouts where record.profile?.mvpd != mvpd {
            await logOut(mvpd: mvpd, call, in: record, into: &answers)
        }
        let failed = Set(answers.unconfirmed.map(\.mvpd))
        try await change(call) { record_ in
            for (mvpd, mark) in record.logouts where !failed.contains(mvpd) {
                record_.confirmLogout(mvpd: mvpd, markedAt: mark)
            }
        }
        return answers.unconfirmed
    }

    // MARK: Before a sign-in

    /// Signs the user out at one provider: in the record in any case, and at the broker.
    ///
    /// `named` is the provider; `nil` for that of the profile, or the chosen one, as the record has it then. `epoch` is
    /// the one in which the logout was decided.
    ///
    /// Returns the pages on which the browser ends the sessions of providers, none without a browser; and the epoch
    /// that this began, which a choice, a cancel or a logout that came meanwhile has raised.
    ///
    /// Throws `.broker`, `.store`, `.cancelled`, `.superseded` in another epoch. If the broker did not confirm the
    /// logout, the record has a mark, so that the old profile is not adopted again.
    func signOut(
        mvpd named: MVPDID?,
        _ call: SessionCall,
        inEpoch epoch: Int64
    ) async throws(EntitlementFlowError) -> (pages: [UserAgentVisit], epoch: Int64) {
        let mark = application.time.now
        let begun = try await change(call) { record -> (RequestorRecord, MVPDID?, Int64)? in
            guard record.epoch == epoch else { return nil }
            let (before, mvpd) = (record, named ?? record.profile?.mvpd ?? record.provider?.id)
            if let mvpd { record.logOut(mvpd: mvpd, at: mark) }
            return (before, mvpd, record.epoch)
        }
        guard let (before, found, epoch) = begun else { throw .superseded }
        guard let mvpd = found else { return ([], epoch) }
        access.dropNotedDecisions(mvpd: mvpd, call)
        if before.profile?.mvpd == mvpd { state.profileIsWritten(from: before.profile, to: nil) }
        let caller = access.caller(mvpd: mvpd, in: before, call)
        do throws(BrokerError) {
            let answer = try await caller.logout(
                mvpd: mvpd, requestor: call.requestor, returningTo: redirect(call.context))
            var pages: [UserAgentVisit] = []
            // The reference has samples with another key than the provider that the step names. With single sign-on, the broker
            // names the pages of further providers beside it.
            let isAboutProvider = answer.logouts.contains { $0.key == mvpd || $0.mvpd == mvpd }
            for step in answer.logouts where call.context.hasUserAgent && isAboutProvider {
                if let page = try logoutPage(step, of: caller.broker) { pages.append(page) }
            }
            try? await change(call) { $0.confirmLogout(mvpd: mvpd, markedAt: mark) }
            return (pages, epoch)
        } catch .refused(let error, _) where error.saysThatProviderIsUnknown {
            // There is nothing left to sign out of.
            try? await change(call) { $0.confirmLogout(mvpd: mvpd, markedAt: mark) }
            return ([], epoch)
        } catch {
            throw EntitlementFlowError(error)
        }
    }

    /// The page on which the browser ends a provider's own session; `nil` if there is none.
    ///
    /// Throws if its address must not be opened.
    func logoutPage(_ step: LogoutStep, of broker: Broker) throws(BrokerError) -> UserAgentVisit? {
        guard step.actionName != .partnerLogout, let url = try broker.address(of: step) else { return nil }
        return UserAgentVisit(
            to: url, for: .logout, usesSystemBrowser: application.usesSystemBrowser(mvpd: step.key),
            needsNoInteraction: true)
    }
}

/// What the broker answered to the calls of a logout.
private struct LogoutAnswers: Sendable {
    var steps: [SignOutStep] = []
    var unconfirmed: [UnconfirmedLogout] = []
}
#endif
