#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// Takes an address that the user's browser has come back to.
    ///
    /// The address is compared with that of the device's sign-in (``SessionOptions/redirect``), or else of the application,
    /// by scheme, host and path, and means nothing more: whether the user has signed in, the profile tells. The broker is
    /// asked at once, and from then on at intervals until the code ends, because it says nothing of a user who has
    /// cancelled at the provider.
    ///
    /// If it cannot be asked at once, however often it was tried, that is told as ``AuthenticationResult/unconfirmed(_:)``;
    /// the session goes on asking all the same, and what waits for the sign-in goes on waiting.
    ///
    /// It also ends a logout. If that has several pages, each return brings the next one (``ReturnOutcome/goOn(_:)``). The same
    /// address may be handed over again.
    ///
    /// - Parameter url: The address.
    /// - Returns: What it means.
    /// - Throws: `.requestorNotSet`, `.codeEnded`, `.broker` for an answer that ends the sign-in, `.store`, `.superseded`
    ///   if the sign-in was cancelled meanwhile, `.cancelled`.
    @discardableResult
    public func handleExternalURL(_ url: String) async throws(EntitlementFlowError) -> ReturnOutcome {
        try await run(in: context) { () throws(EntitlementFlowError) in try await goOn(from: url) }
    }

    private func goOn(from url: String) async throws(EntitlementFlowError) -> ReturnOutcome {
        guard let address = ReturnAddress(url), address == ReturnAddress(redirect) else {
            return .otherAddress
        }
        let requestor = try requestorID
        if var next = afterLogout {
            if let page = next.pages.popFirst() {
                afterLogout = next
                tell([.openUserAgent(page)])
                return .goOn(.openUserAgent(page))
            }
            afterLogout = nil
            return try await goOn(next.end, requestor: requestor)
        }
        let record = try await record(requestor: requestor)
        guard let pending = record.pendingCode else {
            return record.signIn(at: application.time.now).map { .authenticated($0) } ?? .nothingAwaited
        }
        if watch?.pending != pending {
            // While the record was read, another sign-in may have taken the place of the one in it.
            guard beginWatch(of: pending, requestor: requestor, asking: false) else { throw .superseded }
        }
        guard let watch else { return .nothingAwaited }
        let request = self.pending
        self.watch?.asks = true
        // The task of the watch goes on at intervals.
        self.watch?.nextQuestion = application.time.uptime + max(application.pollInterval, .seconds(3))
        do throws(EntitlementFlowError) {
            guard application.time.now < pending.until else { throw .codeEnded }
            if let answer = try await ask(watch.number, priority: .foreground) {
                if let failure = answer.failure { tell(telling.unconfirmed(because: EntitlementFlowError(failure))) }
                return .waiting
            }
        } catch .cancelled {
            // The others go on waiting.
            throw .cancelled
        } catch .store(let error) {
            throw .store(error)
        } catch {
            await fail(watch.number, with: error, ending: request)
            throw error
        }
        return .authenticated(try await watch.verdict.value())
    }

    private func goOn(
        _ next: AfterLogout.End,
        requestor: RequestorID
    ) async throws(EntitlementFlowError) -> ReturnOutcome {
        switch next {
        case .nothing:
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
}
#endif
