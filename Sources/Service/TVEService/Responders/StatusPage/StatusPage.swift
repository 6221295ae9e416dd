#if Service
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import HostSystem
import Hummingbird
import MediaTokens
import NIOCore
import OpenSSLBridge
import TextCodecs

/// The status page for people.
///
/// It loads nothing else and has no scripts. The browser reloads it every ten seconds, until its reader pauses that.
struct StatusPage {
    let html: String

    /// Makes the page.
    ///
    /// `isReady` is what `/readyz` answers. The reasons say what is wrong now; a store that has just begun to fail is
    /// one before `/readyz` counts it. `reloads` says whether the browser reloads the page.
    init(_ state: ServiceState, isReady: Bool, reasons: [(code: String, detail: String)], reloads: Bool) {
        let now = state.time.now
        let faults = reasons.map { "<p class=\"bad\">\(escaped($0.detail)) <code>\(escaped($0.code))</code></p>" }
        html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">\(reloads ? "<meta http-equiv=\"refresh\" content=\"10\">" : "")
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>tve serve</title>
            <style>\(Self.style)</style></head><body><main>
            <h1>tve serve <span id="readiness" class="\(isReady ? "ok" : "bad")">\(isReady ? "ready" : "not ready")</span></h1>
            <p class="quiet">Version \(escaped(releaseVersion)), \(escaped(openSSLVersion)); running for \(now.since(state.started)); as of \(now).</p>
            \(Self.reloading(reloads))
            \(faults.joined())
            \(Self.configuration(state))
            <h2>Verdicts of the last hour</h2>
            \(VerdictChart(state.history.samples).html)
            \(Self.totals(state))
            <h2>Keys</h2>
            \(Self.keys(state.configuration, at: now))
            <h2>Connections</h2>
            <p id="connections">\(Self.connections(state)).</p>
            <h2>Store of used tokens</h2>
            <p id="store">\(Self.store(state))</p>
            \(Self.broker(state))
            <h2>Last refusals</h2>
            \(Self.refusals(state))
            </main></body></html>

