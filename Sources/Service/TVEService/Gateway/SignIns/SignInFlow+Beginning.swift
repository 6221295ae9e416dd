#if Service
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses

/// What an app asks of a sign-in.
struct SignInRequest: Sendable {
    /// The provider; `nil` to let the user choose.
    var mvpd: MVPDID?
    /// Where the return page sends the browser; one of the app's list.
    var returnTo: String?
    /// Whether the user signs in on another screen; `nil` to take it from what the device says of itself.
    var isOnSecondScreen: Bool?
    /// The user's identity for promotional temporary access.
    var identity: String?
    /// Whether the device's browser brings its cookie along when it comes back.
    var hasCookie = false
}

extension SignInFlow {
    /// How long a sign-in lasts if the broker does not say: what its samples show.
    private static let lifetime = TimeToLive.minutes(30)
    /// How much longer the state of a sign-in is known than its code, for a browser that comes back late.
    private static let stateMargin = TimeToLive.minutes(5)

    /// Begins a sign-in in the place of the one that is under way, and goes as far as the gateway can.
    ///
    /// `first` is the device's record if it has none yet. Returns what comes next; `nil` if nothing is left to do.
    func signIn(_ wanted: SignInRequest, first: GatewayDevice) async throws -> AuthenticationStep? {
        let filter = try partnerFilter
        return try await signIn(wanted, first: first) { session in
            if let identity = wanted.identity {
                let step = try await session.getAuthentication(data: ["email": identity], filter: filter)
                guard wanted.mvpd != nil else { return step }
            }
            if let mvpd = wanted.mvpd { return try await session.setSelectedProvider(mvpd) }
            if wanted.isOnSecondScreen == true { return try await session.requestCode() }
            return try await session.getAuthentication(filter: filter)
        }
    }

    /// Begins a sign-in with another step of the flow.
    ///
    /// The body takes the step in the sign-in's own session, and returns `nil` if the user gave up. `first` is the
    /// device's record if it has none yet. Returns what comes next; `nil` if nothing is left to do.
    func signIn(
        _ wanted: SignInRequest,
        first: GatewayDevice,
        beginning body: (EntitlementSession) async throws -> AuthenticationStep?
    ) async throws -> AuthenticationStep? {
        let signIn = try await begin(returningTo: wanted.returnTo, first: first)
        do {
            let step = try await withSession(
                signIn.number, returningTo: signIn.state, hasUserAgent: wanted.isOnSecondScreen.map { !$0 }, body)
            return try await take(step, in: signIn, wanted)
        } catch {
            // The browser was not sent anywhere, so no user can have signed in there.
            try? await takeBack(signIn)
            throw error
        }
    }

    /// Takes a sign-in back that has not left the gateway, and erases the session that is used no more.
    private func takeBack(_ signIn: OpenSignIn) async throws {
        do {
            let current = try await gateway.devices.record(of: key)?.signIns.current
            let isSignedIn = if let current { try await profile(of: current) != nil } else { false }
            let gone = try await change { signIns in
                signIns.takeBack(signIn.state, keepingCurrent: isSignedIn && signIns.current == current)
            }
            if let gone { _ = try? await app.sessions.erase(key.session(gone)) }
        } catch {
            await gateway.eraseIfGone(signIn.number, of: key, in: app)
            throw error
        }
    }

    private func begin(returningTo returnTo: String?, first: GatewayDevice) async throws -> OpenSignIn {
        let state = try Self.randomText()
        while true {
            let before = try await gateway.devices.record(of: key)?.signIns ?? DeviceSignIns()
            if !before.due(at: now).isEmpty { gateway.runtime.timers.clear(device) }
            let seen = (session: before.current, isSignedIn: try await profile(of: before.current) != nil)
            let now = now
            let start = try await changeRecord(orMaking: first) { record in
                let start = record.signIns.start(
                    state, returnTo: returnTo, keeping: seen, at: now, until: now + Self.lifetime)
                // A reply to the partner answers what is asked from now on.
                if case .begun = start { record.partner?.isAskedSilently = false }
                return start
            }
            switch start {
            case .begun(let signIn, let gone):
                if let gone { await retire(gone) }
                // A partner may have signed the user in meanwhile, in the session that the sign-in has taken.
                do {
                    if seen.isSignedIn { return signIn }
                    if try await profile(of: signIn.number) == nil { return signIn }
                } catch {
                    try? await takeBack(signIn)
                    throw error
                }
                try await takeBack(signIn)
            case .full(let end):
                throw RequestError.tooMany(
                    "sign-ins of this device that were given up", retryAfter: end.since(now).duration)
            case .moved: continue
            }
        }
    }

