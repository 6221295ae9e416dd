#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import PlaybackSessions
import TextCodecs

/// The keys of grants for edges, as a configuration holds them.
struct EdgeRules: Sendable {
    private let links: SecureLinks?
    private let tokens: EdgeTokens?
    private let policies: [SignedPolicies]
    private let accessTokens: CommonAccessTokens?
    private let resources: ResourceMap

    /// Reads the keys; adds to `faults` what is wrong with the settings and the files.
    ///
    /// `resources` say which paths belong to which resource. `acceptsTestKeys` says whether keys are admitted that
    /// everybody has.
    init?(
        _ settings: ServiceSettings.Edges,
        resources: AuthzRules.Resource,
        acceptingTestKeys acceptsTestKeys: Bool,
        faults: inout [SettingsFault]
    ) {
        guard case .map(let map) = resources, map.hasFolders else {
            faults.append(
                SettingsFault(
                    .conflict, of: "authz.resources",
                    detail: "no rule ends with /*: grants for edges need to know the folder of a resource"))
            return nil
        }
        self.resources = map
        let forms = faults.collecting { () throws(ServiceSettingsError) in
            (
                links: try Self.links(settings), tokens: try Self.tokens(settings),
                policies: try settings.policies.map { policies throws(ServiceSettingsError) in
                    try Self.policies(policies, acceptingTestKeys: acceptsTestKeys)
                },
                accessTokens: try Self.accessTokens(settings, for: map, acceptingTestKeys: acceptsTestKeys)
            )
        }
        guard let forms else { return nil }
        (links, tokens, policies) = (forms.links, forms.tokens, forms.policies)
        accessTokens = forms.accessTokens
    }

    /// Issues the grants of a session: each form for each folder of its resource.
    ///
    /// A form that cannot be bound to the client's address is left out, and so is a folder whose name needs an escape:
    /// the edge then lets nothing pass, and the service is asked.
    ///
    /// Throws `.unsuitable` if a Common Access Token would be too long; `.undecided` if libcrypto failed.
    func grants(for session: PlaybackSession) throws(PlaybackSessionError) -> [EdgeGrantAnswer] {
        var grants: [EdgeGrantAnswer] = []
        for folder in resources.folders(of: session.resource) {
            do throws(PlaybackSessionError) {
                let grant = try EdgeGrant(for: session, path: EdgePath(folder: folder))
                if let links { grants.append(EdgeGrantAnswer(form: .secureLink, issued: try links.issue(grant))) }
                if let tokens { grants.append(EdgeGrantAnswer(form: .edgeToken, issued: try tokens.issue(grant))) }
                if let accessTokens {
                    grants.append(EdgeGrantAnswer(form: .commonAccess, issued: try accessTokens.issue(grant)))
                }
                // Last, because they alone take no addresses of IPv6.
                for policies in policies {
                    grants.append(EdgeGrantAnswer(form: policies.form, issued: try policies.issue(grant)))
                }
            } catch .unsuitable(let value) where value != .accessTokenLength {
                continue
            }
        }
        return grants
    }

    /// Refuses a session for which a Common Access Token would be too long.
    func checkLengths(for session: PlaybackSession) throws(PlaybackSessionError) {
        guard let accessTokens else { return }
        for path in resources.folders(of: session.resource).compactMap({ try? EdgePath(folder: $0) }) {
            _ = try accessTokens.issue(EdgeGrant(for: session, path: path))
        }
    }

    // MARK: Reading the files

    private static func links(_ settings: ServiceSettings.Edges) throws(ServiceSettingsError) -> SecureLinks? {
        guard !settings.linkSecretFiles.isEmpty else { return nil }
        let mount = "sessions.legacyLinkMount"
        return try Self.reading("sessions.legacyLinkSecretFiles", with: mount) { () throws(PlaybackSessionError) in
            let secrets = try EdgeSecrets(contentsOfFiles: settings.linkSecretFiles)
            return try SecureLinks(secrets: secrets, mount: settings.linkMount)
        }
    }

    private static func tokens(_ settings: ServiceSettings.Edges) throws(ServiceSettingsError) -> EdgeTokens? {
        guard !settings.tokenSecretFiles.isEmpty else { return nil }
        let salt = try settings.tokenSaltFile.map(Self.salt)
        return try Self.reading("sessions.edgeTokenSecretFiles") { () throws(PlaybackSessionError) in
            try EdgeTokens(
                secrets: EdgeSecrets(contentsOfFiles: settings.tokenSecretFiles), name: settings.tokenName, salt: salt,
                escapesInput: settings.tokenEscapesInput)
        }
    }

