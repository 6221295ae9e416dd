#if Service
import EntitlementFlows
import EntitlementValues
import Hummingbird
import TextCodecs

extension GatewayRequest {
    /// `POST /v1/logout`: signs the user out, and says what is left to do.
    func signOut() async throws -> Response {
        let body = try await call.body(taking: ["returnTo", "mvpd"])
        let returnTo = try returnAddress(body)
        let scope = try body.identifier("mvpd").map { LogoutScope.mvpd(MVPDID($0)) } ?? .all
        let outcome = try await SignInDesk(of: self).signOut(scope, returningTo: returnTo)
        var object = JSONWriter()
        object.members(of: outcome.steps)
        // The device is signed out all the same; the logouts there are tried again.
        if !outcome.unconfirmed.isEmpty {
            object.name("unconfirmed")
            object.array { array in
                for logout in outcome.unconfirmed { array.value(logout.mvpd.rawValue) }
            }
        }
        return Response(.ok, object)
    }
}

extension JSONWriter {
    /// Adds what is left to do for a user who was signed out, one after the other.
    mutating func members(of steps: [SignOutStep]) {
        members(of: steps.first ?? .done)
        guard steps.count > 1 else { return }
        name("further")
        array { array in
            for step in steps.dropFirst() { array.object { $0.members(of: step) } }
        }
    }

    /// Adds a step.
    fileprivate mutating func members(of step: SignOutStep) {
        switch step {
        case .openUserAgent(let visit): open(visit, until: visit.until)
        case .leavePartnerAccount(let mvpd):
            member("code", "leave_partner_account")
            member("mvpd", mvpd.rawValue)
        case .done: member("code", "logged_out")
        }
    }
}
#endif