    /// The providers that the picker of the device's partner shows; `nil` for all.
    var partnerFilter: ProviderFilter? {
        get throws {
            let settings = app.settings
            guard !settings.providers.isEmpty else { return nil }
            return try ProviderFilter(settings.providers, featuring: settings.featuredProviders)
        }
    }

    /// Goes on as a step of the flow says; without a step, the user gave up.
    ///
    /// In the step that it returns for the app, the address of a login has an end in any case. Throws with the status
    /// 400 if the app named no way back.
    private func take(
        _ step: AuthenticationStep?,
        in signIn: OpenSignIn,
        _ wanted: SignInRequest
    ) async throws -> AuthenticationStep? {
        switch step {
        case .openUserAgent(let visit) where visit.purpose == .login:
            guard wanted.returnTo != nil || wanted.hasCookie else { throw RequestError.returnAddressNeeded }
            let until = visit.until ?? signIn.until
            let mvpd = try await provider(of: signIn, wanted)
            try await keep(signIn, until: until) { $0.mvpd = mvpd }
            return .openUserAgent(visit.lasting(until: until))
        case .showCode(let code):
            // If it is missing, the user chooses it on the other screen.
            let mvpd = try await code.missingParameters.contains(.mvpd) ? wanted.mvpd : provider(of: signIn, wanted)
            let shown = try await keep(signIn, until: code.until) { signIn in
                (signIn.kind, signIn.activationCode, signIn.mvpd) = (.code, code.code.text, mvpd)
                signIn.deviceName = info.nameForPeople
            }
            askLater(about: shown)
            return step
        case .authenticated(let answer):
            // No browser was involved, so there is nothing to prove.
            try await promote(signIn, with: answer.mvpd)
            return step
        default:
            try await takeBack(signIn)
            gateway.runtime.longPolls.wake(key)
            return step
        }
    }

    /// The provider that the app named, or else the one that the flow has chosen by itself.
    private func provider(of signIn: OpenSignIn, _ wanted: SignInRequest) async throws -> MVPDID? {
        if let mvpd = wanted.mvpd { return mvpd }
        return try await record(of: signIn.number)?.provider?.id
    }

    /// Lets a sign-in leave the gateway: its browser is found again by the state.
    @discardableResult
    private func keep(
        _ signIn: OpenSignIn,
        until end: Timestamp,
        _ body: (inout OpenSignIn) -> Void
    ) async throws -> OpenSignIn {
        try await gateway.devices.put(state: signIn.state, for: key, until: end + Self.stateMargin)
        let kept = try await change { signIns in
            let isUnderWay = signIns.change(signIn.state) { signIn in
                signIn.until = end
                body(&signIn)
            }
            return isUnderWay ? signIns.open : nil
        }
        guard let kept else { throw EntitlementFlowError.superseded }
        return kept
    }
}

extension UserAgentVisit {
    /// The same visit with an end.
    fileprivate func lasting(until end: Timestamp) -> UserAgentVisit {
        UserAgentVisit(
            to: url, for: purpose, code: code, until: end, usesSystemBrowser: usesSystemBrowser,
            needsNoInteraction: needsNoInteraction)
    }
}

extension RequestError {
    /// The browser could not prove that it came back to the device.
    static let returnAddressNeeded = RequestError(
        .badRequest, "return_address_needed",
        detail:
            "name a returnTo of the app's list: the return has to prove that it came to this device; a web app may use "
            + "the cookie instead, and a device without a browser secondScreen")
}
#endif
