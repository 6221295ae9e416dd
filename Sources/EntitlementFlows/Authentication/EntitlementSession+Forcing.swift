#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

/// What follows when the browser comes back from a logout.
enum AfterLogout: Sendable {
    /// The logout is done.
    case nothing
    /// A sign-in that was forced begins.
    case signIn(ProviderFilter?)
}

extension EntitlementSession {
    /// Signs the user out, and begins a sign-in: at once if the provider has no logout page, else when the browser has
    /// come back from it.
    func signOutAndBegin(
        requestor: RequestorID,
        filter: ProviderFilter?
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let record = try await record(requestor: requestor)
        endWatch(with: .failure(.superseded))
        if let mvpd = record.profile?.mvpd ?? record.provider?.id {
            let (url, epoch) = try await signOut(mvpd: mvpd, requestor: requestor, inEpoch: record.epoch)
            guard try await self.record(requestor: requestor).epoch == epoch else { throw .superseded }
            if let url, hasUserAgent {
                afterLogout = .signIn(filter)
                let visit = UserAgentVisit(
                    to: url, for: .logout, usesSystemBrowser: usesSystemBrowser(mvpd: mvpd), needsNoInteraction: true)
                tell(.openUserAgent(visit))
                return .openUserAgent(visit)
            }
        }
        return try await beginSignIn(requestor: requestor, filter: filter)
    }

    /// Signs the user out at one provider: in the record in any case, and at the broker.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - requestor: The requestor.
    ///   - epoch: The epoch in which it was decided.
    /// - Returns: The address at which the browser ends the provider's own session, `nil` if there is none; and the epoch
    ///   that this began, which a choice, a cancel or a logout that came meanwhile has raised.
    /// - Throws: `.broker`, `.store`, `.cancelled`, `.superseded` in another epoch. If the broker did not confirm the logout, the record has a mark, so
    ///   that the old profile is not adopted again.
    func signOut(
        mvpd: MVPDID,
        requestor: RequestorID,
        inEpoch epoch: Int64
    ) async throws(EntitlementFlowError) -> (url: String?, epoch: Int64) {
        let mark = application.time.now
        let begun = try await change(requestor: requestor) { record -> (RequestorRecord, Int64)? in
            guard record.epoch == epoch else { return nil }
            let before = record
            record.logOut(mvpd: mvpd, at: mark)
            return (before, record.epoch)
        }
        guard let (before, epoch) = begun else { throw .superseded }
        application.broker.records.dropNotedDecisions(mvpd: mvpd, requestor: requestor, of: device.key)
        if before.profile?.mvpd == mvpd { noteProfile(before.profile, nil) }
        let caller = caller(mvpd: mvpd, in: before)
        do throws(BrokerError) {
            let answer = try await caller.logout(mvpd: mvpd, requestor: requestor, returningTo: redirect)
            // The reference has samples with another key than the provider that the step names.
            let step = answer.logouts.first { $0.key == mvpd } ?? answer.logouts.first { $0.mvpd == mvpd }
            let url = if let step { try caller.broker.address(of: step) } else { nil as String? }
            try? await change(requestor: requestor) { $0.confirmLogout(mvpd: mvpd, markedAt: mark) }
            return (url, epoch)
        } catch .refused(let error, _) where error.saysThatProviderIsUnknown {
            // There is nothing left to sign out of.
            try? await change(requestor: requestor) { $0.confirmLogout(mvpd: mvpd, markedAt: mark) }
            return (nil, epoch)
        } catch {
            throw EntitlementFlowError(error)
        }
    }

    /// Whether the provider's page is for the system's browser.
    func usesSystemBrowser(mvpd: MVPDID?) -> Bool {
        mvpd.map { !application.webViewProviders.contains($0) } ?? true
    }
}
#endif
