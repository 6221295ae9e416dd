#if Client
import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// Waits until the user has signed in.
    ///
    /// It sends nothing by itself. If a code is shown, the session asks the broker from the start, every
    /// ``EntitlementApplication/pollInterval``; if the browser was sent to the provider, it does so once
    /// ``handleExternalURL(_:)`` has seen it come back. If other processes serve the same device, one of them asks, and
    /// the others look at the device's record once a second.
    ///
    /// Any number of tasks may wait. A task that is cancelled stops waiting alone.
    ///
    /// - Returns: Who is signed in.
    /// - Throws: `.codeEnded`, `.superseded` if the sign-in was cancelled or another one took its place,
    ///   `.notAuthenticated` if there is nothing to wait for, `.requestorNotSet`, `.broker` for an answer that ends the
    ///   wait, `.store`, `.cancelled`.
    public func awaitAuthentication() async throws(EntitlementFlowError) -> SignIn {
        let requestor = try requestorID
        if watch == nil {
            let record = try await record(requestor: requestor)
            let now = application.time.now
            if watch == nil {
                guard let pending = record.pendingCode else {
                    guard let signIn = record.signIn(at: now) else { throw .notAuthenticated }
                    return signIn
                }
                guard pending.until > now else { throw .codeEnded }
                guard beginWatch(of: pending, requestor: requestor, asking: !hasUserAgent) else { throw .superseded }
            }
        }
        guard let number = watch?.number, let verdict = watch?.verdict else { throw .superseded }
        watch?.listeners += 1
        defer { leaveWatch(number) }
        return try await verdict.value()
    }

    /// Whether the session waits for a sign-in.
    package var isWatching: Bool { watch != nil }

    /// Begins to wait for a sign-in, in the place of the one before.
    ///
    /// - Parameters:
    ///   - pending: The code.
    ///   - requestor: The requestor.
    ///   - asks: Whether this session asks the broker from the start.
    /// - Returns: Whether it is waited for now; not if a later code is waited for already.
    func beginWatch(of pending: PendingCode, requestor: RequestorID, asking asks: Bool) -> Bool {
        if let watch, watch.requestor == requestor, watch.pending.isLater(than: pending) { return false }
        endWatch(with: .failure(.superseded))
        lastWatch += 1
        let (number, time) = (lastWatch, application.time)
        watch = SignInWatch(
            number: number, requestor: requestor, pending: pending, asks: asks, nextQuestion: time.uptime)
        // Detached: it asks for longer than the call that began it, with what the device says then.
        watch?.task = Task.detached { [weak self] in
            while let wait = await self?.lookForSignIn(number) {
                do {
                    try await time.sleep(untilUptime: time.uptime + wait)
                } catch {
                    return
                }
            }
        }
        return true
    }

    /// Ends the wait for a sign-in, if there is one.
    func endWatch(with answer: Result<SignIn, EntitlementFlowError>) {
        guard let watch else { return }
        self.watch = nil
        watch.task?.cancel()
        watch.verdict.end(with: answer)
    }

    /// Stops looking at the record if no task wants to know.
    private func leaveWatch(_ number: UInt64) {
        guard let watch, watch.number == number else { return }
        self.watch?.listeners -= 1
        if watch.listeners <= 1, !watch.asks { endWatch(with: .failure(.superseded)) }
    }
}
#endif
