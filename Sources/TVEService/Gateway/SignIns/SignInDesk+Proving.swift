#if Service
import EntitlementFlows
import EntitlementValues

extension SignInDesk {
    /// Takes the one-time code that the return page handed to the app.
    ///
    /// An app whose answer was lost sends the code again, and so does a proxy for it: that changes nothing, and is answered
    /// in the same way as long as the user is signed in. A refusal would let the user sign in twice.
    ///
    /// - Parameter code: The code.
    /// - Throws: `GatewayRefusal.returnNotProved` unless it is that of the sign-in that is under way, or of the one that
    ///   counts, and in time.
    func prove(by code: String) async throws {
        guard let signIns = try await gateway.devices.record(of: key)?.signIns else {
            throw GatewayRefusal.returnNotProved
        }
        let now = now
        if let last = signIns.proved, last.number == signIns.current, last.isProved(by: code, at: now),
            try await profile(of: last.number) != nil
        {
            return
        }
        let proved = try await change { signIns -> OpenSignIn? in
            guard let open = signIns.open, open.isProved(by: code, at: now) else { return nil }
            signIns.change(open.state) { open in
                if case .returned(let at) = open.phase { open.phase = .proven(at: at) }
            }
            return signIns.open
        }
        guard let proved else { throw GatewayRefusal.returnNotProved }
        gateway.opened.keeper.cancel("proof \(proved.state)")
        gateway.opened.signals.tell(key)
    }

    /// Asks the broker at once whether the user of a sign-in has signed in.
    ///
    /// - Parameter signIn: The sign-in.
    /// - Returns: Who has; `nil` if a profile does not exist yet, or the broker does not answer.
    func ask(about signIn: OpenSignIn) async -> SignIn? {
        let outcome = try? await withSession(of: signIn) { session in
            try await session.handleExternalURL(gateway.returnAddress(signIn.state))
        }
        guard case .authenticated(let answer) = outcome else { return nil }
        return answer
    }
}
#endif
