#if Client
import EntitlementValues
import ServiceResponses

extension Exchange {
    /// `GET /authenticate/SP/CODE`: a browser comes to sign in.
    func openUserAgent(_ state: inout SimulatorState) throws(Refusal) -> Reply {
        let code = route[.code]
        guard (try? state.liveSession(code, of: RequestorID(route[.requestor]), at: now)) != nil else {
            throw .page(status: 400, "This sign-in has ended. Start again on your device.")
        }
        guard state.waitingSession(code, at: now) != nil else {
            throw .page(status: 400, "This sign-in is not complete, or was used. Start again on your device.")
        }
        switch settings.login {
        case .form: return .redirect(to: "/sim/login?code=\(code)")
        case .automatic(let user):
            do throws(SimulationError) {
                return .redirect(to: try state.logIn(code: code, user: user, at: now))
            } catch {
                throw .page(status: 500, "The user of the automatic login is not in the world.")
            }
        }
    }
}
#endif