    private static func salt(_ path: String) throws(ServiceSettingsError) -> String {
        try ServiceSettingsError.reading("sessions.edgeTokenSaltFile") { () throws(FileFailure) in
            try SecretFile.text(path).withSpan { String(copying: $0) }
        }
    }

    private static func policies(
        _ settings: ServiceSettings.Policies,
        acceptingTestKeys acceptsTestKeys: Bool
    ) throws(ServiceSettingsError) -> SignedPolicies {
        let (files, origin) = (settings.keyFilesName, settings.originName)
        let policies = try Self.reading(files, with: origin) { () throws(PlaybackSessionError) in
            var pairs: [PolicyKeyPair] = []
            for pair in settings.keyPairs {
                pairs.append(try PolicyKeyPair(id: pair.id, key: SessionKey(contentsOfFile: pair.file)))
            }
            guard pairs.first?.canSign == true else { throw .cannotSign }
            return try SignedPolicies(
                keys: PolicyKeyPairs(pairs), origin: settings.origin, usingLegacySHA1: settings.usesLegacySHA1)
        }
        if !acceptsTestKeys, let index = policies.keys.pairs.firstIndex(where: \.isPublishedTestKey) {
            throw ServiceSettingsError([.publishedTestKey(settings.keyPairs[index].file, of: files)])
        }
        return policies
    }

    private static func accessTokens(
        _ settings: ServiceSettings.Edges,
        for resources: ResourceMap,
        acceptingTestKeys acceptsTestKeys: Bool
    ) throws(ServiceSettingsError) -> CommonAccessTokens? {
        guard !settings.catKeyFiles.isEmpty else { return nil }
        let files = "sessions.catKeyFiles"
        let keys = try Self.reading(files) { () throws(PlaybackSessionError) in
            // Without names, what it refuses is a key.
            let keys = try CommonAccessTokens(keys: SessionKeys(contentsOfFiles: settings.catKeyFiles)).keys
            guard keys.keys.first?.canSign == true else { throw .cannotSign }
            return keys
        }
        if !acceptsTestKeys, let index = keys.keys.firstIndex(where: \.isPublishedTestKey) {
            throw ServiceSettingsError([.publishedTestKey(settings.catKeyFiles[index], of: files)])
        }
        _ = try Self.reading("sessions.catHost") { () throws(PlaybackSessionError) in
            try CommonAccessTokens(keys: keys, host: settings.catHost)
        }
        _ = try Self.reading("sessions.issuer") { () throws(PlaybackSessionError) in
            try CommonAccessTokens(keys: keys, issuer: settings.issuer)
        }
        let tokens = try Self.reading("sessions.catAudience") { () throws(PlaybackSessionError) in
            try CommonAccessTokens(
                keys: keys, host: settings.catHost, issuer: settings.issuer, audience: settings.catAudience)
        }
        // A play would fail, in a gateway after its media token is used up.
        for path in resources.shortestFolders.compactMap({ try? EdgePath(folder: $0) }) {
            let grant = try? EdgeGrant(
                path: path, expires: .now, client: .address("2001:db8:ffff:ffff::1"), session: .random())
            guard let grant, (try? tokens.issue(grant)) == nil else { continue }
            throw ServiceSettingsError([
                SettingsFault(
                    .conflict, of: files,
                    detail: "a token for \(path) would be longer than \(CommonAccessTokens.maximumLength) bytes; "
                        + "shorten sessions.catHost, sessions.catAudience, sessions.issuer or the path")
            ])
        }
        return tokens
    }

    /// Uses the files of a setting; an error is its fault, or that of the setting that the keys are used with.
    private static func reading<Success>(
        _ setting: String,
        with other: String? = nil,
        _ read: () throws(PlaybackSessionError) -> Success
    ) throws(ServiceSettingsError) -> Success {
        do throws(PlaybackSessionError) {
            return try read()
        } catch {
            let name =
                switch error {
                case .unsuitable: other ?? setting
                default: setting
                }
            throw ServiceSettingsError([SettingsFault(setting: name, code: error.code, detail: error.description)])
        }
    }
}
#endif
