#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Synchronization
import TextCodecs

// The page of a second screen, as a programmer offers it: type the code of the TV, and pick the provider.

extension SimulatorSite {
    /// `GET /sim/activate`: asks for the code, or with `code=…` for the provider.
    func showActivation(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        if visit.parameter("done") != nil {
            return show(
                Page(
                    "You are done",
                    "<p class=\"good\" role=\"status\">Go back to your device. If you signed in, it goes on by itself.</p>"
                ))
        }
        guard let code = visit.parameter("code") else { return show(ActivationPage(code: "").page) }
        guard let (session, world) = waitingSession(code) else { return refusedCode(code) }
        return show(ActivationPage(code: session.code).page(of: session, world))
    }

    /// `POST /sim/activate`: fills in what the session lacks, and goes on to the provider's login.
    func takeActivation(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let form = try visit.form()
        let code = form["code"] ?? ""
        guard let (known, world) = waitingSession(code) else { return refusedCode(code) }
        let mvpds = Self.choices(of: known, world).map(\.id)
        guard let mvpd = known.mvpd ?? form["mvpd"].map({ MVPDID($0) }), known.mvpd != nil || mvpds.contains(mvpd)
        else {
            var page = ActivationPage(code: known.code)
            page.alert = "Choose a provider."
            return show(page.page(of: known, world), status: 400)
        }
        // Another machine knows this one by another name than the banner does.
        let scheme = settings.origin.prefix { $0 != ":" }
        let done = "\(scheme)://\(visit.authority)/sim/activate?done=1"
        let isFilled = simulator.state.withLock { state in
            guard var session = state.sessions[known.code], !session.isCompleted else { return false }
            session.mvpd = session.mvpd ?? mvpd
            session.domain = session.domain ?? world.requestor(session.requestor)?.domains.first ?? "localhost"
            session.redirectURL = session.redirectURL ?? done
            state.sessions[known.code] = session
            return true
        }
        guard isFilled else { return refusedCode(code) }
        return .redirect(to: "/api/v2/authenticate/\(known.requestor.rawValue.pathSegment)/\(known.code)")
    }

    /// People type codes with small letters and blanks.
    private func waitingSession(_ typed: String) -> (LoginSession, SimulatedWorld)? {
        guard let code = AuthenticationCode(typed: typed)?.text else { return nil }
        let real = simulator.time.now
        return simulator.state.withLock { state in
            let now = state.clock.now(at: real)
            guard let session = state.sessions[code], session.isLive(at: now), !session.isCompleted else { return nil }
            return (session, state.world)
        }
    }

    private func refusedCode(_ typed: String) -> Reply {
        var page = ActivationPage(code: String(typed.prefix(16)))
        page.alert = "No device waits with this code. Look at your TV again; a code lasts half an hour."
        return show(page.page, status: 400)
    }

    /// The providers to pick from: temporary access needs no login.
    fileprivate static func choices(of session: LoginSession, _ world: SimulatedWorld) -> [SimulatedMVPD] {
        let ids = world.requestor(session.requestor)?.mvpds ?? []
        return ids.compactMap { world.mvpd($0) }.filter { $0.temporaryAccess == nil }
    }
}

/// What a programmer shows on the second screen.
private struct ActivationPage {
    let code: String
    /// What went wrong; empty at first.
    var alert = ""

    init(code: String) { self.code = code }

    private var warning: HTML { alert.isEmpty ? "" : "<p class=\"alert\" role=\"alert\">\(alert)</p>" }

    /// Asks for the code.
    var page: Page {
        Page(
            "Activate your device",
            """
            \(warning)
            <form class="narrow" method="get" action="/sim/activate">
            <p><label for="code">The code on your TV</label>
            <input class="code" id="code" name="code" value="\(code)" maxlength="16" autocomplete="off" \
            autocapitalize="characters" spellcheck="false" required></p>
            <p><button class="main">Continue</button></p></form>
            """)
    }

    /// Asks for the provider, unless the device has said which.
    func page(of session: LoginSession, _ world: SimulatedWorld) -> Page {
        let brand = world.requestor(session.requestor)?.name ?? session.requestor.rawValue
        return Page(
            "Activate \(brand)",
            """
            \(warning)
            <p>The code is <strong>\(session.code)</strong>\(Self.device(session)). Go on only if it is yours.</p>
            <form class="narrow" method="post" action="/sim/activate">
            <input type="hidden" name="code" value="\(session.code)">
            <ul class="choices">\(choices(session, world))</ul></form>
            <p><a href="/sim/activate">Another code</a></p>
            """)
    }

    private func choices(_ session: LoginSession, _ world: SimulatedWorld) -> [HTML] {
        if let mvpd = session.mvpd {
            let name = world.mvpd(mvpd)?.displayName ?? mvpd.rawValue
            return ["<li><button class=\"main\">Continue with \(name)</button></li>"]
        }
        return SimulatorSite.choices(of: session, world).map { mvpd in
            "<li><button class=\"main\" name=\"mvpd\" value=\"\(mvpd.id.rawValue)\">\(mvpd.displayName)</button></li>"
        }
    }

    private static func device(_ session: LoginSession) -> HTML {
        guard let model = session.deviceInfo?[.model] else { return "" }
        return ", from a device of the model \(model)"
    }
}
#endif
