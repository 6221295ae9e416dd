#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues

// What `DeviceSessions` needs of a session.

extension EntitlementSession {
    /// Whether something would be lost if the session went: a command, a listener, a wait for a sign-in, or one for a
    /// decision, or what follows when the browser comes back from a logout.
    var isInUse: Bool {
        queue.isBusy || listeners.listenerCount > 0 || state.holdsSession(at: application.time.uptime)
    }

    /// Writes the decision times of the device, unless it was erased, before the session goes.
    package func handOverDecisions() async { await access.handOverDecisions() }

    /// Begins a use of the session, whose calls do not see what other uses bring.
    ///
    /// `nil` leaves the options as they are. `isLasting` says whether this is what the device says of itself and wants
    /// from now on.
    func beginUse(by device: Device, _ options: SessionOptions?, isLasting: Bool) -> SessionUse {
        let context = CallContext(
            session: name, options: options ?? self.options, info: device.info, userAgent: device.userAgent)
        if isLasting { access.take(context) }
        return SessionUse(with: context, in: CallContext.ofUse)
    }

    /// Gives up the wait for a sign-in, so that another process can go on with it.
    package func stopWaiting() async {
        let context = newContext()
        let ended = state.stops()
        end(ended, context)
        guard let (wait, _) = ended.wait else { return }
        let name = name
        // If it fails, the lease ends by itself.
        try? await change(SessionCall(for: wait.requestor, in: context)) { $0.releaseLease(of: name) }
    }

    /// Ends the authorization that waits for a sign-in: the session goes.
    func endPending() { end(state.end(state.pending, with: .superseded), newContext()) }

    /// Erases the device's record, and what the session remembers of it; returns whether there was a record.
    ///
    /// It is a command: no other one writes the record at the same time. `isTold` says whether it is told that the user
    /// is not signed in any more. Throws `.store`, `.cancelled`.
    package func forgetDevice(telling isTold: Bool = true) async throws(EntitlementFlowError) -> Bool {
        try await command { context throws(EntitlementFlowError) in
            access.dropWhatIsRemembered()
            end(state.erased(), context)
            let hadRecord = try await access.erase()
            if hadRecord, isTold { tell([.authenticationStatus(.notAuthenticated)], context) }
            return hadRecord
        }
    }
}
#endif
