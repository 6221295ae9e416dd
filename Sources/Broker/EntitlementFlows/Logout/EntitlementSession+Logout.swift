#if Client
import BrokerClient
import DeviceRecords
package import EntitlementValues
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
        try await run(in: context) { () throws(EntitlementFlowError) in try await signOutInTurn(scope) }
    }

    private func signOutInTurn(_ scope: LogoutScope) async throws(EntitlementFlowError) -> LogoutOutcome {
        end(state.logoutBegins())
        do throws(EntitlementFlowError) {
            if let requestor = try? requestorID { try await voidSignIns(requestor: requestor) }
            return try await requestorCommand { requestor throws(EntitlementFlowError) in
                try await signOut(scope, requestor: requestor)
            }
        } catch {
            tell(telling.logoutFailed(error))
            throw error
        }
    }

    /// Makes what waits for a sign-in void, here and in other processes.
    private func voidSignIns(requestor: RequestorID) async throws(EntitlementFlowError) {
        let code = try await change(requestor: requestor) { record -> PendingCode? in
            defer { record.raiseEpoch() }
            return record.pendingCode
        }
        if let code { try? await application.broker.records.forget(code.code) }
    }

    private func signOut(
        _ scope: LogoutScope,
        requestor: RequestorID
    ) async throws(EntitlementFlowError) -> LogoutOutcome {
        let now = application.time.now
        let noted = application.broker.records.notedDecisions(requestor: requestor, of: device.key)
        let (before, after, providers) = try await change(requestor: requestor) { record in
            let before = record
            let providers = record.signOut(scope, noted: noted, at: now)
            return (before, record, providers)
        }
        let ended = state.logoutIsWritten(from: before.profile, to: after.profile)
        for mvpd in providers {
            application.broker.records.dropNotedDecisions(mvpd: mvpd, requestor: requestor, of: device.key)
        }
        end(ended)
        var answers = LogoutAnswers()
        for mvpd in providers where !before.isTemporary(mvpd) {
            await logOut(mvpd: mvpd, requestor: requestor, in: before, into: &answers)
        }
        let confirmed = providers.filter { mvpd in !answers.unconfirmed.contains { $0.mvpd == mvpd } }
        // If that cannot be written, the marks stay, and the logouts are tried once more.
        try? await change(requestor: requestor) { record in
            for mvpd in confirmed { record.confirmLogout(mvpd: mvpd, markedAt: now) }
        }
        return finish(answers, leaving: after.signIn(at: now))
    }

    /// Asks the broker to sign the user out at a provider.
    private func logOut(
        mvpd: MVPDID,
        requestor: RequestorID,
        in record: RequestorRecord,
        into answers: inout LogoutAnswers
    ) async {
        // Another origin would not know the profile, and what it answers would pass for a logout.
        if needsLists(mvpd: mvpd, recordedAs: record.provider) {
            do throws(EntitlementFlowError) {
                try await askForLists(mvpd: mvpd, requestor: requestor, recordedAs: record.provider)
            } catch {
                answers.unconfirmed.append(UnconfirmedLogout(mvpd: mvpd, because: error))
                return
            }
        }
        let caller = caller(mvpd: mvpd, in: record)
        do throws(BrokerError) {
            let answer = try await caller.logout(mvpd: mvpd, requestor: requestor, returningTo: redirect)
            for step in answer.logouts { take(step, of: caller.broker, into: &answers) }
        } catch .refused(let error, _) where error.saysThatProviderIsUnknown {
            // There is nothing left to sign out of.
        } catch {
            answers.unconfirmed.append(UnconfirmedLogout(mvpd: mvpd, because: EntitlementFlowError(error)))
        }
    }

    private func take(_ step: LogoutStep, of broker: Broker, into answers: inout LogoutAnswers) {
        if step.actionName == .partnerLogout {
            answers.steps.append(.leavePartnerAccount(step.key))
        } else if hasUserAgent {
            // The profile is gone, so an address that must not be opened, or none at all, leaves nothing to do.
            guard let page = try? logoutPage(step, of: broker) else { return }
            answers.steps.append(.openUserAgent(page))
        }
    }

    /// Tells how a logout ended.
    private func finish(_ answers: LogoutAnswers, leaving signIn: SignIn?) -> LogoutOutcome {
        state.visits.begin(answers.steps.compactMap(\.visit), at: application.time.uptime)
        tell(telling.loggedOut(answers.steps, leaving: signIn))
        return LogoutOutcome(
            leaving: answers.steps.isEmpty ? [.done] : answers.steps, unconfirmed: answers.unconfirmed)
    }

    /// Goes on after the browser has come back from a page of a logout.
    func goOn(
        to next: LogoutVisits.Next,
        requestor: RequestorID
    ) async throws(EntitlementFlowError) -> ReturnOutcome {
        switch next {
        case .page(let page):
            tell([.openUserAgent(page)])
            return .goOn(.openUserAgent(page))
        case .done:
            let signIn = try await record(requestor: requestor).signIn(at: application.time.now)
            tell(telling.logoutDone(leaving: signIn))
            return .signedOut
        case .signIn(let filter, let epoch):
            return try await command { () throws(EntitlementFlowError) in
                try await reporting { () throws(EntitlementFlowError) in
                    .goOn(try await beginSignIn(requestor: requestor, filter: filter, since: epoch))
                }
            }
        }
    }

    /// Tries logouts again that the broker has not confirmed; nothing is told.
    ///
    /// Before a sign-in with a provider whose logout is marked, it must have succeeded: the broker would answer with the
    /// old profile. The mark of a provider with which the user has signed in since then goes without a call, which would
    /// end that sign-in.
    ///
    /// - Parameter requestor: The requestor.
    /// - Returns: The providers for which it failed again.
    /// - Throws: `.store`, `.cancelled`.
    @discardableResult
    package func retryLogouts(requestor: RequestorID) async throws(EntitlementFlowError) -> [UnconfirmedLogout] {
        let record = try await record(requestor: requestor)
        guard !record.logouts.isEmpty else { return [] }
        var answers = LogoutAnswers()
        for mvpd in record.unconfirmedLogouts where record.profile?.mvpd != mvpd {
            await logOut(mvpd: mvpd, requestor: requestor, in: record, into: &answers)
        }
        let failed = Set(answers.unconfirmed.map(\.mvpd))
        try await change(requestor: requestor) { record_ in
            for (mvpd, mark) in record.logouts where !failed.contains(mvpd) {
                record_.confirmLogout(mvpd: mvpd, markedAt: mark)
            }
        }
        return answers.unconfirmed
    }
}

/// What the broker answered to the calls of a logout.
private struct LogoutAnswers: Sendable {
    var steps: [SignOutStep] = []
    var unconfirmed: [UnconfirmedLogout] = []
}
#endif
