#if Client
import EntitlementValues
import Synchronization
import TextCodecs

// The login page of the simulated providers.

extension SimulatorSite {
    /// `GET /sim/login?code=…`.
    func showLogin(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let (session, world) = try openSession(visit.parameter("code"))
        return show(LoginPage(session, world).page)
    }

    /// `POST /sim/login`: one of the users signs in, the password is wrong, or the viewer cancels.
    func takeLogin(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let form = try visit.form()
        let (session, world) = try openSession(form["code"])
        var page = LoginPage(session, world)
        if form["password"] == "wrong" {
            page.alert = "The password is wrong. Choose a user, or cancel."
            return show(page.page)
        }
        do throws(SimulationError) {
            if form["cancel"] != nil { return .redirect(to: try simulator.cancelLogin(code: session.code)) }
            guard let user = form["user"] else { throw .unknownUser("") }
            return .redirect(to: try simulator.logIn(code: session.code, as: user))
        } catch .unknownUser {
            page.alert = "This user is unknown. Choose one from the list."
            return show(page.page, status: 400)
        } catch {
            throw .refused(error)
        }
    }

    /// The session of a code that waits for its login.
    private func openSession(_ code: String?) throws(SiteFault) -> (LoginSession, SimulatedWorld) {
        let real = simulator.time.now
        let (session, world) = simulator.state.withLock { state in
            (state.waitingSession(code ?? "", at: state.clock.now(at: real)), state.world)
        }
        guard let session else {
            throw .badRequest("this sign-in has ended, or was used; start again on your device")
        }
        return (session, world)
    }
}

/// What a provider shows to its customers.
private struct LoginPage {
    let session: LoginSession
    let world: SimulatedWorld
    /// What went wrong; empty at first.
    var alert = ""

    init(_ session: LoginSession, _ world: SimulatedWorld) { (self.session, self.world) = (session, world) }

    var page: Page {
        let provider = session.mvpd.flatMap { world.mvpd($0)?.displayName } ?? ""
        let brand = world.requestor(session.requestor)?.name ?? session.requestor.rawValue
        return Page(
            "Sign in to \(provider)",
            """
            \(alert.isEmpty ? "" : "<p class=\"alert\" role=\"alert\">\(alert)</p>" as HTML)
            <p>\(brand) asks whether you are a customer of \(provider). Whom do you want to be?</p>
            <form class="narrow" method="post" action="/sim/login">
            <input type="hidden" name="code" value="\(session.code)">
            <ul class="choices">\(world.users.map(Self.choice))</ul>
            <div class="row"><button name="password" value="wrong">Try a wrong password</button>
            <button name="cancel" value="1">Cancel</button></div></form>
            """)
    }

    private static func choice(_ user: SimulatedUser) -> HTML {
        """
        <li><button class="main" name="user" value="\(user.name)">Sign in as \(user.name)\
        <small>\(user.hint)</small></button></li>
        """
    }
}

extension SimulatedUser {
    /// What signing in as this user leads to, for people.
    var hint: String {
        switch behavior {
        case .expired: "The profile is expired at once."
        case .invalidated: "The provider ends the sign-in at once."
        case .slow: "The provider takes its time for decisions."
        case .ordinary where attributes.contains(where: \.isEncrypted):
            """
            Shares \(attributes.filter(\.isEncrypted).map(\.name).joined(separator: ", ")) encrypted, if the brand has a \
            certificate for it; else its profile is refused.
            """
        case .ordinary: "Shares: \((["userID"] + attributes.map(\.name)).joined(separator: ", "))."
        }
    }
}
#endif
