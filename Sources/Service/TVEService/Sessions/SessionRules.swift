#if Service
import EntitlementValues
import HostSystem
import PlaybackSessions

/// The keys and rules of playback sessions, as a configuration holds them.
struct SessionRules: Sendable {
    let settings: ServiceSettings.Sessions
    /// The keys, with the files that they were read from.
    let keys: [(file: String, key: SessionKey)]
    let issuer: PlaybackSessionIssuer
    let verifier: PlaybackSessionVerifier
    /// Issues what edges check by themselves; `nil` if sessions come without.
    let edges: EdgeRules?
    /// The public keys for edges, in JSON.
    let jwkSet: String

    /// Reads the keys; adds to `faults` what is wrong with the key files.
    ///
    /// `resources` say which paths belong to which resource. `acceptsTestKeys` says whether keys are admitted that
    /// everybody has.
    init?(
        _ settings: ServiceSettings.Sessions,
        resources: AuthzRules.Resource,
        acceptingTestKeys acceptsTestKeys: Bool,
        faults: inout [SettingsFault]
    ) {
        let edges = settings.edges.flatMap {
            EdgeRules($0, resources: resources, acceptingTestKeys: acceptsTestKeys, faults: &faults)
        }
        var keys: [(file: String, key: SessionKey)] = []
        for path in settings.keyFiles {
            let key = faults.reading(try SessionKey(contentsOfFile: path)) { (error: PlaybackSessionError) in
                // A fault names the file, unless that may be the key itself, set by mistake.
                let name = Files.shown(path)
                let setting = name == Files.notShown ? "sessions.keyFiles" : name
                return SettingsFault(setting: setting, code: error.code, detail: error.reasonAlone)
            }
            if let key { keys.append((path, key)) }
        }
        guard keys.count == settings.keyFiles.count else { return nil }
        if !acceptsTestKeys, let file = keys.first(where: \.key.isPublishedTestKey)?.file {
            faults.append(.publishedTestKey(file, of: "sessions.keyFiles"))
            return nil
        }
        for (setting, files) in settings.edges?.secretFiles ?? [] {
            // A key has its name from what the file holds, so a copy has the same.
            let ids = files.compactMap { try? SessionKey(contentsOfFile: $0).id }
            guard let file = keys.first(where: { ids.contains($0.key.id) })?.file else { continue }
            faults.append(
                SettingsFault(
                    .conflict, of: setting,
                    detail: "\(file): this is a key of sessions, too, and who has it for an edge could make sessions; "
                        + "take another one"))
        }
        let rules = faults.reading("sessions.keyFiles") { () throws(PlaybackSessionError) in
            try SessionRules(settings, keys: keys, edges: edges)
        }
        guard let rules else { return nil }
        self = rules
    }

    private init(
        _ settings: ServiceSettings.Sessions,
        keys: [(file: String, key: SessionKey)],
        edges: EdgeRules?
    ) throws(PlaybackSessionError) {
        let ring = try SessionKeys(keys.map(\.key))
        issuer = try PlaybackSessionIssuer(keys: ring, name: settings.issuer, lifetimes: settings.lifetimes)
        verifier = try PlaybackSessionVerifier(keys: ring, issuer: .exactly(settings.issuer))
        jwkSet = try ring.jwkSet()
        (self.settings, self.keys, self.edges) = (settings, keys, edges)
    }

    /// The same rules without the keys that were taken away; `nil` if no key is left to sign with.
    ///
    /// A key stays if a file that is named has it. If such a file is missing or bad, a key stays also if its own file
    /// is unchanged.
    ///
    /// `named` are the files that the settings name now; `nil` if that is not known. `admitsTestKeys` says whether keys
    /// stay that everybody has.
    func remaining(in named: [String]?, admittingTestKeys admitsTestKeys: Bool) -> SessionRules? {
        let found = (named ?? settings.keyFiles).map { try? SessionKey(contentsOfFile: $0) }
        let canAllBeRead = !found.contains { $0 == nil }
        let rest = keys.filter { _, key in
            if !admitsTestKeys, key.isPublishedTestKey { return false }
            if found.contains(where: { $0?.id == key.id }) { return true }
            return !canAllBeRead && key.isInItsFile
        }
        if rest.count == keys.count { return self }
        return try? SessionRules(settings, keys: rest, edges: edges)
    }
}

extension SessionRules {
    /// Asks the registry, if there is one, and goes on without it if it cannot tell and the settings allow that.
    func asking(
        _ registry: SessionRegistry?,
        _ ask: (SessionRegistry) async throws(PlaybackSessionError) -> Void
    ) async throws(PlaybackSessionError) {
        guard let registry else { return }
        do throws(PlaybackSessionError) {
            try await ask(registry)
        } catch {
            guard error.isOfStore, settings.passesWithoutStore else { throw error }
        }
    }
}

extension ActiveConfiguration {
    /// The keys and rules of playback sessions.
    ///
    /// Throws with the status 404 if the settings have none; 503 if no key is left that signs, which does not last.
    func sessionRules() throws(RequestError) -> SessionRules {
        if let sessions { return sessions }
        throw lacksSessionKeys ? RequestError.noSessionKeys : .notEnabled(setting: "sessions.keyFiles")
    }
}

extension PlaybackSessionError {
    /// What is wrong with a key file, whose name is shown already.
    fileprivate var reasonAlone: String {
        if case .unusableKey(_, _, let reason) = self { reason } else { description }
    }
}
#endif
