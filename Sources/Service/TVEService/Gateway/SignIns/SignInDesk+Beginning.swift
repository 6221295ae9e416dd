#if Service
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses

extension SignInDesk {
    /// How long a sign-in lasts if the broker does not say: what its samples show.
    private static let lifetime = TimeToLive.minutes(30)
    /// How much longer the state of a sign-in is known than its code, for a browser that comes back late.
    private static let stateMargin = TimeToLive.minutes(5)

    /// Begins a sign-in in the place of the one that is under way, and goes as far as the gateway can.
    ///
    /// - Parameters:
    ///   - wish: What the app wants.
    ///   - first: The device's record if it has none yet.
    /// - Returns: What comes next.
    /// - Throws: `EntitlementFlowError`; `GatewayRefusal`.
    func signIn(_ wish: SignInWish, first: GatewayDevice) async throws -> SignInStep {
        let filter = try partnerFilter
        return try await signIn(wish, first: first) { session in
            if let identity = wish.identity {
                let step = try await session.getAuthentication(data: ["email": identity], filter: filter)
                guard wish.mvpd != nil else { return step }
            }
            if let mvpd = wish.mvpd { return try await session.setSelectedProvider(mvpd) }
            if wish.isOnSecondScreen == true { return try await session.requestCode() }
            return try await session.getAuthentication(filter: filter)
        }
    }

    /// Begins a sign-in with another step of the flow.
    ///
    /// - Parameters:
    ///   - wish: What the app wants.
    ///   - first: The device's record if it has none yet.
    ///   - body: The step, in the sign-in's own session; `nil` if the user gave up.
    /// - Returns: What comes next.
    /// - Throws: `EntitlementFlowError`; `GatewayRefusal`.
    func signIn(
        _ wish: SignInWish,
        first: GatewayDevice,
        beginning body: (EntitlementSession) async throws -> AuthenticationStep?
    ) async throws -> SignInStep {
        let signIn = try await begin(returningTo: wish.returnTo, first: first)
        do {
            let step = try await withSession(
                signIn.number, returningTo: signIn.state, hasUserAgent: wish.isOnSecondScreen.map { !$0 }, body)
            return try await take(step, in: signIn, wish)
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
            tidy(before)
            let seen = (session: before.current, isSignedIn: try await profile(of: before.current) != nil)
            let now = now
            let start = try await gateway.devices.change(key, orMaking: first) { device throws(GatewayRefusal) in
                let start = device.signIns.start(
                    state, returnTo: returnTo, keeping: seen, at: now, until: now + Self.lifetime)
                // A reply to the partner answers what is asked from now on.
                if case .begun = start { device.partner?.isAskedSilently = false }
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
                throw GatewayRefusal.tooMany(
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

    /// Goes on as a step of the flow says.
    ///
    /// - Parameters:
    ///   - step: The step; `nil` if the user gave up.
    ///   - signIn: The sign-in.
    ///   - wish: What the app wants.
    /// - Returns: The step for the app.
    /// - Throws: `EntitlementFlowError`; `GatewayRefusal` if the app named no way back.
    func take(_ step: AuthenticationStep?, in signIn: OpenSignIn, _ wish: SignInWish) async throws -> SignInStep {
        switch step {
        case .openUserAgent(let visit) where visit.purpose == .login:
            guard wish.returnTo != nil || wish.hasCookie else { throw GatewayRefusal.returnAddressNeeded }
            let until = visit.until ?? signIn.until
            let mvpd = try await provider(of: signIn, wish)
            try await keep(signIn, until: until) { $0.mvpd = mvpd }
            return .open(visit, until: until)
        case .showCode(let code):
            // If it is missing, the user chooses it on the other screen.
            let mvpd = try await code.missingParameters.contains(.mvpd) ? wish.mvpd : provider(of: signIn, wish)
            try await keep(signIn, until: code.until) { signIn in
                (signIn.kind, signIn.activationCode, signIn.mvpd) = (.code, code.code.text, mvpd)
                signIn.deviceName = info.nameForPeople
            }
            await watch(signIn.state)
            return .code(code)
        case .authenticated(let answer):
            // No browser was involved, so there is nothing to prove.
            try await promote(signIn, with: answer.mvpd)
            return .authenticated(answer.mvpd, until: answer.until)
        default:
            try await takeBack(signIn)
            gateway.opened.signals.tell(key)
            return SignInStep(step)
        }
    }

    /// The provider that the app named, or else the one that the flow has chosen by itself.
    private func provider(of signIn: OpenSignIn, _ wish: SignInWish) async throws -> MVPDID? {
        if let mvpd = wish.mvpd { return mvpd }
        return try await record(of: signIn.number)?.provider?.id
    }

    /// Lets a sign-in leave the gateway: its browser is found again by the state.
    private func keep(
        _ signIn: OpenSignIn,
        until end: Timestamp,
        _ body: (inout OpenSignIn) -> Void
    ) async throws {
        try await gateway.devices.put(state: signIn.state, for: key, until: end + Self.stateMargin)
        let isUnderWay = try await change { signIns in
            signIns.change(signIn.state) { signIn in
                signIn.until = end
                body(&signIn)
            }
        }
        guard isUnderWay else { throw EntitlementFlowError.superseded }
        remindOfEnd(of: signIn, at: end)
    }
}

extension GatewayRefusal {
    /// The browser could not prove that it came back to the device.
    static let returnAddressNeeded = GatewayRefusal(
        .badRequest, "return_address_needed",
        detail:
            "name a returnTo of the app's list: the return has to prove that it came to this device; a web app may use "
            + "the cookie instead, and a device without a browser secondScreen")
}
#endif
