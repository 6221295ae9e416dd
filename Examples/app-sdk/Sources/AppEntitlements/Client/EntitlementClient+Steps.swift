extension EntitlementClient {
    /// Does what the gateway says is next.
    ///
    /// - Parameters:
    ///   - answer: The gateway's answer.
    ///   - mine: The epoch of the sign-in that it belongs to.
    ///   - mvpd: The provider that the viewer signs in with after a forced logout.
    ///   - mayAskPermission: Whether the device's system may ask the viewer for its account before the picker is shown.
    /// - Throws: `GatewayError`.
    func take(
        _ answer: GatewayAnswer,
        _ mine: Int,
        forcing mvpd: String? = nil,
        mayAskPermission: Bool = false
    ) async throws(GatewayError) {
        guard let step = SignInStep(answer) else { throw .unreadable(status: 200, retryAfter: nil) }
        switch step {
        case .authenticated(let mvpd, let until):
            // Of a viewer who has signed in just now, the gateway's events say so.
            await signedIn(at: mvpd, until: until, events: answer.events, cached: true)
            playPending()
        case .choose(let found, let remembered):
            providers = found
            if mayAskPermission, let other = try await answerAfterPermission(mine) {
                return try await take(other, mine)
            }
            let sorted = found.filter { $0.id == remembered } + found.filter { $0.id != remembered }
            tell(answer.events, at: "choose_provider", or: .notAuthenticated) {
                delegate?.displayProviderDialog(sorted)
            }
        case .open(let visit):
            if visit.isLogout { leaving = Leaving(steps: answer.further, next: .signIn(mvpd)) }
            tell(answer.events, at: "open_user_agent", or: nil) { navigate(to: visit) }
        case .code(let code):
            tell(answer.events, at: "show_code", or: nil) { show(code) }
            watchSignIn(until: code.until, mine)
        case .partner(let question):
            tell(answer.events, at: "ask_partner", or: nil) {}
            try await ask(question, mine)
        case .identity:
            notSignedIn(OriginalError.genericAuthentication, nil, events: answer.events)
        case .notAuthenticated:
            notSignedIn(events: answer.events)
            failPending()
        }
    }

    /// Lets the viewer's browser open an address.
    func navigate(to visit: BrowserVisit) {
        if namesBrowser, visit.usesSystemBrowser {
            delegate?.navigateToUrl(visit.url, useSVC: true)
        } else {
            delegate?.navigateToUrl(visit.url)
        }
    }

    private func show(_ code: ActivationCode) {
        var details = ["message": code.text, "activationURL": code.address]
        details["activationURLComplete"] = code.completeAddress
        tell(.registrationCode, details)
    }

    /// Lets the device's system ask the viewer for its account, if a provider that the viewer can choose signs in with it.
    ///
    /// The gateway asks for the system's picker by itself once it knows that there is an account; this is for a system that
    /// has said nothing of it so far, or has changed its mind.
    ///
    /// - Parameter mine: The epoch of the sign-in.
    /// - Returns: The answer of a sign-in that is begun anew; `nil` if the system says nothing new.
    /// - Throws: `GatewayError`.
    private func answerAfterPermission(_ mine: Int) async throws(GatewayError) -> GatewayAnswer? {
        let wanted = filter?["TV_PROVIDERS"]
        let isSupported = providers.contains { provider in
            provider.enablePlatformServices && provider.platformMappingID != nil
                && wanted?.contains(provider.id) ?? true
        }
        guard let partner, isSupported, partnerStatus?.access != .granted else { return nil }
        guard let status = await partner.status(mayInterrupt: true), status != partnerStatus else { return nil }
        guard epoch == mine else { throw .cancelled }
        // The gateway would have the system's picker shown, which asks once more.
        guard status.access != .notDetermined else {
            tell(.partnerPermissionUndetermined)
            return nil
        }
        let gateway = try ready()
        guard (try? await gateway.send(.partner(status))) != nil else { return nil }
        partnerStatus = status
        guard epoch == mine else { throw .cancelled }
        let answer = try await gateway.send(.beginSignIn(returnTo: place.returnTo, identity: identity))
        guard epoch == mine else { throw .cancelled }
        return answer
    }

    /// Puts a question to the single sign-on of the device's system, and its reply to the gateway.
    private func ask(_ question: PartnerQuestion, _ mine: Int) async throws(GatewayError) {
        let gateway = try ready()
        let question = await filtered(question)
        let asked = question.isEmpty ? nil : partner
        let reply = await asked?.ask(question) ?? unasked
        guard epoch == mine else { return }
        var answer = try await gateway.send(.partnerReply(reply, returnTo: place.returnTo))
        guard epoch == mine else { return }
        if let status = reply.status { partnerStatus = status }
        // A viewer who was shown no picker has chosen no other provider there.
        if asked == nil { answer.events.removeAll { $0.status?.code == .otherProviderChosen } }
        if reply == .cancelled, answer.code == "not_authenticated" {
            notChosen(events: answer.events)
            failPending()
        } else {
            try await take(answer, mine)
        }
    }

    /// The reply that leads to the app's own picker without a question: with the permission that was not asked for, so that
    /// its code is told.
    private var unasked: PartnerReply {
        guard let partnerStatus, partnerStatus.access == .notDetermined else { return .otherProvider }
        return .status(partnerStatus)
    }

    /// A question with the providers of `TV_PROVIDERS` alone, in their order; ids without partner support are left out.
    private func filtered(_ question: PartnerQuestion) async -> PartnerQuestion {
        guard case .pick(let channel, let supported, _) = question, let filter else { return question }
        if let answer = try? await gateway?.send(.providers) { providers = MVPD.list(answer.body["providers"]) }
        let mapped = { (ids: [String]?) in
            (ids ?? []).compactMap { id in self.providers.first { $0.id == id }?.platformMappingID }
                .filter(supported.contains)
        }
        return .pick(
            channel: channel, supported: mapped(filter["TV_PROVIDERS"]),
            featured: mapped(filter["FEATURED_TV_PROVIDERS"]))
    }

    /// Tells the gateway what the device's system says, and lets it sign the viewer in without a question if it can.
    ///
    /// Nothing is told of a failure: the viewer signs in as if the system had no account.
    ///
    /// - Parameters:
    ///   - gateway: The gateway.
    ///   - isStart: Whether the app starts; a sign-in is not told then.
    func synchronizePartner(with gateway: Gateway, isStart: Bool) async {
        guard let partner, let status = await partner.status(mayInterrupt: false) else {
            return tell(.partnerRequestFailed)
        }
        if let code = status.code { tell(code) }
        let (before, mine) = (viewer, epoch)
        guard var answer = try? await gateway.send(.partner(status)) else { return }
        partnerStatus = status
        if case .partner(let question) = SignInStep(answer) {
            let reply = await partner.ask(question)
            guard epoch == mine, let next = try? await gateway.send(.partnerReply(reply)) else { return }
            answer = next
        }
        guard epoch == mine, let step = SignInStep(answer) else { return }
        switch step {
        case .authenticated(let mvpd, let until):
            // The operator's library signed in silently at its start; later on it told of a change.
            if isStart {
                viewer = Viewer(mvpd: mvpd, until: until)
                await keepViewer()
            } else if before?.mvpd != mvpd {
                await signedIn(at: mvpd, until: until, events: answer.events, cached: false)
            }
        case .notAuthenticated where before?.mvpd != nil:
            viewer = .signedOut
            await keepViewer()
            if !isStart { notSignedIn(events: answer.events) }
        default: break
        }
    }
}
