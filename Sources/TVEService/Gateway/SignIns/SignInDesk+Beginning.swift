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
            try? await change { $0.takeBack(signIn.state) }
            throw error
        }
    }

    private func begin(returningTo returnTo: String?, first: GatewayDevice) async throws -> OpenSignIn {
        let (state, filter) = (try Self.randomText(), { (gone: SpentSignIn) in gone.until > self.now })
        while true {
            let known = try await gateway.devices.record(of: key)
            let before = known?.signIns ?? DeviceSignIns()
            tidy(before)
            let waiting = before.spent.filter(filter)
            if waiting.count >= DeviceSignIns.maximumSpent {
                let wait = (waiting.map(\.until).min() ?? now).since(now).duration
                throw GatewayRefusal.tooMany("sign-ins of this device that were given up", retryAfter: wait)
            }
            let keepsCurrent = try await profile(of: before.current) != nil
            let now = now
            let begun = try await gateway.devices.change(key, orMaking: first) { device throws(GatewayRefusal) in
                guard device.signIns.current == before.current else { return nil as (OpenSignIn, SpentSignIn?)? }
                let gone = device.signIns.giveUp(because: .cancelled, at: now)
                let signIn = device.signIns.begin(
                    state: state, returnTo: returnTo, keepingCurrent: keepsCurrent, at: now, until: now + Self.lifetime)
                return (signIn, gone)
            }
            guard let (signIn, gone) = begun else { continue }
            if let gone { await retire(gone) }
            return signIn
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
            try await promote(signIn, with: answer.mvpd, afterReturn: false)
            return .authenticated(answer.mvpd, until: answer.until)
        default:
            try await change { $0.takeBack(signIn.state) }
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
