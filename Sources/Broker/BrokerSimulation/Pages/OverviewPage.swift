#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Synchronization
import TextCodecs

/// The parts of the overview.
struct OverviewPage {
    private let site: SimulatorSite
    let simulator: BrokerSimulator
    private let world: SimulatedWorld

    init(_ site: SimulatorSite) {
        (self.site, simulator) = (site, site.simulator)
        world = simulator.world
    }

    /// Address, statement and key.
    var toCopy: HTML {
        let statements: [HTML] = world.requestors.map { requestor in
            let statement = (try? simulator.softwareStatement(of: requestor.id)) ?? "none"
            return """
                <h3>Software statement of \(requestor.name) (<code>\(requestor.id.rawValue)</code>)</h3>
                <pre class="whole">\(statement)</pre>
                """
        }
        return """
            <h2>To copy</h2>
            <p class="quiet">A click selects the whole text.</p>
            <p>Address of the broker: <code class="whole">\(site.settings.origin)</code></p>
            \(statements)
            <p><a href="/sim/keys/media.pem">Key of media tokens</a> for <code>tve verify --keys</code>, \
            <a href="/sim/jwks.json">keys as JSON</a>, <a href="/sim/state">the world as JSON</a>.</p>
            <p><a href="/sim/activate">Activate a device</a> (second screen).</p>
            <p class="quiet">\(site.settings.keeping)</p>
            """
    }

    /// Providers, users and special resources.
    var things: HTML {
        let mvpds: [HTML] = world.mvpds.map { mvpd in
            "<tr><td>\(mvpd.displayName)</td><td><code>\(mvpd.id.rawValue)</code></td><td>\(mvpd.hint)</td></tr>"
        }
        let users: [HTML] = world.users.map { user in "<tr><td><code>\(user.name)</code></td><td>\(user.hint)</td></tr>"
        }
        let resources: [HTML] = MagicResource.allCases.map { resource in
            "<li><code class=\"whole\">\(resource.rawValue)</code>: <code>\(resource.code.rawValue)</code></li>"
        }
        let rules: [HTML] = world.rules.map { "<li><code>\($0.id)</code> for <code>\($0.resources)</code></li>" }
        return """
            <h2>Providers</h2>\(Self.scrolling("Providers"))<table><thead><tr><th scope="col">Name</th><th scope="col">Id</th>\
            <th scope="col">What is special</th></tr></thead><tbody>\(mvpds)</tbody></table></div>
            <h2>Users</h2><p>None has a password: the login page asks who you want to be.</p>\(Self.scrolling("Users"))<table><thead><tr><th scope="col">Name</th>\
            <th scope="col">What is special</th></tr></thead><tbody>\(users)</tbody></table></div>
            <h2>Resources that always fail</h2><p>Each with the code that <i>authorize</i> answers.</p><ul>\(resources)</ul>
            \(rules.isEmpty ? "" : "<h2>Rules</h2><ul>\(rules)</ul>" as HTML)
            """
    }

    /// The time, and buttons that change it.
    var clock: HTML {
        let isFrozen = simulator.clock.frozen != nil
        let things: [HTML] = BrokerSimulator.Expirable.allCases.map { Self.option($0.rawValue) }
        let step: HTML = "<label>Minutes <input name=\"minutes\" type=\"number\" value=\"30\" required></label>"
        return """
            <h2>Clock</h2>
            <p>It is \("\(simulator.now)") in the simulation\(isFrozen ? ", and the clock stands still" : "").</p>
            \(form("advance", step, button: "Advance"))
            \(isFrozen ? form("run", button: "Let it run") : form("freeze", button: "Stop it"))
            \(form("expire", Self.select("End now", name: "what", options: things), button: "End"))
            """
    }