            """
    }

    /// A page that changes by itself must let its reader stop that (WCAG 2.2, 2.2.2).
    private static func reloading(_ reloads: Bool) -> String {
        reloads
            ? "<form><button name=\"reload\" value=\"off\">Pause</button> "
                + "<span class=\"quiet\">This page reloads every 10 seconds.</span></form>"
            : "<form><button>Go on</button> <span class=\"quiet\">This page is paused.</span></form>"
    }

    private static func configuration(_ state: ServiceState) -> String {
        guard let reload = state.history.lastReload else { return "" }
        if reload.faults.isEmpty { return "<p class=\"quiet\">Configuration reloaded at \(reload.at).</p>" }
        let faults = reload.faults.map { "<li>\(escaped($0))</li>" }.joined()
        let configuration = state.configuration
        // What is wrong may be the secrets of a store alone, which the new keys and rules do not wait for.
        let inUse = state.isRefused ? configuration.remainder : "the new keys and rules are in use"
        let counts = configuration.keyCounts.map { "\($0.count) for \($0.use)" }.joined(separator: ", ")
        return "<p class=\"bad\">The reload at \(reload.at) failed; \(inUse) (keys: \(counts)).</p><ul>\(faults)</ul>"
    }

    private static func totals(_ state: ServiceState) -> String {
        let rows = zip(MediaTokenStatus.allCases, state.history.totals).map { status, count in
            let swatch =
                "<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" "
                + "fill=\"\(VerdictChart.color(of: status))\"/></svg>"
            return ["\(swatch) \(status.rawValue)", "\(count)"]
        }
        return table(
            "totals", caption: "Verdicts since the start", columns: ["Status", "Count"], numbers: [1], rows: rows)
    }

    /// A certificate that ends within this time is marked.
    private static let notice = TimeToLive.hours(30 * 24)

    private static func keys(_ configuration: ActiveConfiguration, at now: Timestamp) -> String {
        let rows = configuration.keys.keys.map { key in
            let size = key.isWeak ? "<span class=\"bad\">\(key.bits) bits, weak</span>" : "\(key.bits) bits"
            let use = key.use
            return [
                escaped(key.label), end(of: key.validity?.upperBound, at: now), use.last.map { "\($0)" } ?? "never",
                "\(use.count)", size, "<code>\(key.fingerprint.prefix(16))</code>",
            ]
        }
        return table(
            "keys", caption: "Keys that tokens are verified with",
            columns: ["Key", "Certificate ends", "Last use", "Tokens", "Size", "Fingerprint"], numbers: [3], rows: rows)
    }

    private static func end(of certificate: Timestamp?, at now: Timestamp) -> String {
        guard let end = certificate else { return "no certificate" }
        let days = abs(end.milliseconds - now.milliseconds) / 86_400_000
        let count = days == 1 ? "1 day" : "\(days) days"
        if end < now { return "<span class=\"bad\">ended \(count) ago: \(end)</span>" }
        return end < now + notice ? "<span class=\"soon\">ends in \(count): \(end)</span>" : "\(end)"
    }

    private static func connections(_ state: ServiceState) -> String {
        [state.publicConnections, state.internalConnections].map { count in
            let text = "\(count.count) of at most \(count.limit) at the \(count.listener.rawValue) listener"
            return count.count < count.limit ? text : "<span class=\"bad\">\(text)</span>"
        }
        .joined(separator: "; ")
    }

    private static func store(_ state: ServiceState) -> String {
        guard state.store != nil else { return "None: a token may be used any number of times." }
        let (count, mean) = state.metrics.redemptionsSoFar
        return count == 0
            ? "No redemption yet." : "\(count) redemptions; \(mean.nanoseconds / 1000) µs on average since the start."
    }

    /// What recent calls tell about the broker; nothing if the service is not a gateway.
    private static func broker(_ state: ServiceState) -> String {
        guard let gateway = state.gateway else { return "" }
        let report = gateway.runtime.health.current
        let style = report.state == .failing ? "bad" : report.state == .up ? "ok" : "quiet"
        return "<h2>Broker</h2><p id=\"broker\" class=\"\(style)\">\(escaped(report.description)).</p>"
            + domains(of: gateway)
    }

    /// Whether the broker knows the domains of the settings.
    private static func domains(of gateway: Gateway) -> String {
        guard let findings = gateway.examined() else {
            return "<p id=\"domains\" class=\"quiet\">The broker is being asked for the domains of the apps.</p>"
        }
        if findings.isEmpty {
            return "<p id=\"domains\" class=\"ok\">The broker knows the domains of all apps.</p>"
        }
        let list = findings.map { "<li>\(escaped($0.fault.description))</li>" }.joined()
        return findings.contains { !$0.isOpen }
            ? "<p id=\"domains\" class=\"bad\">The broker refuses these settings.</p><ul>\(list)</ul>"
            : "<p id=\"domains\" class=\"quiet\">The broker could not be asked for the domains.</p><ul>\(list)</ul>"
    }

    private static func refusals(_ state: ServiceState) -> String {
        let refusals = state.history.refusals
        if refusals.isEmpty { return "<p class=\"quiet\">None.</p>" }
        let rows = refusals.map { refusal in
            [
                "\(refusal.at)", "<code>\(escaped(refusal.code))</code>",
                "<code>\(escaped(refusal.digest ?? "none"))</code>", refusal.status.rawValue,
            ]
        }
        return table(
            "refusals", caption: "The last \(refusals.count), the newest first",
            columns: ["Time", "Reason", "Token (start of SHA-256)", "Status"], rows: rows)
    }

    /// Writes a table; the first cell of each row is its heading.
    ///
    /// It can get the focus, so that it can be scrolled with the keyboard, too.
    private static func table(
        _ id: String,
        caption: String,
        columns: [String],
        numbers: Set<Int> = [],
        rows: [[String]]
    ) -> String {
        let style = { (column: Int) in numbers.contains(column) ? " class=\"n\"" : "" }
        let head = columns.enumerated().map { "<th scope=\"col\"\(style($0))>\($1)</th>" }.joined()
        let body = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td\(style(column))>\(cell)</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return "<div class=\"wide\" role=\"region\" aria-label=\"\(caption)\" tabindex=\"0\"><table id=\"\(id)\">"
            + "<caption>\(caption)</caption><thead><tr>\(head)</tr></thead><tbody>\(body.joined())</tbody></table></div>"
    }
}

/// Escapes a string for HTML; labels of keys come from file names, which may hold any character.
private func escaped(_ text: String) -> String {
    text.printable.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;")
}

extension StatusPage {
    /// The answer that shows the page, with a policy that lets it load nothing.
    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
                .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static let policy: String = {
        let hash = Array(style.utf8).withSpan { try? Digest.sha256.hash($0, in: 0..<$0.count) }
        let source = hash.map { "'sha256-\(Base64.encode($0))'" } ?? "'none'"
        return "default-src 'none'; style-src \(source); img-src data:; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
    }()

    /// Tables that are wider than a phone scroll in a frame of their own, and the page does not.
    static let style = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de;
          --ok: #116329; --bad: #b3261e; --soon: #7d4e00; --accent: #0a5cc2 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9aa4af;
          --line: #30363d; --ok: #56d364; --bad: #ff8a80; --soon: #e3b341; --accent: #6cb0ff } }
        * { box-sizing: border-box }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; color: var(--ink);
          background: var(--paper); overflow-wrap: anywhere }
        h1 { font-size: 1.4rem; margin: .5rem 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
        form { margin: .5rem 0 }
        button { font: inherit; min-height: 2.75rem; padding: .25rem 1rem; color: var(--ink); background: var(--paper);
          border: 1px solid var(--quiet); border-radius: .375rem; cursor: pointer }
        .wide { overflow-x: auto }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        table { border-collapse: collapse; width: 100%; overflow-wrap: normal }
        caption { text-align: left; color: var(--quiet); padding-bottom: .25rem }
        th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
          border-bottom: 1px solid var(--line) }
        td { white-space: nowrap } tbody th { font-weight: 400; min-width: 8rem; overflow-wrap: anywhere } .n { text-align: right; font-variant-numeric: tabular-nums }
        code { font-size: .9em } #verdicts { display: block; width: 100%; height: 12rem; border-bottom: 1px solid var(--quiet) }
        .axis { display: flex; justify-content: space-between; margin: .25rem 0 1.5rem; font-size: .85rem }
        .swatch { display: inline-block; width: .8em }
        .ok { color: var(--ok) } .bad { color: var(--bad); font-weight: 600 } .soon { color: var(--soon); font-weight: 600 }
        .quiet { color: var(--quiet) }
        """
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name(known: "Content-Security-Policy")
}
#endif
