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
        guard let record = try await gateway.devices.record(of: key) else { throw GatewayRefusal.returnNotProved }
        let now = now
        switch try await decide(on: record, { $0.signIns.prove(by: code, at: now) }) {
        case .proved(let open):
            gateway.opened.keeper.cancel("proof \(open.state)")
            gateway.opened.signals.tell(key)
        case .again(let session):
            guard try await profile(of: session) != nil else { throw GatewayRefusal.returnNotProved }
        case .refused: throw GatewayRefusal.returnNotProved
        }
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