    /// What goes wrong on demand.
    var scenarios: HTML {
        let active: [HTML] = simulator.scenarios.map { scenario in
            let left = scenario.remaining.map { ", \($0) times" } ?? ""
            let id: HTML = "<input type=\"hidden\" name=\"id\" value=\"\(scenario.id)\">"
            let name: HTML = "<span><code>\(scenario.scenario.name)</code>\(left)</span>"
            return "<li>\(form("deactivate", [id, name], button: "Switch off \(scenario.id)"))</li>"
        }
        let what = Self.select("What", name: "scenario", options: Scenario.samples.map { Self.option($0.name) })
        let everywhere: HTML = "<option value=\"\">everywhere</option>"
        let endpoints = BrokerEndpoint.allCases.map { Self.option($0.rawValue) }
        let place = Self.select("Where", name: "endpoint", options: [everywhere] + endpoints)
        let times: HTML =
            "<label>How often <input name=\"remaining\" type=\"number\" min=\"1\" placeholder=\"always\"></label>"
        let modes = Self.select(
            "Limit of requests", name: "mode", options: ["off", "documented", "always"].map(Self.option))
        return """
            <h2>Scenarios</h2>
            <ul class="choices">\(active.isEmpty ? ["<li class=\"quiet\">Nothing goes wrong.</li>"] : active)</ul>
            \(form("activate", [what, place, times], button: "Switch on"))
            \(form("throttle", modes, button: "Set"))
            \(form("reset", button: "Forget everything"))
            """
    }

    /// The last requests, the newest first; they hold no secrets.
    var requests: HTML {
        let rows: [HTML] = simulator.journal.suffix(50).reversed().map { entry in
            let resources = entry.resources.map { $0 == 1 ? "1 resource" : "\($0) resources" }
            let notes = [resources, entry.errorCode, entry.scenario].compactMap(\.self) + entry.notes
            let place = [entry.requestor?.rawValue, entry.mvpd?.rawValue].compactMap(\.self)
            return """
                <tr><td>\(entry.number)</td><td>\(entry.method) \(entry.endpoint?.rawValue ?? "unknown path")</td>\
                <td>\(entry.status)</td><td>\(place.joined(separator: ", "))</td>\
                <td>\(notes.joined(separator: "; "))</td><td>\(entry.fields.joined(separator: ", "))</td><td><time>\("\(entry.time)")</time></td></tr>
                """
        }
        return """
            <h2>Last requests</h2>
            \(Self.scrolling("Last requests"))<table id="requests"><thead><tr><th scope="col">No.</th>\
            <th scope="col">Call</th><th scope="col">Status</th><th scope="col">Brand, provider</th><th scope="col">Notes</th>\
            <th scope="col">Header fields</th><th scope="col">Time</th></tr></thead><tbody>\(rows)</tbody></table></div>
            \(form("clear", button: "Forget them"))
            """
    }

    private func form(_ action: String, _ fields: HTML..., button: String) -> HTML {
        form(action, fields, button: button)
    }

    private func form(_ action: String, _ fields: [HTML], button: String) -> HTML {
        """
        <form class="row" method="post" action="/"><input type="hidden" name="token" value="\(site.formToken)">\
        <input type="hidden" name="action" value="\(action)">\(fields)<button>\(button)</button></form>
        """
    }

    /// Begins a box for a wide table: it scrolls by itself, with the keyboard, too.
    static func scrolling(_ name: String) -> HTML {
        "<div class=\"table\" role=\"region\" aria-label=\"\(name)\" tabindex=\"0\">"
    }

    private static func select(_ label: String, name: String, options: [HTML]) -> HTML {
        "<label>\(label) <select name=\"\(name)\">\(options)</select></label>"
    }

    private static func option(_ value: String) -> HTML { "<option value=\"\(value)\">\(value)</option>" }
}

extension SimulatedMVPD {
    /// What is special about the provider, for people.
    fileprivate var hint: String {
        if let offer = temporaryAccess {
            let what = offer.isPromotional ? "promotional access" : "temporary access"
            return "\(what), \(offer.duration)" + (offer.maximumResources.map { ", \($0) resources" } ?? "")
        }
        if let partner { return "sign-on with the device's platform: \(partner.boarding.rawValue)" }
        return hasLogoutPage ? "" : "no logout page of its own"
    }
}

