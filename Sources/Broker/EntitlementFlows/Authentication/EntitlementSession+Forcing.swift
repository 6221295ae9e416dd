#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Signs the user out, and begins a sign-in: at once if the provider has no logout page, else when the browser has
    /// come back from it.
    func signOutAndBegin(
        _ call: SessionCall,
        filter: ProviderFilter?
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let record = try await record(call)
        end(state.signInBegins(), call.context)
        let (pages, epoch) = try await signOut(mvpd: nil, call, inEpoch: record.epoch)
        guard let page = pages.first else {
            return try await beginSignIn(call, filter: filter, since: epoch)
        }
        guard try await self.record(call).epoch == epoch else { throw .superseded }
        state.beginVisits(pages, before: filter, since: epoch, at: application.time.uptime)
        tell([.openUserAgent(page)], call.context)
        return .openUserAgent(page)
    }

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
            to: url, for: .logout, usesSystemBrowser: application.usesSystemBrowser(mvpd: step.key), needsNoInteraction: true)
    }
}
#endif
