#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Synchronization
import TextCodecs

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
