extension EntitlementClient {
    /// Signs the viewer out: `navigateToUrl` for each provider's page that has to be opened, the next one when the browser
    /// has come back from the one before, then `setAuthenticationStatus` with 0.
    ///
    /// `status` says `VSA203` if the account of the device signs in again until the viewer leaves it in the settings.
    /// Without a connection the viewer counts as signed out, and the gateway is told before anything else is asked.
    public func logout() {
        epoch += 1
        watch?.cancel()
        watch = nil
        enqueue { await self.leave() }
    }

    private func leave() async {
        failPending()
        (permits, playbacks, leaving) = (PermitCache(), [:], nil)
        do throws(GatewayError) {
            let answer = try await ready().send(.logout(returnTo: place.returnTo))
            leaving = Leaving(steps: [answer.body] + answer.further, next: .nothing)
            // The step tells it, once the browser has been at the pages before it.
            let events = answer.events.filter { $0.status?.code != .partnerAccountStays }
            tell(events, at: "authentication_status", or: nil) {}
            await goOnLeaving()
        } catch {
            guard error.action == .retry || error.asksForSignIn else {
                let (original, code) = error.words(in: .authentication)
                return notSignedIn(original, code, events: error.events)
            }
            // A device that the gateway does not know is not signed in.
            if !error.asksForSignIn { try? await gateway?.owe(true) }
            viewer = .signedOut
            await keepViewer()
            delegate?.setAuthenticationStatus(0, errorCode: OriginalError.userNotAuthenticated)
        }
    }

    /// Takes the next step of a logout.
    func goOnLeaving() async {
        while var now = leaving, !now.steps.isEmpty {
            let step = now.steps.removeFirst()
            leaving = now
            switch step["code"]?.text {
            case "open":
                if let visit = BrowserVisit(step), place.returnTo != nil { return navigate(to: visit) }
            case "leave_partner_account":
                tell(.partnerAccountStays, ["message": "Leave the account in the system's settings, too."])
            default: break
            }
        }
        guard let next = leaving?.next else { return }
        leaving = nil
        viewer = .signedOut
        await keepViewer()
        switch next {
        case .nothing: delegate?.setAuthenticationStatus(0, errorCode: OriginalError.userNotAuthenticated)
        case .signIn(let mvpd): await signIn(at: mvpd)
        }
    }
}

/// What is left of a logout, and what follows it.
struct Leaving: Sendable {
    /// What follows a logout.
    enum Next: Sendable {
        /// The viewer is told.
        case nothing
        /// The viewer signs in, since the logout was a forced sign-in's.
        case signIn(String?)
    }

    /// The steps that are left, as the gateway said them.
    var steps: [[String: JSONValue]]
    let next: Next
}
