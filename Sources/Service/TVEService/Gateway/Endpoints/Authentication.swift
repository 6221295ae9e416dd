#if Service
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import TextCodecs

extension DeviceCall {
    /// The longest wait for the end of a sign-in, in seconds: proxies give up after 30 or more.
    private static let maximumWait = 25

    /// `POST /v1/authentication`: begins a sign-in, unless the user is signed in.
    func beginSignIn() async throws -> Response {
        let body = try await call.body(taking: ["mvpd", "returnTo", "secondScreen", "force", "identity"])
        var wanted = SignInRequest()
        wanted.mvpd = try body.identifier("mvpd").map { MVPDID($0) }
        wanted.returnTo = try returnAddress(body)
        wanted.isOnSecondScreen = try body.boolean("secondScreen")
        wanted.identity = try body.identifier("identity")
        wanted.hasCookie = isByCookie
        if let mvpd = wanted.mvpd, !app.settings.providers.isEmpty, !app.settings.providers.contains(mvpd) {
            throw EntitlementFlowError.unknownProvider(mvpd)
        }
        let flow = try SignInFlow(of: self)
        if try body.boolean("force") == true {
            let outcome = try await flow.signOut(
                .all, returningTo: wanted.returnTo, hasUserAgent: wanted.isOnSecondScreen.map { !$0 })
            let pages = outcome.visits.map { SignOutStep.openUserAgent($0) }
            if !pages.isEmpty {
                var object = JSONWriter()
                object.members(of: pages)
                return Response(.ok, object)
            }
        } else if case .authenticated(let signIn) = try await flow.status(), signIn.mvpd == wanted.mvpd ?? signIn.mvpd {
            return response(AuthenticationStep.authenticated(signIn))
        }
        return response(try await flow.signIn(wanted, first: GatewayDevice(of: token)))
    }

    /// `GET /v1/authentication`: how far the sign-in is; with `wait`, once it has ended.
    func showSignIn() async throws -> Response {
        let seconds = try call.query("wait").map(Self.seconds) ?? 0
        let flow = try SignInFlow(of: self)
        let status = try await flow.status()
        guard seconds > 0, case .pending = status, !state.isDraining else { return response(status) }
        let state = state
        let later = try await gateway.runtime.longPolls.with(for: key) { wait in
            try await call.request.body.consumeWithInboundCloseHandler { body in
                // A body that is not read would stop the reading of the connection, and so keep this wait from its end.
                async let _ = drop(body, ending: wait)
                return try await flow.status(within: .seconds(seconds), hearing: wait) { state.isDraining }
            } onInboundClosed: {
                // The client may have closed its own side alone, and reads the answer then.
                wait.end()
            }
        }
        guard let later else { return response(status) }
        var answer = response(later)
        // Nothing after this request is answered on the connection: what came meanwhile was taken for its end.
        answer.headers[.connection] = "close"
        return answer
    }

    /// Takes the body of a request that needs none; one that is too long ends the wait, and the connection with it.
    private func drop(_ body: RequestBody, ending wait: LongPolls.Wait) async throws {
        var left = call.configuration.settings.limits.bodyBytes
        for try await piece in body {
            left -= piece.readableBytes
            if left < 0 { return wait.end() }
        }
    }

    /// `PUT /v1/authentication`: the app proves that the user's browser came back to this device.
    func proveReturn() async throws -> Response {
        let body = try await call.body(taking: ["returned"])
        let code = try body.requiredIdentifier("returned")
        let flow = try SignInFlow(of: self)
        try await flow.prove(by: code)
        return response(try await flow.status())
    }

    /// `DELETE /v1/authentication`: gives the sign-in up.
    func cancelSignIn() async throws -> Response {
        _ = try await call.body(taking: [])
        try await SignInFlow(of: self).giveUp(asCancel: true)
        var object = JSONWriter()
        object.member("code", "cancelled")
        return Response(.ok, object)
    }

    /// Where the app wants the browser to go after the return page, if it says so.
    ///
    /// Throws unless it is one of the app's list, byte for byte.
    func returnAddress(_ body: GatewayBody) throws(RequestError) -> String? {
        guard let address = try body.identifier("returnTo") else { return nil }
        guard app.settings.returnAddresses.allows(address) else {
            throw RequestError(
                .badRequest, "return_address_not_allowed",
                detail: "returnTo is not an entry of broker.apps.\(app.id).returnTo, byte for byte")
        }
        return address
    }

    private static func seconds(_ text: String) throws(RequestError) -> Int {
        guard let seconds = Int(text), 0...maximumWait ~= seconds, "\(seconds)" == text else {
            throw .badRequest("wait is not a whole number of seconds from 0 to \(maximumWait)")
        }
        return seconds
    }
}

extension RequestError {
    /// The one-time code is not that of this device's sign-in, or came too late.
    static let returnNotProved = RequestError(
        .forbidden, "return_not_proved", doing: .signIn,
        detail: "the code is not the one that the return page handed to this device's app within two minutes")
}

extension DeviceCall {
    /// `POST /v1/logout`: signs the user out, and says what is left to do.
    func signOut() async throws -> Response {
        let body = try await call.body(taking: ["returnTo", "mvpd"])
        let returnTo = try returnAddress(body)
        let scope = try body.identifier("mvpd").map { LogoutScope.mvpd(MVPDID($0)) } ?? .all
        let outcome = try await SignInFlow(of: self).signOut(scope, returningTo: returnTo)
        var object = JSONWriter()
        object.members(of: outcome.steps)
        // The device is signed out all the same; the logouts there are tried again.
        if !outcome.unconfirmed.isEmpty { object.member("unconfirmed", outcome.unconfirmed.map(\.mvpd.rawValue)) }
        return Response(.ok, object)
    }
}

extension JSONWriter {
    /// Adds what is left to do for a user who was signed out, one after the other.
    mutating func members(of steps: [SignOutStep]) {
        members(of: steps.first ?? .done)
        guard steps.count > 1 else { return }
        member("further", objects: steps.dropFirst()) { $1.members(of: $0) }
    }

    /// Adds a step.
    fileprivate mutating func members(of step: SignOutStep) {
        switch step {
        case .openUserAgent(let visit): open(visit)
        case .leavePartnerAccount(let mvpd):
            member("code", "leave_partner_account")
            member("mvpd", mvpd.rawValue)
        case .done: member("code", "logged_out")
        }
    }
}
#endif
