#if Client
import Synchronization
import EntitlementValues
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `GET /authenticate/SP/CODE`: a browser comes to sign in.
    func openUserAgent(_ requestor: RequestorID, code: String) throws(Refusal) -> Reply {
        let session: LoginSession
        do throws(Refusal) {
            session = try simulator.state.withLock { state throws(Refusal) in
                try state.liveSession(code, of: requestor, at: now)
            }
        } catch {
            throw .page(status: 400, "This sign-in has ended. Start again on your device.")
        }
        guard session.missingParameters.isEmpty, !session.isCompleted else {
            throw .page(status: 400, "This sign-in is not complete, or was used. Start again on your device.")
        }
        switch simulator.settings.login {
        case .form: return .redirect(to: "/sim/login?code=\(session.code)")
        case .automatic(let user):
            do throws(SimulationError) {
                return .redirect(
                    to: try simulator.state.withLock { state throws(SimulationError) in
                        try state.logIn(code: code, user: user, at: now)
                    })
            } catch {
                throw .page(status: 500, "The user of the automatic login is not in the world.")
            }
        }
    }

    /// `GET /sim/logout/SP`: stands for the provider's logout page, which sends the browser back.
    func leaveLogoutPage(_ id: RequestorID) throws(Refusal) -> Reply {
        guard let requestor = simulator.state.withLock({ $0.world.requestor(id) }),
            let url = FormFields(Array(query.utf8))?["redirectUrl"], requestor.allows(redirectURL: url)
        else { throw .page(status: 400, "The request names no place to go back to.") }
        return .redirect(to: url)
    }
}
#endif