extension Scenario {
    /// One of each kind, for lists to choose from.
    static var samples: [Scenario] {
        let faults: [NetworkFault] = [.delay(.seconds(5)), .dropRequest, .dropAnswer, .resetAfterHead]
        return [
            .error(.internalServerError), .error(.invalidAccessTokenClientApplication), .status(502), .status(503),
            .throttled(retryAfter: nil), .throttled(retryAfter: 5), .decision(.authorizationDeniedByMVPD),
            .decision(.authorizationDeniedByParentalControls), .decision(.networkConnectionTimeout),
        ] + faults.map { .network($0) } + MalformedAnswer.allCases.map { .malformed($0) }
            + MediaTokenDefect.allCases.map { .token($0) }
    }
}

// Who signs in, and who is signed in.

extension OverviewPage {
    /// Longer lists are of no use to people.
    private static let longest = 50

    /// The codes that have not ended, and the sign-ins, the newest first.
    var signIns: HTML {
        let real = simulator.time.now
        let state = simulator.state.withLock { $0 }
        let now = state.clock.now(at: real)
        let sessions = state.sessions.values.filter { $0.isLive(at: now) }
            .sorted { ($0.notBefore, $0.code) > ($1.notBefore, $1.code) }
        let profiles = state.profiles.flatMap { holder, profiles in profiles.values.map { (holder, $0) } }
            .filter { $0.1.isLive(at: now) }
            .sorted { ($0.1.notBefore, $0.0.device) > ($1.1.notBefore, $1.0.device) }
        return """
            <h2>Codes</h2>\(codes(sessions, state))<h2>Sign-ins</h2>\(profileTable(profiles))
            """
    }

    private func codes(_ sessions: [LoginSession], _ state: SimulatorState) -> HTML {
        guard !sessions.isEmpty else { return "<p class=\"quiet\">No code is in use.</p>" }
        let rows: [HTML] = sessions.prefix(Self.longest).map { session in
            """
            <tr><td><code>\(session.code)</code></td><td>\(session.requestor.rawValue)</td>\
            <td>\(session.mvpd?.rawValue ?? "")</td><td>\(session.deviceInfo?[.model] ?? "")</td>\
            <td>\(session.stage)</td><td><time>\("\(session.notAfter)")</time></td></tr>
            """
        }
        return """
            \(Self.scrolling("Codes"))<table id="codes"><thead><tr><th scope="col">Code</th><th scope="col">Brand</th>\
            <th scope="col">Provider</th><th scope="col">Model</th><th scope="col">Stage</th>\
            <th scope="col">Ends</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private func profileTable(_ profiles: [(ProfileHolder, HeldProfile)]) -> HTML {
        guard !profiles.isEmpty else { return "<p class=\"quiet\">Nobody is signed in.</p>" }
        let rows: [HTML] = profiles.prefix(Self.longest).map { holder, profile in
            """
            <tr><td>\(holder.device)</td><td><code>\(holder.client)</code></td><td>\(profile.mvpd.rawValue)</td>\
            <td>\(profile.user)</td><td><time>\("\(profile.notAfter)")</time></td></tr>
            """
        }
        return """
            \(Self.scrolling("Sign-ins"))<table id="signins"><thead><tr><th scope="col">Device</th>\
            <th scope="col">Client</th><th scope="col">Provider</th><th scope="col">User</th>\
            <th scope="col">Ends</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}

extension LoginSession {
    /// How far the sign-in is, for people.
    fileprivate var stage: String {
        if isCompleted { return "used" }
        if isAnswered { return "the device is signed in already" }
        return missingParameters.isEmpty
            ? "waits for the login" : "lacks \(missingParameters.map(\.rawValue).joined(separator: ", "))"
    }
}
#endif
