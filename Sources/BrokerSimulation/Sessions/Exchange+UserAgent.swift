#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `GET /authenticate/SP/CODE`: a browser comes to sign in.
    func openUserAgent(
        _ requestor: RequestorID,
        code: String,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        guard (try? state.liveSession(code, of: requestor, at: now)) != nil else {
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

    /// `GET /sim/logout/SP`: stands for the provider's logout page, which sends the browser back.
    func leaveLogoutPage(_ id: RequestorID, _ state: SimulatorState) throws(Refusal) -> Reply {
        guard let requestor = state.world.requestor(id),
            let url = FormFields(Array(query.utf8))?["redirectUrl"], requestor.allows(redirectURL: url)
        else { throw .page(status: 400, "The request names no place to go back to.") }
        return .redirect(to: url)
    }
}
#endif
