extension EntitlementClient {
    /// Says whether the viewer is signed in, by `setAuthenticationStatus`; the broker is not asked.
    ///
    /// Without a connection it says what was known last.
    public func checkAuthentication() {
        enqueue { await self.checkStatus() }
    }

    /// Lets the viewer sign in, unless they are.
    ///
    /// - Parameters:
    ///   - forceAuthn: Whether the viewer is signed out first; `navigateToUrl` opens each provider's logout page then.
    ///   - data: `email`, the identity for promotional temporary access; other names are refused (`status` 500).
    ///   - filter: `TV_PROVIDERS` and `FEATURED_TV_PROVIDERS`, for the picker of the device's system alone. What the app's
    ///     own picker shows, the gateway's settings say (`broker.apps.ID.providers`).
    public func getAuthentication(
        _ forceAuthn: Bool = false,
        withData data: [String: String] = [:],
        andFilter filter: [String: [String]]? = nil
    ) {
        enqueue { await self.beginAuthentication(forced: forceAuthn, data: data, filter: filter) }
    }

    /// The same with the older form of the filter: the providers that the picker of the device's system shows.
    ///
    /// - Parameters:
    ///   - forceAuthn: Whether the viewer is signed out first.
    ///   - data: As above.
    ///   - providers: The providers, in their order: `TV_PROVIDERS` of the other form.
    public func getAuthentication(
        _ forceAuthn: Bool = false,
        withData data: [String: String] = [:],
        andFilter providers: [String]
    ) {
        getAuthentication(forceAuthn, withData: data, andFilter: ["TV_PROVIDERS": providers])
    }

    /// Goes on with the provider that the viewer has chosen; `nil` gives the sign-in up, at once, and tells `N005`.
    ///
    /// - Parameter providerID: The provider's `id`.
    public func setSelectedProvider(_ providerID: String?) {
        if let providerID {
            enqueue { await self.signIn(at: providerID) }
            return
        }
        epoch += 1
        watch?.cancel()
        watch = nil
        leaving = nil
        enqueue { await self.giveUp() }
    }

    /// Takes the address that has opened the app, of a login or of a logout.
    ///
    /// Other addresses are passed over, and the same one may come twice.
    ///
    /// - Parameter url: The address.
    public func handleExternalURL(_ url: String) {
        guard let code = place.returned(by: url) else { return }
        if leaving != nil {
            enqueue { await self.goOnLeaving() }
            return
        }
        guard gateway != nil else {
            // The address has started the app, whose setRequestor is under way.
            enqueue { await self.prove(by: code, self.epoch) }
            return
        }
        let mine = epoch
        // Not in the queue: the viewer waits for this.
        Task { await self.prove(by: code, mine) }
    }

    // MARK: Commands

    private func checkStatus() async {
        do throws(GatewayError) {
            let answer = try await ready().send(.signInStatus())
            if answer.code == "authenticated", let mvpd = answer[text: "mvpd"] {
                await signedIn(at: mvpd, until: answer[instant: "until"], events: answer.events, cached: true)
            } else {
                viewer = .signedOut
                await keepViewer()
                notSignedIn(events: answer.events)
            }
        } catch {
            if error.saysNothingOfViewer, await gateway?.owesLogout() == true {
                notSignedIn(events: [])
            } else if error.saysNothingOfViewer, let viewer {
                if let mvpd = viewer.mvpd, viewer.until.map({ time.now() < $0 }) ?? true {
                    await signedIn(at: mvpd, until: viewer.until, events: [], cached: true)
                } else {
                    notSignedIn(events: [])
                }
            } else {
                authenticationFailed(error)
            }
        }
    }

    private func beginAuthentication(
        forced: Bool, data: [String: String], filter: [String: [String]]?
    ) async {
        let known = ["TV_PROVIDERS", "FEATURED_TV_PROVIDERS"]
        let featured = Set(filter?["FEATURED_TV_PROVIDERS"] ?? [])
        guard data.keys.allSatisfy({ $0 == "email" }), filter?.keys.allSatisfy(known.contains) ?? true,
            featured.isSubset(of: filter?["TV_PROVIDERS"] ?? [])
        else { return notSignedIn(OriginalError.internalError, .internalFailure, events: []) }
        (identity, self.filter) = (data["email"] ?? identity, filter)
        await signIn(at: nil, forced: forced)
    }

    /// Asks for a sign-in, and does what the gateway says.
    func signIn(at mvpd: String?, forced: Bool = false) async {
        epoch += 1
        watch?.cancel()
        let mine = epoch
        let hasCode = place == .otherScreenWithPicker || place == .otherScreen && mvpd != nil
        do throws(GatewayError) {
            let answer = try await ready().send(
                .beginSignIn(
                    mvpd: mvpd, returnTo: place.returnTo, secondScreen: hasCode, force: forced, identity: identity))
            guard epoch == mine else { return }
            try await take(answer, mine, forcing: forced ? mvpd : nil, mayAskPermission: true)
        } catch {
            guard epoch == mine else { return }
            authenticationFailed(error)
            if error.action != .chooseProvider { failPending() }
        }
    }

    private func giveUp() async {
        var events: [GatewayEvent] = []
        if let gateway { events = (try? await gateway.send(.cancelSignIn))?.events ?? [] }
        notChosen(events: events)
        failPending()
    }

    private func prove(by code: String, _ mine: Int) async {
        do throws(GatewayError) {
            let gateway = try ready()
            // The address of a viewer who has cancelled has no code: the gateway knows the end of it within seconds.
            guard !code.isEmpty else { return watchSignIn(until: time.now() + 20_000, mine) }
            let answer = try await gateway.send(.prove(returned: code))
            guard epoch == mine else { return }
            if answer.code == "pending" {
                watchSignIn(until: answer[instant: "until"] ?? time.now() + 20_000, mine)
            } else {
                await finish(with: answer)
            }
        } catch {
            guard epoch == mine else { return }
            // The same address may come twice, and the answer to the first one may have got lost.
            if let answer = try? await gateway?.send(.signInStatus()), answer.code == "authenticated" {
                // A sign-in that was told already has the same end; an earlier one with the provider has another.
                let found = Viewer(mvpd: answer[text: "mvpd"], until: answer[instant: "until"])
                guard epoch == mine, viewer != found else { return }
                return await finish(with: answer)
            }
            guard epoch == mine else { return }
            authenticationFailed(error, afterReturn: true)
            failPending()
        }
    }
}
