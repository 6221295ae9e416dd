#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import MediaTokens
import OpenSSLBridge
import TextCodecs

/// The status page for people.
///
/// It loads nothing else and has no scripts; the browser reloads it every ten seconds.
struct StatusPage {
    let html: String

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - state: What the page shows.
    ///   - isReady: What `/readyz` answers.
    ///   - reasons: What is wrong now; a store that has just begun to fail is one before `/readyz` counts it.
    init(_ state: ServiceState, isReady: Bool, reasons: [(code: String, detail: String)]) {
        let now = state.time.now
        let configuration = state.configuration
        html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="10">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>tve serve</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1f24; background: #fff }
            h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
            table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #d0d7de }
            td.n { text-align: right; font-variant-numeric: tabular-nums } code { font-size: .9em } svg { width: 100%; height: auto }
            .ok { color: #116329 } .bad { color: #b3261e; font-weight: 600 } .quiet { color: #57606a }
            @media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } th, td { border-color: #30363d } .ok { color: #56d364 } .bad { color: #ff7b72 } .quiet { color: #8b949e } }
            </style></head><body>
            <h1>tve serve <span id="readiness" class="\(isReady ? "ok" : "bad")">\(isReady ? "ready" : "not ready")</span></h1>
            <p class="quiet">Version \(escaped(releaseVersion)), \(escaped(openSSLVersion)); running for \(now.since(state.started)); as of \(now).</p>
            \(reasons.map { "<p class=\"bad\">\(escaped($0.detail)) <code>\(escaped($0.code))</code></p>" }.joined())
            \(Self.reload(state))
            <h2>Verdicts of the last hour</h2>
            \(VerdictChart(state.history.samples).svg)
            \(Self.totals(state))
            <h2>Keys</h2>
            \(Self.keys(configuration, at: now))
            <h2>Store of used tokens</h2>
            <p id="store">\(Self.store(state))</p>
            <h2>Last refusals</h2>
            \(Self.refusals(state))
            </body></html>

            """
    }

    private static func reload(_ state: ServiceState) -> String {
        guard let reload = state.history.lastReload else { return "" }
        if reload.faults.isEmpty { return "<p class=\"quiet\">Configuration reloaded at \(reload.at).</p>" }
        let faults = reload.faults.map { "<li>\(escaped($0))</li>" }.joined()
        return
            "<p class=\"bad\">The reload at \(reload.at) failed; the old keys and rules are in use.</p><ul>\(faults)</ul>"
    }

    private static func totals(_ state: ServiceState) -> String {
        let rows = zip(MediaTokenStatus.allCases, state.history.totals).map { status, count in
            let swatch =
                "<svg viewBox=\"0 0 10 10\" style=\"width:.8em\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" fill=\"\(VerdictChart.color(of: status))\"/></svg>"
            return "<tr><td>\(swatch) \(status.rawValue)</td><td class=\"n\">\(count)</td></tr>"
        }
        return "<table id=\"totals\"><tr><th>Status</th><th>Since the start</th></tr>\(rows.joined())</table>"
    }

    private static func keys(_ configuration: ActiveConfiguration, at now: Timestamp) -> String {
        let rows = configuration.keys.keys.map { key in
            let expiry =
                switch key.validity?.upperBound {
                case nil: "no certificate"
                case let end? where end < now: "<span class=\"bad\">expired \(end)</span>"
                case let end?: "\(end)"
                }
            let size = key.isWeak ? "<span class=\"bad\">\(key.bits) bits, weak</span>" : "\(key.bits) bits"
            let use = key.use
            let last = use.last.map { "\($0)" } ?? "never"
            return
                "<tr><td>\(escaped(key.label))</td><td>\(size)</td><td><code>\(key.fingerprint.prefix(16))</code></td>"
                + "<td>\(expiry)</td><td>\(last)</td><td class=\"n\">\(use.count)</td></tr>"
        }
        return
            "<table id=\"keys\"><tr><th>Key</th><th>Size</th><th>Fingerprint</th><th>Expires</th><th>Last use</th>"
            + "<th>Tokens</th></tr>\(rows.joined())</table>"
    }

    private static func store(_ state: ServiceState) -> String {
        guard state.store != nil else { return "None: a token may be used any number of times." }
        let (count, mean) = state.metrics.redemptionsSoFar
        return count == 0
            ? "No redemption yet." : "\(count) redemptions; \(mean.nanoseconds / 1000) µs on average since the start."
    }

    private static func refusals(_ state: ServiceState) -> String {
        let refusals = state.history.refusals
        if refusals.isEmpty { return "<p class=\"quiet\">None.</p>" }
        let rows = refusals.map { refusal in
            "<tr><td>\(refusal.at)</td><td>\(refusal.status.rawValue)</td><td><code>\(escaped(refusal.code))</code></td>"
                + "<td><code>\(escaped(refusal.digest ?? "none"))</code></td></tr>"
        }
        return
            "<table id=\"refusals\"><tr><th>Time</th><th>Status</th><th>Reason</th><th>Token (start of SHA-256)</th></tr>"
            + "\(rows.joined())</table>"
    }
}

/// A chart of verdicts over time: one stacked bar for each minute of the last hour.
struct VerdictChart {
    private static let width = 960
    private static let height = 200
    private static let bars = 60

    let svg: String

    init(_ samples: [StatusHistory.Sample]) {
        let perBar = 6
        // From the newest sample backwards, so that the newest bar, on the right, is always complete.
        var bars: [[Int]] = []
        var end = samples.count
        while end > 0 {
            let start = max(0, end - perBar)
            bars.append(
                MediaTokenStatus.allCases.indices.map { status in
                    samples[start..<end].reduce(0) { $0 + $1.counts[status] }
                })
            end = start
        }
        let highest = max(bars.map { $0.reduce(0, +) }.max() ?? 0, 1)
        let step = Self.width / Self.bars
        var shapes = ""
        for (age, counts) in bars.enumerated() {
            var top = Double(Self.height)
            for (status, count) in zip(MediaTokenStatus.allCases, counts) where count > 0 {
                let size = Double(count) / Double(highest) * Double(Self.height)
                top -= size
                shapes +=
                    "<rect x=\"\(Self.width - (age + 1) * step)\" y=\"\(top)\" width=\"\(step - 2)\" height=\"\(size)\" "
                    + "fill=\"\(Self.color(of: status))\"><title>\(status.rawValue): \(count)</title></rect>"
            }
        }
        svg = """
            <svg id="verdicts" role="img" aria-label="Verdicts by status, one bar for each minute of the last hour" \
            viewBox="0 0 \(Self.width) \(Self.height + 20)"><line x1="0" y1="\(Self.height)" x2="\(Self.width)" \
            y2="\(Self.height)" stroke="#8b949e"/>\(shapes)<text x="0" y="12" font-size="12" \
            fill="#8b949e">\(highest) a minute</text><text x="0" y="\(Self.height + 16)" font-size="12" \
            fill="#8b949e">an hour ago</text><text x="\(Self.width)" y="\(Self.height + 16)" font-size="12" \
            text-anchor="end" fill="#8b949e">now</text></svg>
            """
    }

    static func color(of status: MediaTokenStatus) -> String {
        switch status {
        case .validToken: "#2da44e"
        case .tokenExpired: "#d4a72c"
        case .tokenNotYetValid: "#bf8700"
        case .tokenReplayed: "#8250df"
        case .invalidResourceID: "#0969da"
        case .invalidRequestorID: "#54aeff"
        case .invalidSignature: "#cf222e"
        case .invalidTokenFormat: "#953800"
        case .errorUnknown: "#57606a"
        }
    }
}

/// Escapes a string for HTML; labels of keys come from file names, which may hold any character.
private func escaped(_ text: String) -> String {
    text.printable.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;")
}
#endif
